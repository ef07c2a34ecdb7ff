import { dayInMs, hourInMs, minuteInMs } from '../format/units.ts'

/** How long an idle upload keeps its slot. */
export const slotTimeoutMs = 15 * minuteInMs

/* The privacy policy states these retention periods. */

/** Idle uploads are aborted after this long (design §4). */
export const idleUploadTimeoutMs = 24 * hourInMs

/** How long the server recognizes a browser after it was used to sign in to an account. */
export const knownBrowserRetentionMs = 365 * dayInMs

/** Time limit for signing in on Google's page. */
export const googleSignInTimeoutMs = 10 * minuteInMs

/**
 * How long the browser keeps a file that was dropped on the page by a visitor or shared by a phone,
 * but isn't uploaded yet. The time is limited because someone else may use the browser later.
 */
export const browserFileRetentionMs = 24 * hourInMs

/** How long the queue keeps an email after sending it or giving up. */
export const emailRetentionMs = 14 * dayInMs

export const feedbackRetentionMs = 365 * dayInMs

/** The longest time window of any rate limit. A test compares it with `longestWindowMs`. */
export const maxRateWindowMs = hourInMs
