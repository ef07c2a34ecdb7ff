import { dayInMs, hourInMs, minuteInMs } from '../format/units.ts'

/** A session expires after this many days without use. */
export const maxIdleDays = 14
/** A session expires this many days after the login, no matter how much it is used. */
export const maxSessionDays = 90

export const maxSessionAgeMs = maxSessionDays * dayInMs

/** How long after a Google sign-in an account without a password can still be deleted. */
export const recentSignInMs = 5 * minuteInMs

/**
 * Minimum interval between recorded uses of a session, to avoid a write for every request. A
 * session may expire early by up to this interval, but never late.
 */
export const lastSeenIntervalMs = 10 * minuteInMs

export interface SessionTimes {
  /** When the user signed in. */
  createdAt: Date
  /** The last recorded use. */
  lastSeenAt: Date
}

/** Returns when a session expires if it isn't used again. */
export function sessionExpiry({ createdAt, lastSeenAt }: SessionTimes): Date {
  const idleEndMs = lastSeenAt.getTime() + maxIdleDays * dayInMs
  return new Date(Math.min(idleEndMs, createdAt.getTime() + maxSessionAgeMs))
}

/** How long links in emails are valid, by purpose. */
export const tokenLifetimeMs = {
  'reset-password': hourInMs,
  'verify-email': dayInMs,
} as const

export type TokenPurpose = keyof typeof tokenLifetimeMs
export const tokenPurposes = Object.keys(tokenLifetimeMs) as [TokenPurpose, ...TokenPurpose[]]
