import type { FileKind } from './rules/files/file-kind.ts'
import { storageNames } from './rules/files/storage-name.ts'
import { type ReportChoice, reportChoiceNames } from './rules/links/report.ts'

/*
 * The build renders pages as templates, which the server fills in for each response. Placeholders
 * become plain text, between tags or in a double-quoted attribute. A section is included only if
 * its condition is true.
 */

/** Returns the template syntax for a placeholder. */
export function placeholder(name: string): string {
  return `{{${name}}}`
}

/**
 * Returns the template syntax for the start of a section. A condition can have several sections.
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
  // `createdAt` and `maxLifetimeAt` of the file and the server time, in Unix milliseconds.
  'created',
  'max',
  'now',
  'livedWidth',
  'validX',
  'validWidth',
  'renewableX',
  'renewableWidth',
  'sha256',
  // The name of the brand, or Mayfly.
  'site',
  // The brand's message ending with a period, or empty. Link previews begin with it.
  'lead',
  'brandName',
  'brandMessage',
  // A style sheet. Must come from `accentStyle` in page-template.ts: escaping doesn't make other
  // text safe inside <style>.
  'accentStyle',
  'logoPath',
  'logoWidth',
  'logoHeight',
  'logoAlt',
] as const

export type PagePlaceholder = (typeof pagePlaceholders)[number]

/** Conditions of the download page, in addition to the kinds of files. */
export const pageConditions = [
  // The name is so long that it needs a smaller font.
  'longName',
  'sha256',
  // Exactly one is true: the page has the owner's brand, or not.
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

/** Conditions of the report page: the selected choice, and the parts to show. */
export const reportConditions = [...reportChoiceNames, 'error', 'form', 'sent'] as const

export type ReportCondition = ReportChoice | (typeof reportConditions)[number]

/** Placeholders of the public pages. Texts begin with a lower-case letter. */
export const publicPlaceholders = [
  'origin',
  'version',
  // Per month: '$8', '$9.50'.
  'price',
  'supportEmail',
  'privacyEmail',
  // '3 files', '1 file', 'unlimited files'. Those with `First` begin a sentence.
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
  // The longest life of a file in any tier: '30 days' and '30'.
  'maxLifetime',
  'maxLifetimeDays',
  // '30 days'.
  'trial',
  // Maximum file size of any tier, in bytes.
  'largestFileBytes',
  // Positions on a bar that represents the longest life of a file: where the longest links of both
  // tiers end, and the distance between them, in percent.
  'freeEnd',
  'premiumEnd',
  'premiumSpan',
  // Labels at these positions: '3', '7 days'. The first is empty if both are the same.
  'freeMark',
  'premiumMark',
  // 'example.org or example.com', or empty.
  'signupDomains',
  // The host of the object storage, or empty.
  'storageHost',
  // Errors for a free user who has reached a limit.
  'TIER_FILE_COUNT',
  'TIER_FILE_SIZE',
  'TIER_EXPIRATION',
  // Why the server rejected a form or couldn't show a page.
  'error',
] as const

export type PublicPlaceholder = (typeof publicPlaceholders)[number]

/** Depend on whether the browser has the sign-in hint cookie. */
export const browserConditions = ['visitor', 'signedIn'] as const

export type BrowserCondition = (typeof browserConditions)[number]

/** Conditions derived from the server's settings. Exactly one of each group is true. */
export const serverConditions = [
  ...(['https', 'http'] as const),
  // Where new files are stored.
  ...storageNames,
  // Whether emails are sent or only written to a folder.
  ...(['smtp', 'outbox'] as const),
  // Whether these addresses can receive email. If not, pages link to the feedback form.
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
