import { defaultExpirationDays } from './lifetime.ts'

/** What a user has set in the File Manager. */
export interface Preferences {
  /**
   * The expiration days that the page preselects for new uploads, if the tier offers them
   * (`selectedDays`).
   */
  defaultExpirationDays: number
  /** True if the user gets a mail about the first download of each file. */
  mailOnFirstDownload: boolean
  /** True if the user gets a mail a day before a link expires. */
  mailBeforeExpiry: boolean
}

/** The preferences of a user who has set none. */
export const defaultPreferences: Preferences = {
  defaultExpirationDays,
  mailOnFirstDownload: false,
  mailBeforeExpiry: false,
}
