import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'
import { maxPasswordLength, minPasswordLength } from '../../shared/rules/accounts/password.ts'
import { googleSchema } from './google-settings.ts'
import { s3Schema } from './s3-settings.ts'
import {
  byteSize,
  invalid,
  invalidSecret,
  minSecretLength,
  onOff,
  optionalOnOff,
  seconds,
  signupPolicy,
  trustedProxies,
} from './setting-values.ts'

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

const logFormats = ['readable', 'json'] as const
export type LogFormat = (typeof logFormats)[number]

const minTokenLength = 16

/** Parses each setting and defines its default. docs/settings.md explains the settings. */
export const settingsSchema = z.object({
  PORT: z
    .string()
    .refine(isPort, invalid('give a whole number from 1 to 65535, or unset it for 3000'))
    .default('3000')
    .transform(Number),
  HOST: z
    .string()
    .refine(isHost, invalid('give an IP address or a host name, or unset it for 127.0.0.1'))
    .default('127.0.0.1'),
  APP_URL: z
    .string()
    .refine(isOrigin, invalid('give an origin without a path, such as https://files.example.org'))
    .transform((value) => new URL(value))
    .optional(),
  DATA_DIR: z
    .string()
    .default('./data')
    .transform((value) => resolve(value)),
  DATABASE_URL: z
    .string()
    .refine(
      isPostgresUrl,
      invalidSecret('give postgres://user:password@host:port/name, or unset it'),
    )
    .nullable()
    .default(null),
  ...s3Schema,
  SUPPORT_EMAIL: email('give an email address, or unset it').optional(),
  PRIVACY_EMAIL: email('give an email address, or unset it').optional(),
  ADMIN_EMAIL: email('give an email address, or unset it').default('admin@localhost.localdomain'),
  ADMIN_PASSWORD: z
    .string()
    .min(
      minPasswordLength,
      invalidSecret(`give at least ${minPasswordLength} characters, or unset it`),
    )
    .max(
      maxPasswordLength,
      invalidSecret(`give at most ${maxPasswordLength} characters, or unset it`),
    )
    .nullable()
    .default(null),
  AUTH_SECRET: z
    .string()
    .min(
      minSecretLength,
      invalidSecret(`give at least ${minSecretLength} random characters, or unset it`),
    )
    .nullable()
    .default(null),
  ...googleSchema,
  SMTP_URL: z
    .string()
    .refine(
      isSmtpUrl,
      invalidSecret('give smtp://user:password@host:port, or unset it for the outbox'),
    )
    .nullable()
    .default(null),
  MAIL_FROM: z
    .string()
    .refine(isMailbox, invalid('give an address, or Name <address>, or unset it'))
    .optional(),
  REQUIRE_EMAIL_VERIFICATION: optionalOnOff(),
  SIGNUP: signupPolicy(),
  RATE_LIMITS: onOff('on'),
  TRUST_PROXY: trustedProxies(),
  X_ACCEL_REDIRECT: z
    .string()
    .regex(/^(\/[\w-]+){1,4}$/, invalid('give a path without a slash at its end, such as /sealed'))
    .nullable()
    .default(null),
  METRICS_TOKEN: z
    .string()
    .regex(
      new RegExp(`^[\\w.~+/=-]{${minTokenLength},}$`),
      invalidSecret(`give at least ${minTokenLength} letters, digits or -._~+/=, or unset it`),
    )
    .nullable()
    .default(null),
  MIN_FREE_SPACE: byteSize('the larger of 2 % and 512 MiB'),
  DRAIN_SECONDS: seconds(0),
  LOG_LEVEL: z
    .enum(logLevels, invalid(`write one of ${logLevels.join(', ')}, or unset it for info`))
    .default('info'),
  LOG_FORMAT: z
    .enum(logFormats, invalid(`write ${logFormats.join(' or ')}, or unset it`))
    .nullable()
    .default(null),
})

function email(remedy: string) {
  return z.email(invalid(remedy)).toLowerCase()
}

function isPort(value: string) {
  return /^[1-9]\d{0,4}$/.test(value) && Number(value) <= 65535
}

function isHost(value: string) {
  return isIP(value) !== 0 || /^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(value)
}

/** Rejects paths, queries and userinfo, which would be ignored. */
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
 * Accepts `Name <address>` or a bare address, without characters that could start another header.
 */
function isMailbox(value: string): boolean {
  const [, name = '', address = value] = /^([^<>\p{Cc}]*)<([^<>]*)>$/u.exec(value) ?? []
  return z.email().safeParse(address).success && !/["\\]/.test(name)
}
