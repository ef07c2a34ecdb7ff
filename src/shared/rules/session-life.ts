const dayMs = 24 * 60 * 60 * 1000

/** A session ends after this many days without use. */
export const idleDays = 14
/** A session ends this many days after the login, however much it is used. */
export const longestDays = 90

/** The longest life of a session, in milliseconds. */
export const longestLifeMs = longestDays * dayMs

/**
 * A session notes its use at most once in this time, in milliseconds, because a note for every
 * request would make each request a write. So a session may end this much earlier than `idleDays`
 * after its last use, and never later.
 */
export const seenStepMs = 10 * 60 * 1000

/** The moments of a session's life. */
export interface SessionMoments {
  /** When its user signed in. */
  createdAt: Date
  /** When its last use was noted. */
  lastSeenAt: Date
}

/** Returns the moment from which on a session is over, unless it is used again before. */
export function sessionEnd({ createdAt, lastSeenAt }: SessionMoments): Date {
  const idle = lastSeenAt.getTime() + idleDays * dayMs
  return new Date(Math.min(idle, createdAt.getTime() + longestLifeMs))
}

/** Returns whether a use at `now` is to be noted. */
export function isSeenDue(lastSeenAt: Date, now: Date): boolean {
  return now.getTime() - lastSeenAt.getTime() >= seenStepMs
}
