import { dayInMs, hourInMs } from '../format/units.ts'

/**
 * What a person can do with the link in an email, and how long that link works, in milliseconds.
 */
export const tokenLifetimeMs = {
  'reset-password': hourInMs,
  'verify-email': dayInMs,
} as const

export type TokenPurpose = keyof typeof tokenLifetimeMs
export const tokenPurposes = Object.keys(tokenLifetimeMs) as [TokenPurpose, ...TokenPurpose[]]
