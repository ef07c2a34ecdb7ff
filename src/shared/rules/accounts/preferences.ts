import { defaultExpirationDays } from '../links/lifetime.ts'

/** A user's preferences in the File Manager. */
export interface Preferences {
  /**
   * The number of days preselected for new uploads. If the tier doesn't offer this number,
   * `selectedDays` picks another.
   */
  defaultExpirationDays: number
  /** Whether the user gets an email about the first download of each file. */
  mailOnFirstDownload: boolean
  /** Whether the user gets an email a day before a link expires. */
  mailBeforeExpiry: boolean
}

export const defaultPreferences: Preferences = {
  defaultExpirationDays,
  mailOnFirstDownload: false,
  mailBeforeExpiry: false,
}
