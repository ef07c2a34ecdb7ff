import type { FileKind } from './rules/files/file-kind.ts'
import { storageNames } from './rules/files/storage-name.ts'
import { type ReportChoice, reportChoiceNames } from './rules/links/report.ts'

/*
 * The build renders pages as templates. The server fills them in for each response. Placeholders
 * become plain text between tags or in a double-quoted attribute. A section is included only if its
 * condition is true.
 */

/** Returns the template syntax for a placeholder. */
export function placeholder(name: string): string {
  return `{{${name}}}`
}

/**
 * Returns the template syntax for the start of a section. Several sections can have the same
 * condition.
 */
export function sectionStart(condition: string): string {
  return `{{#${condition}}}`
}

/** Returns the template syntax for the end of a section. */
export function sectionEnd(condition: string): string {
  return `{{/${condition}}}`
}

/** Placeholders of the download page. */
export const pagePlaceholders = [
  'origin',
  'code',
  'name',
  'size',
  'kind',
  'label',
  'tone',
  'until',
  'expiresAt',
  // `createdAt` and `maxLifetimeAt` of the file and the server's current time, in Unix
  // milliseconds.
  'created',
  'max',
  'now',
  'livedWidth',
  'validX',
  'validWidth',
  'renewableX',
  'renewableWidth',
  'sha256',
  // The name of the brand, or Mayfly if there is none.
  'site',
  // The brand's message, ending with a period, or empty. Link previews begin with it.
  'lead',
  'brandName',
  'brandMessage',
  // A style sheet. It must come from `accentStyle` in page-template.ts, because escaping doesn't
  // make other text safe inside <style>.
  'accentStyle',
  'logoPath',
  'logoWidth',
  'logoHeight',
  'logoAlt',
] as const

export type PagePlaceholder = (typeof pagePlaceholders)[number]

/** Conditions of the download page, in addition to one per kind of file. */
export const pageConditions = [
  // True if the name is so long that it needs a smaller font.
  'longName',
  'sha256',
  // `branded` if the page has the owner's brand, otherwise `plain`.
  'branded',
  'plain',
  'brandName',
  'brandMessage',
  'accent',
  'logo',
] as const

export type PageCondition = FileKind | (typeof pageConditions)[number]

/** Placeholders of the report page. */
export const reportPlaceholders = ['code', 'name', 'words', 'email', 'error'] as const

export type ReportPlaceholder = (typeof reportPlaceholders)[number]

/** Conditions of the report page: the selected choice and the visible parts. */
export const reportConditions = [...reportChoiceNames, 'error', 'form', 'sent'] as const

export type ReportCondition = ReportChoice | (typeof reportConditions)[number]

/** Placeholders of the public pages. Their values begin with a lower-case letter unless noted. */
export const publicPlaceholders = [
  'origin',
  'version',
  // The price per month: '$8', '$9.50'.
  'price',
  'supportEmail',
  'privacyEmail',
  // '3 files', '1 file', 'unlimited files'. Placeholders ending in `First` have a capital letter,
  // to begin a sentence.
  'freeFiles',
  'premiumFiles',
  'freeFilesFirst',
  'premiumFilesFirst',
  // '3 files at a time', 'unlimited files'.
  'freeFilesAtOnce',
  'freeFilesAtOnceFirst',
  // '500MB'.
  'freeFileSize',
  'premiumFileSize',
  // '3 days', '3, 5 or 7 days'.
  'freeDays',
  'premiumDays',
  // The maximum lifetime of a file in any tier, as '30 days' and '30'.
  'maxLifetime',
  'maxLifetimeDays',
  // '30 days'.
  'trial',
  // Maximum file size of any tier, in bytes.
  'largestFileBytes',
  // Positions in percent on a bar that represents a file's maximum lifetime: the end of the longest
  // link in each tier, and the distance between the two.
  'freeEnd',
  'premiumEnd',
  'premiumSpan',
  // The days at `freeEnd` and `premiumEnd`: '3', '7 days'. The first is empty if both are at the
  // same position.
  'freeMark',
  'premiumMark',
  // 'example.org or example.com', or empty.
  'signupDomains',
  // The host of the object storage, or empty.
  'storageHost',
  // Error messages for a free user who has reached a limit.
  'TIER_FILE_COUNT',
  'TIER_FILE_SIZE',
  'TIER_EXPIRATION',
  // Why the server rejected a form or couldn't show a page.
  'error',
] as const

export type PublicPlaceholder = (typeof publicPlaceholders)[number]

/** Conditions that depend on the sign-in hint cookie. */
export const browserConditions = ['visitor', 'signedIn'] as const

export type BrowserCondition = (typeof browserConditions)[number]

/** Conditions derived from the server's settings. In each group, exactly one is true. */
export const serverConditions = [
  ...(['https', 'http'] as const),
  // Where new files are stored.
  ...storageNames,
  // Whether emails are sent or only written to the outbox folder.
  ...(['smtp', 'outbox'] as const),
  // Whether these addresses receive email. Pages link to the feedback form if they don't.
  ...(['supportMail', 'supportForm'] as const),
  ...(['privacyMail', 'privacyForm'] as const),
  ...(['signupOpen', 'signupDomains', 'signupClosed'] as const),
  // These two are independent of each other.
  'google',
  'verification',
] as const

export type ServerCondition = (typeof serverConditions)[number]

export const publicConditions = [...browserConditions, ...serverConditions] as const

export type PublicCondition = (typeof publicConditions)[number]
