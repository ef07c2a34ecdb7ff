import { defaultExpirationDays } from '../links/lifetime.ts'

/** What a user has set in the File Manager. */
export interface Preferences {
  /**
   * After how many days a link expires: the page preselects this number for new uploads. If the
   * tier does not offer this number, `selectedDays` chooses another.
   */
  defaultExpirationDays: number
  /** True if the user gets an email about the first download of each file. */
  mailOnFirstDownload: boolean
  /** True if the user gets an email a day before a link expires. */
  mailBeforeExpiry: boolean
}

/** The preferences of a user who has set none. */
export const defaultPreferences: Preferences = {
  defaultExpirationDays,
  mailOnFirstDownload: false,
  mailBeforeExpiry: false,
}
