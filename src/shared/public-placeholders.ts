import { storageNames } from './rules/files/storage-name.ts'
import { placeholderMark, sectionEnd, sectionStart } from './template-marks.ts'

/**
 * The places in the public pages that the server fills with plain text. Each is between tags or in
 * a double-quoted attribute. Every number that the administrator can change is a placeholder, so no
 * template contains such a number itself.
 */
export const publicPlaceholders = [
  /** The public origin of this server. */
  'origin',
  /** The version text from the settings. Example: 'v0.9.10'. */
  'version',
  /** The price of Premium a month in dollars. Examples: '$8', '$9.50'. */
  'price',
  'supportEmail',
  'privacyEmail',
  /**
   * How many files a user of the tier may have at once. Examples: '3 files', '1 file', 'unlimited
   * files'.
   */
  'freeFiles',
  'premiumFiles',
  /**
   * The texts of `freeFiles` and `premiumFiles` with a capital letter, for the beginning of a
   * sentence. Example: 'Unlimited files'.
   */
  'freeFilesFirst',
  'premiumFilesFirst',
  /**
   * The number of files that a free user may have at once, for use within a sentence and for its
   * beginning. Examples: '3 files at a time', 'Unlimited files'.
   */
  'freeFilesAtOnce',
  'freeFilesAtOnceFirst',
  /** The size of the largest file that a user of the tier may upload. Example: '500MB'. */
  'freeFileSize',
  'premiumFileSize',
  /** The days that users of a tier can choose. Examples: '3 days', '3, 5 or 7 days'. */
  'freeDays',
  'premiumDays',
  /**
   * The longest life of a file in any tier, with and without its unit. Examples: '30 days', '30'.
   */
  'maxLifetime',
  'maxLifetimeDays',
  /** How long the trial of Premium lasts. Example: '30 days'. */
  'trial',
  /** The size of the largest file in any tier, in bytes. Example: '1073741824'. */
  'largestFileBytes',
  /**
   * A bar on the page shows the longest life of a file. These placeholders say where on the bar the
   * longest link of each tier ends, in percent of the bar.
   */
  'freeEnd',
  'premiumEnd',
  /** The length of the bar between these two ends, in percent of the bar. */
  'premiumSpan',
  /**
   * The labels of these two ends. Examples: '3' and '7 days'. The first is empty if both ends are
   * the same.
   */
  'freeMark',
  'premiumMark',
  /**
   * The mail domains that may sign up, if `SIGNUP` names any; otherwise empty. Example:
   * 'example.org or example.com'.
   */
  'signupDomains',
  /** The host name of the object storage. Empty if the files are on the server's disk. */
  'storageHost',
  /** The error texts for a free user who has reached a limit. Each names the limit. */
  'TIER_FILE_COUNT',
  'TIER_FILE_SIZE',
  'TIER_EXPIRATION',
  /**
   * Why the server refused a form that a browser sent without scripts, or why it could not show a
   * page. Empty on all other pages.
   */
  'fault',
] as const

export type PublicPlaceholder = (typeof publicPlaceholders)[number]

/** Returns the mark that stands for a placeholder in the template. */
export function publicPlaceholder(name: PublicPlaceholder): string {
  return placeholderMark(name)
}

/**
 * `signedIn`: the browser has the cookie which hints that somebody is signed in. `visitor`: the
 * browser lacks this cookie.
 */
export const browserConditions = ['visitor', 'signedIn'] as const

export type BrowserCondition = (typeof browserConditions)[number]

/**
 * The conditions that depend on the server's settings. In each group that begins with `...`,
 * exactly one condition is true.
 * - `https`, `http`: how browsers reach this server.
 * - `disk`, `s3` (`storageNames`): where new files are kept.
 * - `smtp`: mail is sent. `outbox`: each email only becomes a file on the server.
 * - `supportMail`: mail reaches the support address. `supportForm`: it does not, so pages lead to
 *   the feedback form.
 * - `privacyMail`, `privacyForm`: the same for the address for questions about personal data.
 * - `signupOpen`: anybody may sign up. `signupDomains`: only people whose addresses are of some
 *   domains. `signupClosed`: nobody.
 * - `google`: people can sign in with Google.
 * - `verification`: people must verify their mail addresses.
 */
export const serverConditions = [
  ...(['https', 'http'] as const),
  ...storageNames,
  ...(['smtp', 'outbox'] as const),
  ...(['supportMail', 'supportForm'] as const),
  ...(['privacyMail', 'privacyForm'] as const),
  ...(['signupOpen', 'signupDomains', 'signupClosed'] as const),
  'google',
  'verification',
] as const

export type ServerCondition = (typeof serverConditions)[number]

export const publicConditions = [...browserConditions, ...serverConditions] as const

export type PublicCondition = (typeof publicConditions)[number]

/**
 * Returns the marks around a section of the template. Only pages that meet the condition show the
 * section.
 */
export function publicSection(condition: PublicCondition): { start: string; end: string } {
  return { start: sectionStart(condition), end: sectionEnd(condition) }
}
