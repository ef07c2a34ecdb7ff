import { dayInMs, hourInMs, minuteInMs } from '../format/units.ts'

/** How long an idle upload takes a slot of its owner. */
export const slotHeldMs = 15 * minuteInMs

/* How long data is kept, as the privacy policy says. */

/** An upload that was idle for this long ends (design §4). */
export const idleUploadKeptMs = 24 * hourInMs

/** How long the server knows a browser that has signed in to an account. */
export const knownBrowserKeptMs = 365 * dayInMs

/** How long a person may take to sign in on Google's page. */
export const googleRequestKeptMs = 10 * minuteInMs

/**
 * How long a file that was dropped by a visitor, or shared with the installed application, waits in
 * the browser for its upload. Later, another person may be using the browser.
 */
export const browserFileKeptMs = 24 * hourInMs

/** How long the queue keeps a request for an email after it was sent or given up. */
export const mailRequestKeptMs = 14 * dayInMs

/** How long feedback is kept. */
export const feedbackKeptMs = 365 * dayInMs

/** The longest window of the rate limits. A test compares it with `longestWindowMs`. */
export const longestCountMs = hourInMs
