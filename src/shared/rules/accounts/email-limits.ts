import { dayInMs, hourInMs, minuteInMs } from '../format/units.ts'

/**
 * How many emails one address gets. Every email has one of these kinds, and each kind has its own
 * share, so that no flood of one kind keeps out another: an email that anybody can cause must not
 * use up those that tell the owner about a new password.
 */
export const emailLimits = {
  /** Anybody can sign up with any address, so some are left for the owner's own signup. */
  signup: { max: 6, windowMs: 15 * minuteInMs },
  'reset-password': { max: 3, windowMs: 15 * minuteInMs },
  /** About a change of the account. */
  account: { max: 5, windowMs: 15 * minuteInMs },
  /** About first downloads and expiring links. */
  files: { max: 24, windowMs: dayInMs },
  /** From the administrator to a user, and from anybody to the support address. */
  support: { max: 60, windowMs: hourInMs },
} as const

/**
 * How many emails of these kinds together one address gets. The other kinds don't count here, so
 * that strangers can't suppress the notice about a changed password.
 */
export const dailyLimit = {
  max: 60,
  windowMs: dayInMs,
  kinds: ['signup', 'reset-password', 'files'] as readonly EmailKind[],
}

export type EmailKind = keyof typeof emailLimits
export const emailKinds = Object.keys(emailLimits) as [EmailKind, ...EmailKind[]]

/** How long the server counts an email that it has sent. */
export const emailsCountedMs = Math.max(
  ...Object.values(emailLimits).map(({ windowMs }) => windowMs),
)

/** The greatest length of a mail address, in characters (RFC 5321, section 4.5.3.1). */
export const longestAddress = 254
