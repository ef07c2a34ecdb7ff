import { defaultExpirationDays, type ExpirationDays } from './lifetime.ts'

/** What a user has set for the own files, in the File Manager. */
export interface Preferences {
  /** The days that the page offers first for new uploads. */
  defaultExpirationDays: ExpirationDays
  /** Whether a letter tells of the first download of each file. */
  mailOnFirstDownload: boolean
  /** Whether a letter comes a day before a link expires. */
  mailBeforeExpiry: boolean
}

/** The preferences of a user who has set none. */
export const defaultPreferences: Preferences = {
  defaultExpirationDays,
  mailOnFirstDownload: false,
  mailBeforeExpiry: false,
}
