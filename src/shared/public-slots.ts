import { sectionEnd, sectionStart, slotMark } from './template-marks.ts'

/**
 * The gaps in the public pages that the server fills. They get plain text, between tags or in a
 * double-quoted attribute. Every number that the administrator can change is one of them, so no page
 * names such a number itself.
 */
export const publicSlots = [
  /** The public origin of this server. */
  'origin',
  /** The version text of the setting: 'v0.9.10'. */
  'version',
  /** The price of Premium a month, without the dollar sign: '8'. */
  'price',
  'supportEmail',
  'privacyEmail',
  /** How many files a tier may have at once: '3 files', '1 file', 'unlimited files'. */
  'freeFiles',
  'premiumFiles',
  /** The same as the beginning of a sentence: 'Unlimited files'. */
  'freeFilesFirst',
  'premiumFilesFirst',
  /** '3 files at a time', and 'unlimited files' where there is no limit; also as a beginning. */
  'freeFilesAtOnce',
  'freeFilesAtOnceFirst',
  /** The largest file of a tier: '500MB'. */
  'freeFileSize',
  'premiumFileSize',
  /** The days that a tier may choose from: '3 days', '3, 5 or 7 days'. */
  'freeDays',
  'premiumDays',
  /** The longest life of any file, with and without its unit: '30 days', '30'. */
  'maxLifetime',
  'maxLifetimeDays',
  /** How long the trial of Premium lasts: '30 days'. */
  'trial',
  /** The largest file of any tier, in bytes. */
  'largestFileBytes',
  /**
   * The end of the longest link of each tier on a bar that is as long as the longest life, in
   * percent of the bar.
   */
  'freeEnd',
  'premiumEnd',
  /** The part of the bar between the two ends, in percent. */
  'premiumSpan',
  /** What stands at these ends: '3' and '7 days'. The first is empty if both are the same. */
  'freeMark',
  'premiumMark',
  /** The domains whose addresses can sign up: 'example.org or example.com'. Empty without `SIGNUP`. */
  'signupDomains',
  /** The name of the host that keeps the files. Empty where they are on the disk. */
  'storageHost',
  /** The sentences of the errors about a limit of a free account, which name the limit. */
  'TIER_FILE_COUNT',
  'TIER_FILE_SIZE',
  'TIER_EXPIRATION',
  /** Why a form that was sent without scripts was refused. Empty on all other pages. */
  'fault',
] as const

export type PublicSlot = (typeof publicSlots)[number]

/** Returns the mark of a slot in the template. */
export function publicSlot(name: PublicSlot): string {
  return slotMark(name)
}

/** `visitor`: the browser has no hint that somebody is signed in. `signedIn`: it has one. */
export const browserConditions = ['visitor', 'signedIn'] as const

export type BrowserCondition = (typeof browserConditions)[number]

/**
 * What the settings of the server say. Exactly one of each line is true, except for `google` (people
 * can sign in with it) and `verification` (addresses must be verified).
 */
export const serverConditions = [
  ...(['https', 'http'] as const),
  ...(['disk', 'bucket'] as const),
  ...(['smtp', 'outbox'] as const),
  ...(['signupOpen', 'signupDomains', 'signupClosed'] as const),
  'google',
  'verification',
] as const

export type ServerCondition = (typeof serverConditions)[number]

export const publicConditions = [...browserConditions, ...serverConditions] as const

export type PublicCondition = (typeof publicConditions)[number]

/** Returns the marks around a section that only pages in this condition show. */
export function publicSection(condition: PublicCondition): { start: string; end: string } {
  return { start: sectionStart(condition), end: sectionEnd(condition) }
}
