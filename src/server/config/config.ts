import { readFileSync } from 'node:fs'
import type { BlockList } from 'node:net'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { SignupPolicy } from '../../shared/rules/accounts/signup-policy.ts'
import { isLoopback } from '../http/hosts.ts'
import { type GoogleSettings, incompleteGoogle, readGoogleSettings } from './google-settings.ts'
import { incompleteS3, readS3Settings, type S3Settings, unreachableS3 } from './s3-settings.ts'
import { type LogFormat, type LogLevel, settingsSchema } from './startup-settings.ts'

/**
 * The settings that the server was started with. Nothing else in the server reads the environment.
 */
export interface Config {
  host: string
  port: number
  /**
   * The public origin. Build links in emails from `appUrl.origin`: `appUrl.href` ends with a slash.
   * Build links in an answer from the `publicOrigin` of its request: if APP_URL is not set, people
   * may open the server at another address.
   */
  appUrl: URL
  /**
   * False where APP_URL is not set. `appUrl` is then a guess from HOST and PORT, and people may
   * open the server at another address.
   */
  appUrlIsSet: boolean
  /** An absolute path. */
  dataDir: string
  /** null: the server starts the embedded Postgres under `dataDir`. */
  databaseUrl: string | null
  /** null: files are kept on the disk. */
  s3: S3Settings | null
  /** Always in lower case. */
  adminEmail: string
  /** null: generated into `dataDir` at the first start. */
  adminPassword: string | null
  /** null: generated into `dataDir` at the first start. */
  authSecret: string | null
  /** null: people sign in with email and password only. */
  google: GoogleSettings | null
  supportEmail: string
  privacyEmail: string
  /**
   * False if no mail can arrive at `supportEmail`: SUPPORT_EMAIL is not set, and the host of
   * `appUrl` is an IP address or a name such as localhost. Pages then link to the feedback form.
   */
  supportGetsMail: boolean
  /** The same for `privacyEmail`. */
  privacyGetsMail: boolean
  /** False turns off the limits of `http/rate-limit.ts`. Those of emails and feedback stay. */
  rateLimits: boolean
  /** The proxies whose X-Forwarded-For is believed; null for none. */
  trustedProxies: BlockList | null
  /** The internal location of nginx for the folder of files. null: nginx sends no files itself. */
  nginxLocation: string | null
  /**
   * Whoever sends this token may read the metrics. null: only programs on this machine may, and
   * only if the settings name no proxy and no public address.
   */
  metricsToken: string | null
  /**
   * Uploads leave this many bytes of the disk free. null: the larger of 2 % of the disk and 512
   * MiB.
   */
  minFreeSpace: number | null
  /**
   * How many milliseconds the server still answers requests after it was told to stop. During this
   * time `/api/ready` fails, so that load balancers turn to other servers.
   */
  drainMs: number
  /**
   * Whether an email address must be verified, by the link in an email, before its account exists.
   */
  requireEmailVerification: boolean
  signup: SignupPolicy
  /** null: mail is written to `dataDir/outbox`. */
  smtpUrl: string | null
  /** The sender of every email: `Name <address>`, or an address alone. */
  mailFrom: string
  logLevel: LogLevel
  /** null: the log is text for people if it goes to a terminal, and JSON if it goes elsewhere. */
  logFormat: LogFormat | null
}

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Is thrown when the settings cannot be used. The message lists every fault with its cure, each on
 * its own line.
 */
export class ConfigError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    const count = faults.length === 1 ? 'One setting is' : `${faults.length} settings are`
    super(`${count} wrong:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
    this.name = 'ConfigError'
    this.faults = faults
  }
}

/**
 * Reads the settings of this process from its environment, and from `.env` in the working directory
 * where that file exists. A variable of the environment overrides the same one in `.env`.
 * @throws {ConfigError} when `.env` exists and cannot be read.
 */
export function readEnvironment(): Environment {
  return { ...readDotEnv(resolve('.env')), ...process.env }
}

function readDotEnv(file: string): Environment {
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return {}
    throw new ConfigError([`${file} cannot be read (${code}): make it a readable file, or move it`])
  }
}

/**
 * Turns an environment into a configuration. An empty value counts as unset.
 * @throws {ConfigError} names every fault and its cure, and no secret value.
 */
export function readConfig(environment: Environment): Config {
  const values = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const faults = [...incompleteS3(values), ...incompleteGoogle(values)]
  const parsed = settingsSchema.safeParse(values)
  if (!parsed.success) {
    faults.unshift(
      ...parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`),
    )
  }
  if (!parsed.data) throw new ConfigError(faults)

  const env = parsed.data
  const appUrl = env.APP_URL ?? new URL(`http://${reachableHost(env.HOST)}:${env.PORT}`)
  faults.push(...unreachableS3(env, appUrl))
  if (faults.length > 0) throw new ConfigError(faults)
  const supportEmail = env.SUPPORT_EMAIL ?? `support@${appUrl.hostname}`
  const hostGetsMail = mayGetMail(appUrl.hostname)
  return {
    host: env.HOST,
    port: env.PORT,
    appUrl,
    appUrlIsSet: env.APP_URL !== undefined,
    dataDir: env.DATA_DIR,
    databaseUrl: env.DATABASE_URL,
    s3: readS3Settings(env),
    adminEmail: env.ADMIN_EMAIL,
    adminPassword: env.ADMIN_PASSWORD,
    authSecret: env.AUTH_SECRET,
    google: readGoogleSettings(env),
    supportEmail,
    privacyEmail: env.PRIVACY_EMAIL ?? `privacy@${appUrl.hostname}`,
    supportGetsMail: env.SUPPORT_EMAIL !== undefined || hostGetsMail,
    privacyGetsMail: env.PRIVACY_EMAIL !== undefined || hostGetsMail,
    rateLimits: env.RATE_LIMITS,
    trustedProxies: env.TRUST_PROXY,
    nginxLocation: env.X_ACCEL_REDIRECT,
    metricsToken: env.METRICS_TOKEN,
    minFreeSpace: env.MIN_FREE_SPACE,
    drainMs: env.DRAIN_SECONDS * 1000,
    requireEmailVerification: env.REQUIRE_EMAIL_VERIFICATION ?? env.SMTP_URL !== null,
    signup: env.SIGNUP,
    smtpUrl: env.SMTP_URL,
    mailFrom: env.MAIL_FROM ?? `Mayfly <${supportEmail}>`,
    logLevel: env.LOG_LEVEL,
    logFormat: env.LOG_FORMAT,
  }
}

/** False for a name of this machine and for an address written as numbers: no mail goes there. */
function mayGetMail(hostname: string): boolean {
  return !isLoopback(hostname) && isIP(hostname.replace(/^\[(.*)\]$/, '$1')) === 0
}

/**
 * Returns a host that a browser on this machine can open. A browser cannot open a wildcard address.
 */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return isIP(host) === 6 ? `[${host}]` : host
}
