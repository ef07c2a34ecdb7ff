import { dayInMs, hourInMs, minuteInMs } from '../format/units.ts'

/** How long an idle upload occupies one of its owner's slots. */
export const slotTimeoutMs = 15 * minuteInMs

/* Retention periods stated in the privacy policy. */

/** Uploads are aborted after being idle for this long (design §4). */
export const idleUploadTimeoutMs = 24 * hourInMs

/** How long the server recognizes a browser that has signed in to an account. */
export const knownBrowserRetentionMs = 365 * dayInMs

/** Time limit for signing in on Google's page. */
export const googleSignInTimeoutMs = 10 * minuteInMs

/**
 * How long the browser keeps a file that a visitor dropped or a phone shared, until it is uploaded.
 * The limit exists because someone else may use the browser later.
 */
export const browserFileRetentionMs = 24 * hourInMs

/** How long the queue keeps an email after it was sent or given up. */
export const emailRetentionMs = 14 * dayInMs

export const feedbackRetentionMs = 365 * dayInMs

/** The longest rate limit window. A test compares it with `longestWindowMs`. */
export const maxRateWindowMs = hourInMs
