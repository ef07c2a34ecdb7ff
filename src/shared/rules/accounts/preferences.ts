import { defaultExpirationDays } from '../links/lifetime.ts'

/** A user's preferences. */
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
  /** Whether the user gets an email when a request has received files. */
  mailOnDelivery: boolean
}

export const defaultPreferences: Preferences = {
  defaultExpirationDays,
  mailOnFirstDownload: false,
  mailBeforeExpiry: false,
  mailOnDelivery: true,
}
