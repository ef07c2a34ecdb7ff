import { dayInMs, hourInMs, minuteInMs } from '../format/units.ts'

/** A session ends after this many days without use. */
export const idleDays = 14
/** A session ends this many days after the login, however much it is used. */
export const longestDays = 90

export const longestLifeMs = longestDays * dayInMs

/**
 * How often a session's use is recorded at most, so that not every request is a write. A session
 * may end earlier by this, but never later.
 */
export const seenStepMs = 10 * minuteInMs

export interface SessionMoments {
  /** When its user signed in. */
  createdAt: Date
  /** The last recorded use. */
  lastSeenAt: Date
}

/** Returns the moment at which a session ends, unless it is used again before. */
export function sessionEnd({ createdAt, lastSeenAt }: SessionMoments): Date {
  const idle = lastSeenAt.getTime() + idleDays * dayInMs
  return new Date(Math.min(idle, createdAt.getTime() + longestLifeMs))
}

/** What the links in emails do, and how long they work. */
export const tokenLifetimeMs = {
  'reset-password': hourInMs,
  'verify-email': dayInMs,
} as const

export type TokenPurpose = keyof typeof tokenLifetimeMs
export const tokenPurposes = Object.keys(tokenLifetimeMs) as [TokenPurpose, ...TokenPurpose[]]
