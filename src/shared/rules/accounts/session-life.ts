import { dayInMs, hourInMs, minuteInMs } from '../format/units.ts'

/** A session ends after this many days without use. */
export const idleDays = 14
/** A session ends this many days after the login, however much it is used. */
export const longestDays = 90

/** The longest life of a session, in milliseconds. */
export const longestLifeMs = longestDays * dayInMs

/**
 * The database records the use of a session at most once in this time, in milliseconds. Otherwise
 * every request would be a write. So the recorded last use can be older than the real one by up to
 * this time. The session then ends too early by this difference, but never too late.
 */
export const seenStepMs = 10 * minuteInMs

/** The two dates that decide when a session ends. */
export interface SessionMoments {
  /** When its user signed in. */
  createdAt: Date
  /** The last use that the database has recorded. */
  lastSeenAt: Date
}

/** Returns the moment at which a session ends, unless it is used again before. */
export function sessionEnd({ createdAt, lastSeenAt }: SessionMoments): Date {
  const idle = lastSeenAt.getTime() + idleDays * dayInMs
  return new Date(Math.min(idle, createdAt.getTime() + longestLifeMs))
}

/** Returns true if the database must record a use at `now`. */
export function isSeenDue(lastSeenAt: Date, now: Date): boolean {
  return now.getTime() - lastSeenAt.getTime() >= seenStepMs
}

/**
 * What a person can do with the link in an email, and how long that link works, in milliseconds.
 */
export const tokenLifetimeMs = {
  'reset-password': hourInMs,
  'verify-email': dayInMs,
} as const

export type TokenPurpose = keyof typeof tokenLifetimeMs
export const tokenPurposes = Object.keys(tokenLifetimeMs) as [TokenPurpose, ...TokenPurpose[]]
