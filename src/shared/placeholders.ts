import type { FileKind } from './rules/files/file-kind.ts'
import { storageNames } from './rules/files/storage-name.ts'
import { type ReportChoice, reportChoiceNames } from './rules/links/report.ts'

/*
 * The build renders pages as templates, and the server fills them in for each answer. A placeholder
 * becomes plain text: it stands between tags or in a double-quoted attribute. A section is shown
 * only if its condition is true.
 */

/** Returns the mark of a placeholder in a template. */
export function placeholder(name: string): string {
  return `{{${name}}}`
}

/** Returns the mark at the start of a section. A condition can have several sections. */
export function sectionStart(condition: string): string {
  return `{{#${condition}}}`
}

/** Returns the mark at the end of a section. */
export function sectionEnd(condition: string): string {
  return `{{/${condition}}}`
}

/** The placeholders of the download page. */
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
  // `createdAt` and `maxLifetimeAt` of the file, and the server's time, in milliseconds since 1970.
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
  // The message of the brand with a full stop, or empty. Link previews begin with it.
  'lead',
  'brandName',
  'brandMessage',
  // A style sheet. Only `accentStyle` in page-template.ts writes it: escaping doesn't make other
  // texts safe inside <style>.
  'accentStyle',
  'logoPath',
  'logoWidth',
  'logoHeight',
  'logoAlt',
] as const

export type PagePlaceholder = (typeof pagePlaceholders)[number]

/** The conditions of the download page, besides the kind of file. */
export const pageConditions = [
  // The name is so long that it is shown smaller.
  'longName',
  'sha256',
  // The page shows the owner's brand, or none.
  'branded',
  'plain',
  'brandName',
  'brandMessage',
  'accent',
  'logo',
] as const

export type PageCondition = FileKind | (typeof pageConditions)[number]

/** The placeholders of the page that reports a file. */
export const reportPlaceholders = ['code', 'name', 'words', 'email', 'error'] as const

export type ReportPlaceholder = (typeof reportPlaceholders)[number]

/** The conditions of the page that reports a file: the choice that was made, and what it shows. */
export const reportConditions = [...reportChoiceNames, 'error', 'form', 'sent'] as const

export type ReportCondition = ReportChoice | (typeof reportConditions)[number]

/** The placeholders of the public pages. Texts begin with a lower-case letter. */
export const publicPlaceholders = [
  'origin',
  'version',
  // Per month: '$8', '$9.50'.
  'price',
  'supportEmail',
  'privacyEmail',
  // '3 files', '1 file', 'unlimited files'; with `First`, for the start of a sentence.
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
  // The longest life of a file in any tier: '30 days', and '30'.
  'maxLifetime',
  'maxLifetimeDays',
  // '30 days'.
  'trial',
  // The size of the largest file in any tier, in bytes.
  'largestFileBytes',
  // On a bar that is as long as the longest life of a file: where the longest links of both tiers
  // end, and the distance between these ends, in percent.
  'freeEnd',
  'premiumEnd',
  'premiumSpan',
  // The labels of these ends: '3', '7 days'. The first is empty if both are the same.
  'freeMark',
  'premiumMark',
  // 'example.org or example.com', or empty.
  'signupDomains',
  // The host of the object storage, or empty.
  'storageHost',
  // The errors of a free user who has reached a limit.
  'TIER_FILE_COUNT',
  'TIER_FILE_SIZE',
  'TIER_EXPIRATION',
  // Why the server refused a form or could not show a page.
  'error',
] as const

export type PublicPlaceholder = (typeof publicPlaceholders)[number]

/** Whether the browser has the cookie that hints at a session. */
export const browserConditions = ['visitor', 'signedIn'] as const

export type BrowserCondition = (typeof browserConditions)[number]

/** The conditions that follow from the server's settings. Of each group, exactly one is true. */
export const serverConditions = [
  ...(['https', 'http'] as const),
  // Where new files are stored.
  ...storageNames,
  // Whether emails are sent, or only written to a folder.
  ...(['smtp', 'outbox'] as const),
  // Whether email reaches these addresses. Otherwise pages point to the feedback form.
  ...(['supportMail', 'supportForm'] as const),
  ...(['privacyMail', 'privacyForm'] as const),
  ...(['signupOpen', 'signupDomains', 'signupClosed'] as const),
  // These two are each true or false.
  'google',
  'verification',
] as const

export type ServerCondition = (typeof serverConditions)[number]

export const publicConditions = [...browserConditions, ...serverConditions] as const

export type PublicCondition = (typeof publicConditions)[number]
