import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'
import { maxPasswordLength, minPasswordLength } from '../../shared/contract/account.ts'
import { googleSchema, googleSettingsTable } from './google-settings.ts'
import { s3Schema, s3SettingsTable } from './s3-settings.ts'
import {
  byteSize,
  hidden,
  maybeOnOff,
  minSecretLength,
  onOff,
  seconds,
  shown,
  signupPolicy,
  trustedProxies,
} from './setting-values.ts'

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

const logFormats = ['readable', 'json'] as const
export type LogFormat = (typeof logFormats)[number]

/**
 * Every setting, with its default and its meaning, as the README's table shows them. A test fails
 * if a name or a default differs between the README and these texts. The default that the server
 * uses is in `settingsSchema` or in `config.ts`: change both.
 */
export const settings = {
  PORT: { default: '`3000`', meaning: 'The port the server listens on' },
  HOST: { default: '`127.0.0.1`', meaning: 'The address the server listens on' },
  APP_URL: {
    default: '`http://HOST:PORT`',
    meaning:
      'The public origin: links are made from it, and no other host is served. Unset, addresses written as numbers are served too',
  },
  DATA_DIR: { default: '`./data`', meaning: 'The folder that holds everything the server keeps' },
  DATABASE_URL: {
    default: 'an embedded Postgres in `DATA_DIR`',
    meaning: 'Another Postgres: `postgres://user:password@host:port/name`',
  },
  ...s3SettingsTable,
  SUPPORT_EMAIL: { default: '`support@` the host of `APP_URL`', meaning: 'Where people write to' },
  PRIVACY_EMAIL: {
    default: '`privacy@` the host of `APP_URL`',
    meaning: 'Where people write to about their data',
  },
  ADMIN_EMAIL: {
    default: '`admin@localhost.localdomain`',
    meaning: 'The one administrator; nobody can sign up with this address',
  },
  ADMIN_PASSWORD: {
    default: 'generated into `DATA_DIR/admin-password`',
    meaning: "The administrator's password at the first start",
  },
  AUTH_SECRET: {
    default: 'generated into `DATA_DIR/secret`',
    meaning: 'Signs sessions and presigned URLs; several servers must share it',
  },
  ...googleSettingsTable,
  SMTP_URL: {
    default: 'none: each email is a file in `DATA_DIR/outbox`',
    meaning:
      'The mail server: `smtp://user:password@host:port`, or `smtps://`. Another machine must offer TLS, unless the URL ends in `?requireTLS=false`',
  },
  MAIL_FROM: {
    default: '`Mayfly <SUPPORT_EMAIL>`',
    meaning: 'Who mail comes from: `Name <address>` or an address',
  },
  REQUIRE_EMAIL_VERIFICATION: {
    default: '`on` with `SMTP_URL`, else `off`',
    meaning:
      'Whether an address must be verified, by a link in an email, before its account exists',
  },
  SIGNUP: {
    default: '`open`',
    meaning:
      'Who can sign up: `open` for anybody, `closed` for nobody, or domains such as `example.org,example.com` for their addresses alone',
  },
  RATE_LIMITS: { default: '`on`', meaning: '`off` for load tests' },
  TRUST_PROXY: {
    default: '`off`',
    meaning:
      'Whose `X-Forwarded-For` is believed: `on` for proxies on this machine and in private networks, or addresses and networks such as `192.0.2.7,10.0.0.0/8`',
  },
  X_ACCEL_REDIRECT: {
    default: 'none: the server sends files on the disk itself',
    meaning: 'The internal location below which nginx finds the files, to send them: `/sealed`',
  },
  METRICS_TOKEN: {
    default:
      'none: only this machine reads the metrics, and nobody behind a proxy or a public `APP_URL`',
    meaning: 'The bearer token that opens `/metrics` to others',
  },
  MIN_FREE_SPACE: {
    default: 'the larger of 2 % and 512 MiB',
    meaning:
      'Free space on the disk below which uploads are refused: a size such as `512MiB`, or `0`',
  },
  DRAIN_SECONDS: {
    default: '`0`',
    meaning:
      'How long a server that was told to stop goes on answering while `/api/ready` fails, so that a load balancer turns to the others',
  },
  LOG_LEVEL: {
    default: '`info`',
    meaning: `What is logged, on standard output: ${listed(logLevels)}`,
  },
  LOG_FORMAT: {
    default: 'readable on a terminal, else JSON',
    meaning: `How: ${listed(logFormats)}`,
  },
} as const satisfies Record<string, { default: string; meaning: string }>

