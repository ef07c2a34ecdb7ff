import { dayInMs, hourInMs, minuteInMs } from '../format/units.ts'

/**
 * How long an upload without activity still takes a slot of its owner, and the room on the disk
 * that was promised to it, in milliseconds. After that it blocks no other upload.
 */
export const slotHeldMs = 15 * minuteInMs

/*
 * How long the server keeps things that the privacy policy names, in milliseconds. The code that
 * removes these things and the privacy policy use the same constants, so they cannot differ. Only
 * `longestCountMs` is a second copy of a number, and a test compares it with the first.
 */

/** An upload that was idle for this long is removed with its bytes (design §4). */
export const idleUploadKeptMs = 24 * hourInMs

/** How long the server remembers that a browser has signed in to an account. */
export const knownBrowserKeptMs = 365 * dayInMs

/** How long a person may take to sign in on Google's page. */
export const googleRequestKeptMs = 10 * minuteInMs

/**
 * How long a file waits in the browser for its upload, after it was dropped on a page where nobody
 * was signed in, or was shared with the installed application. The next visit after this time
 * removes it, because another person may be using the browser by then.
 */
export const browserFileKeptMs = 24 * hourInMs

/** How long the server keeps a request for an email after it has sent or given up the email. */
export const mailRequestKeptMs = 14 * dayInMs

/** How long the server keeps feedback that the administrator has not deleted. */
export const feedbackKeptMs = 365 * dayInMs

/**
 * The rate limiter counts no attempt for longer than this. It must be equal to `longestWindowMs` in
 * `server/http/rate-limit.ts`.
 */
export const longestCountMs = hourInMs
