import type { FileKind } from './rules/files/file-kind.ts'
import { storageNames } from './rules/files/storage-name.ts'
import { type ReportChoice, reportChoiceNames } from './rules/links/report.ts'

/*
 * The build renders pages as templates, and the server fills them in for each response. The value
 * of a placeholder is plain text, either between tags or in a double-quoted attribute, unless noted
 * otherwise. A section is
 * included only if its condition is true.
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

/** Placeholders of a brand, on the pages of links and requests. */
const brandPlaceholders = [
  // The brand's name, or Mayfly if there is no brand name.
  'site',
  'brandName',
  'brandMessage',
  // A style sheet. It must come from `accentStyle` in page-brand.ts, because escaping isn't enough
  // to make other text safe inside <style>.
  'accentStyle',
  'logoPath',
  'logoWidth',
  'logoHeight',
  'logoAlt',
] as const

/**
 * Conditions of these pages. Exactly one of the first two is true: `branded` if the page shows the
 * owner's brand, otherwise `plain`.
 */
const brandConditions = ['branded', 'plain', 'brandName', 'brandMessage', 'accent', 'logo'] as const

export type BrandCondition = (typeof brandConditions)[number]

/** Placeholders of the download page. */
export const pagePlaceholders = [
  'origin',
  'code',
  // The heading: the link's name, or a text that reveals nothing about a locked link.
  'name',
  // What the link contains, such as '1.5 KB · PDF' or '3 files · 12 MB'.
  'summary',
  'message',
  // The total size of all files, such as '12 MB'.
  'size',
  // How much has been uploaded: as text, in bytes, and the total in bytes.
  'progress',
  'receivedBytes',
  'totalBytes',
  // The list of files, as HTML.
  'files',
  // The number of downloads left, such as '3 downloads left'.
  'remaining',
  // Why the password was rejected. May be empty.
  'error',
  'label',
  'tone',
  'until',
  'expiresAt',
  // The link's `createdAt` and `maxLifetimeAt` and the server's current time, in Unix milliseconds.
  'created',
  'max',
  'now',
  'livedWidth',
  'validX',
  'validWidth',
  'renewableX',
  'renewableWidth',
  'sha256',
  // The brand's message followed by ' · ', or an empty string. Link previews start with it.
  'lead',
  ...brandPlaceholders,
] as const

export type PagePlaceholder = (typeof pagePlaceholders)[number]

/** Conditions of the download page. Each kind of file is a condition too. */
export const pageConditions = [
  // Exactly one of these is true: `single` for a link with one file, `list` for one with several,
  // `locked` for one that needs a password first.
  ...(['single', 'list', 'locked'] as const),
  // Unless the link is locked, exactly one of these is true: `complete` if everything can be
  // downloaded.
  ...(['complete', 'uploading'] as const),
  // False if the link is locked.
  'unlocked',
  // False until the first file is there, because the time until the expiry starts then.
  'hasExpiry',
  'message',
  'limited',
  // True if the name is so long that it needs a smaller font.
  'longName',
  'sha256',
  ...brandConditions,
] as const

export type PageCondition = FileKind | (typeof pageConditions)[number]

/** Placeholders of a file in the download page's list. */
export const filePlaceholders = ['code', 'id', 'name', 'detail'] as const

export type FilePlaceholder = (typeof filePlaceholders)[number]

/** Conditions of a file in that list. Exactly one is true. */
export const fileConditions = ['ready', 'uploading'] as const

export type FileCondition = (typeof fileConditions)[number]

/** Placeholders of a request's page. */
export const requestPlaceholders = [
  'origin',
  'code',
  // The heading: the request's title, or a text that reveals nothing about a locked request.
  'title',
  // The name of the user who asks for files.
  'requester',
  'message',
  // The largest file, such as '500MB', and in bytes.
  'limits',
  'maxFileSize',
  // How many files a delivery can have.
  'maxFiles',
  // When the request closes, as text and as ISO 8601.
  'until',
  'closesAt',
  ...brandPlaceholders,
] as const

export type RequestPlaceholder = (typeof requestPlaceholders)[number]

