import { dayInMs, hourInMs, minuteInMs } from '../format/units.ts'

/** A session expires after this many days without use. */
export const maxIdleDays = 14
/** A session expires this many days after the login, even if it is in use. */
export const maxSessionDays = 90

export const maxSessionAgeMs = maxSessionDays * dayInMs

/**
 * Minimum interval between two recorded uses of a session, to avoid a write per request. A session
 * may expire earlier by this much, but never later.
 */
export const lastSeenIntervalMs = 10 * minuteInMs

export interface SessionTimes {
  /** When the user signed in. */
  createdAt: Date
  /** The last recorded use. */
  lastSeenAt: Date
}

/** Returns when a session expires unless it is used again. */
export function sessionExpiry({ createdAt, lastSeenAt }: SessionTimes): Date {
  const idleEnd = lastSeenAt.getTime() + maxIdleDays * dayInMs
  return new Date(Math.min(idleEnd, createdAt.getTime() + maxSessionAgeMs))
}

/** How long the links in emails are valid, by purpose. */
export const tokenLifetimeMs = {
  'reset-password': hourInMs,
  'verify-email': dayInMs,
} as const

export type TokenPurpose = keyof typeof tokenLifetimeMs
export const tokenPurposes = Object.keys(tokenLifetimeMs) as [TokenPurpose, ...TokenPurpose[]]
