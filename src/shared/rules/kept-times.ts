import { dayInMs, hourInMs } from './lifetime.ts'

/*
 * How long the product keeps what the privacy policy names, in milliseconds. The code that removes
 * these things and the page that tells people about them use the same numbers.
 */

/** Design §5: an upload that was idle for this long is removed with its bytes. */
export const idleUploadKeptMs = 24 * hourInMs

/** How long a browser stays known to the account that it signed in to. */
export const knownBrowserKeptMs = 365 * dayInMs

/** How long a person may take at Google to sign in. */
export const googleRequestKeptMs = 10 * 60 * 1000

/** How long the request for a mail is kept after the mail was sent or refused. */
export const mailRequestKeptMs = 14 * dayInMs

/** No attempt is counted for longer than this: see `server/http/rate-limit.ts`. */
export const longestCountMs = hourInMs
