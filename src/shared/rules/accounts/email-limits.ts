import { dayInMs, hourInMs, minuteInMs } from '../format/units.ts'

/**
 * Limits for emails to the same email address. Each kind has a separate limit, so a flood of one
 * kind can't block another. In particular, emails that anyone can trigger can't block those that
 * tell account owners about a new password.
 */
export const emailLimits = {
  /**
   * Anyone can sign up with someone else's email address. The limit is high enough that the real
   * owner can still sign up.
   */
  signup: { max: 6, windowMs: 15 * minuteInMs },
  'reset-password': { max: 3, windowMs: 15 * minuteInMs },
  /** Emails about changes to the account. */
  account: { max: 5, windowMs: 15 * minuteInMs },
  /** Emails about first downloads and expiring links. */
  files: { max: 24, windowMs: dayInMs },
  /** Emails about deliveries, which anyone who has the request's address can trigger. */
  deliveries: { max: 24, windowMs: dayInMs },
  /** Links that users send. Most recipients have no account. */
  'shared-link': { max: 20, windowMs: dayInMs },
  /** Emails from the administrator to a user, and from anyone to the support address. */
  support: { max: 60, windowMs: hourInMs },
} as const

/**
 * Limit for emails of these kinds combined, per email address. Other kinds aren't included, so
 * strangers can't suppress the notice about a changed password.
 */
export const dailyLimit = {
  max: 60,
  windowMs: dayInMs,
  kinds: ['signup', 'reset-password', 'files'] as readonly EmailKind[],
}

export type EmailKind = keyof typeof emailLimits
export const emailKinds = Object.keys(emailLimits) as [EmailKind, ...EmailKind[]]

/** The longest time for which a sent email counts toward a limit. */
export const maxEmailWindowMs = Math.max(
  ...Object.values(emailLimits).map(({ windowMs }) => windowMs),
)

/** Maximum length of an email address, in characters (RFC 5321, section 4.5.3.1). */
export const maxEmailLength = 254
