import { readFileSync } from 'node:fs'
import type { BlockList } from 'node:net'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { SignupPolicy } from '../../shared/rules/accounts/signup-policy.ts'
import { isLoopback } from '../http/hosts.ts'
import {
  findMissingGoogleSettings,
  type GoogleSettings,
  readGoogleSettings,
} from './google-settings.ts'
import {
  findMissingS3Settings,
  findUnreachableS3Settings,
  readS3Settings,
  type S3Settings,
} from './s3-settings.ts'
import { type LogFormat, type LogLevel, settingsSchema } from './startup-settings.ts'

/** The parsed settings. Only this module reads the environment. */
export interface Config {
  host: string
  port: number
  /**
   * The public origin. Links in emails use `appUrl.origin`, but links in responses use the
   * request's `publicOrigin`, because without APP_URL the server can be reached at several
   * addresses.
   */
  appUrl: URL
  /** False if `appUrl` is derived from HOST and PORT. */
  appUrlIsSet: boolean
  /** An absolute path. */
  dataDir: string
  /** If null, the server uses the embedded Postgres in `dataDir`. */
  databaseUrl: string | null
  /** If null, files are stored on disk. */
  s3: S3Settings | null
  /** Always in lowercase. */
  adminEmail: string
  /** If null, a password is generated in `dataDir` on the first start. */
  adminPassword: string | null
  /** If null, a secret is generated in `dataDir` on the first start. */
  authSecret: string | null
  /** If null, users can't sign in with Google. */
  google: GoogleSettings | null
  supportEmail: string
  privacyEmail: string
  /**
   * False if `supportEmail` can't receive email, because SUPPORT_EMAIL is unset and the host is an
   * IP address or a name such as localhost. Pages then link to the feedback form.
   */
  supportReceivesEmail: boolean
  /** Like `supportReceivesEmail`, but for `privacyEmail`. */
  privacyReceivesEmail: boolean
  /** False disables all rate limits except those on emails and feedback. */
  rateLimits: boolean
  /** The proxies whose X-Forwarded-For header is trusted, or null if there are none. */
  trustedProxies: BlockList | null
  /** The internal nginx location from which nginx sends files. If null, this server sends them. */
  nginxLocation: string | null
  /**
   * The bearer token for the metrics. If null, only this machine can read them (see
   * `requireMetricsAccess`).
   */
  metricsToken: string | null
  /**
   * How many bytes uploads must leave free. If null, the default applies: 2% of the disk, but at
   * least 512 MiB.
   */
  minFreeSpace: number | null
  /**
   * How long the server keeps responding after a stop signal, in milliseconds. During that time,
   * `/api/ready` fails, so that load balancers stop sending requests.
   */
  drainMs: number
  /** True if accounts are created only after their email address is verified. */
  requireEmailVerification: boolean
  signup: SignupPolicy
  /** If null, emails are written to `dataDir/outbox`. */
  smtpUrl: string | null
  /** The sender of every email: `Name <address>` or a bare address. */
  mailFrom: string
  logLevel: LogLevel
  /** If null, the log is readable text on a terminal and JSON otherwise. */
  logFormat: LogFormat | null
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Thrown for invalid settings. The message lists every problem with its remedy, one per line. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    const countText = problems.length === 1 ? 'One setting is' : `${problems.length} settings are`
    super(`${countText} wrong:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/**
 * Returns the environment, with unset variables taken from `.env` in the working directory.
 * @throws {ConfigError} if `.env` exists but can't be read.
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
 * Parses the settings. An empty value counts as unset.
 * @throws {ConfigError} if a setting is invalid. The message contains no secret values.
 */
export function readConfig(environment: Environment): Config {
  const values = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const problems = [...findMissingS3Settings(values), ...findMissingGoogleSettings(values)]
  const parsed = settingsSchema.safeParse(values)
  if (!parsed.success) {
    problems.unshift(
      ...parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`),
    )
  }
  if (!parsed.data) throw new ConfigError(problems)

  const env = parsed.data
  const appUrl = env.APP_URL ?? new URL(`http://${toReachableHost(env.HOST)}:${env.PORT}`)
  problems.push(...findUnreachableS3Settings(env, appUrl))
  if (problems.length > 0) throw new ConfigError(problems)
  const supportEmail = env.SUPPORT_EMAIL ?? `support@${appUrl.hostname}`
  const hostReceivesEmail = canReceiveEmail(appUrl.hostname)
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
    supportReceivesEmail: env.SUPPORT_EMAIL !== undefined || hostReceivesEmail,
    privacyReceivesEmail: env.PRIVACY_EMAIL !== undefined || hostReceivesEmail,
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

/** False for localhost and IP addresses. */
function canReceiveEmail(hostname: string): boolean {
  return !isLoopback(hostname) && isIP(hostname.replace(/^\[(.*)\]$/, '$1')) === 0
}

/**
 * Returns the host, or localhost in place of a wildcard address, for a URL to open on this machine.
 */
function toReachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return isIP(host) === 6 ? `[${host}]` : host
}