function listed(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ')
}

const minTokenLength = 16

/** How the value of every setting is checked and read, and its default. */
export const settingsSchema = z.object({
  PORT: z
    .string()
    .refine(isPort, shown('give a whole number from 1 to 65535, or unset it for 3000'))
    .default('3000')
    .transform(Number),
  HOST: z
    .string()
    .refine(isHost, shown('give an IP address or a host name, or unset it for 127.0.0.1'))
    .default('127.0.0.1'),
  APP_URL: z
    .string()
    .refine(isOrigin, shown('give an origin without a path, such as https://files.example.org'))
    .transform((value) => new URL(value))
    .optional(),
  DATA_DIR: z
    .string()
    .default('./data')
    .transform((value) => resolve(value)),
  DATABASE_URL: z
    .string()
    .refine(isPostgresUrl, hidden('give postgres://user:password@host:port/name, or unset it'))
    .nullable()
    .default(null),
  ...s3Schema,
  SUPPORT_EMAIL: email('give an email address, or unset it').optional(),
  PRIVACY_EMAIL: email('give an email address, or unset it').optional(),
  ADMIN_EMAIL: email('give an email address, or unset it').default('admin@localhost.localdomain'),
  ADMIN_PASSWORD: z
    .string()
    .min(minPasswordLength, hidden(`give at least ${minPasswordLength} characters, or unset it`))
    .max(maxPasswordLength, hidden(`give at most ${maxPasswordLength} characters, or unset it`))
    .nullable()
    .default(null),
  AUTH_SECRET: z
    .string()
    .min(minSecretLength, hidden(`give at least ${minSecretLength} random characters, or unset it`))
    .nullable()
    .default(null),
  ...googleSchema,
  SMTP_URL: z
    .string()
    .refine(isSmtpUrl, hidden('give smtp://user:password@host:port, or unset it for the outbox'))
    .nullable()
    .default(null),
  MAIL_FROM: z
    .string()
    .refine(isMailbox, shown('give an address, or Name <address>, or unset it'))
    .optional(),
  REQUIRE_EMAIL_VERIFICATION: maybeOnOff(),
  SIGNUP: signupPolicy(),
  RATE_LIMITS: onOff('on'),
  TRUST_PROXY: trustedProxies(),
  X_ACCEL_REDIRECT: z
    .string()
    .regex(/^(\/[\w-]+){1,4}$/, shown('give a path without a slash at its end, such as /sealed'))
    .nullable()
    .default(null),
  METRICS_TOKEN: z
    .string()
    .regex(
      new RegExp(`^[\\w.~+/=-]{${minTokenLength},}$`),
      hidden(`give at least ${minTokenLength} emails, digits or -._~+/=, or unset it`),
    )
    .nullable()
    .default(null),
  MIN_FREE_SPACE: byteSize('the larger of 2 % and 512 MiB'),
  DRAIN_SECONDS: seconds(0),
  LOG_LEVEL: z
    .enum(logLevels, shown(`write one of ${logLevels.join(', ')}, or unset it for info`))
    .default('info'),
  LOG_FORMAT: z
    .enum(logFormats, shown(`write ${logFormats.join(' or ')}, or unset it`))
    .nullable()
    .default(null),
} satisfies Record<keyof typeof settings, z.ZodType>)

function email(cure: string) {
  return z.email(shown(cure)).toLowerCase()
}

function isPort(value: string) {
  return /^[1-9]\d{0,4}$/.test(value) && Number(value) <= 65535
}

function isHost(value: string) {
  return isIP(value) !== 0 || /^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(value)
}

/**
 * Accepts only an http(s) origin. It refuses a path, a query and a password, because the server
 * would ignore them without notice.
 */
function isOrigin(value: string): boolean {
  const url = URL.parse(value)
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
}

function isPostgresUrl(value: string): boolean {
  return /^postgres(ql)?:$/.test(URL.parse(value)?.protocol ?? '')
}

function isSmtpUrl(value: string): boolean {
  const url = URL.parse(value)
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== ''
}

/**
 * Accepts `Name <address>` or an address alone, and no character that could begin another header.
 */
function isMailbox(value: string): boolean {
  const [, name = '', address = value] = /^([^<>\p{Cc}]*)<([^<>]*)>$/u.exec(value) ?? []
  return z.email().safeParse(address).success && !/["\\]/.test(name)
}