/** Conditions of a request's page. */
export const requestConditions = [
  // Exactly one of these two is true.
  ...(['locked', 'unlocked'] as const),
  // True if the request can't take files right now.
  'full',
  'message',
  ...brandConditions,
] as const

export type RequestCondition = (typeof requestConditions)[number]

/** Placeholders of the report page. */
export const reportPlaceholders = ['code', 'name', 'words', 'email', 'error'] as const

export type ReportPlaceholder = (typeof reportPlaceholders)[number]

/** Conditions of the report page: the selected choice, and the parts of the page to show. */
export const reportConditions = [...reportChoiceNames, 'error', 'form', 'sent'] as const

export type ReportCondition = ReportChoice | (typeof reportConditions)[number]

/** Placeholders of the page that stops links by email: the server's name. */
export const optOutPlaceholders = ['host'] as const

export type OptOutPlaceholder = (typeof optOutPlaceholders)[number]

/** Conditions of that page. Exactly one is true. */
export const optOutConditions = ['form', 'done', 'invalid'] as const

export type OptOutCondition = (typeof optOutConditions)[number]

/**
 * Placeholders of the public pages. Unless noted otherwise, text starts with a lower-case letter.
 */
export const publicPlaceholders = [
  'origin',
  'version',
  // The price per month, such as '$8' or '$9.50'.
  'price',
  'supportEmail',
  'privacyEmail',
  // The file limit of each tier, such as '3 files' or 'unlimited files'. Placeholders whose names
  // end in `First` start with a capital letter, for use at the start of a sentence.
  'freeFiles',
  'premiumFiles',
  'freeFilesFirst',
  'premiumFilesFirst',
  // The file limit as in '3 files at a time', or 'unlimited files' if there is none.
  'freeFilesAtOnce',
  'freeFilesAtOnceFirst',
  // The maximum file size of each tier, such as '500MB'.
  'freeFileSize',
  'premiumFileSize',
  // The days that each tier offers, such as '3 days' or '3, 5 or 7 days'.
  'freeDays',
  'premiumDays',
  // The maximum lifetime of a file in any tier, with its unit ('30 days') and as a number ('30').
  'maxLifetime',
  'maxLifetimeDays',
  // The limits of Premium, such as 'unlimited files, 1GB each, for 3, 5 or 7 days'.
  'premiumLimits',
  // The length of the trial, such as '30 days'.
  'trial',
  // The maximum file size of any tier, in bytes.
  'largestFileBytes',
  // Who can receive files through requests and send links by email, as sentences. Empty if nobody.
  'featuresNote',
  // The domains whose email addresses may sign up, such as 'example.org or example.com'. Empty if
  // signup isn't limited to domains.
  'signupDomains',
  // The host of the object storage. Empty if there is none.
  'storageHost',
  // Error messages for a free user who has reached a limit.
  'TIER_FILE_COUNT',
  'TIER_FILE_SIZE',
  'TIER_EXPIRATION',
  // Why the server rejected a form or couldn't show a page.
  'error',
] as const

export type PublicPlaceholder = (typeof publicPlaceholders)[number]

/** The signed-in hint cookie determines which of these is true. */
export const browserConditions = ['visitor', 'signedIn'] as const

export type BrowserCondition = (typeof browserConditions)[number]

/** Conditions derived from the server's settings. In each group, exactly one is true. */
export const serverConditions = [
  ...(['https', 'http'] as const),
  // Where new files are stored.
  ...storageNames,
  // Whether emails are sent or only written to the outbox folder.
  ...(['smtp', 'outbox'] as const),
  // Whether the support and privacy addresses receive email. If not, pages link to the feedback
  // form instead.
  ...(['supportMail', 'supportForm'] as const),
  ...(['privacyMail', 'privacyForm'] as const),
  ...(['signupOpen', 'signupDomains', 'signupClosed'] as const),
  // Each of these two can be true or false, independently of the other.
  'google',
  'verification',
] as const

export type ServerCondition = (typeof serverConditions)[number]

export const publicConditions = [...browserConditions, ...serverConditions] as const

export type PublicCondition = (typeof publicConditions)[number]
