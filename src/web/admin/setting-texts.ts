import { counted, priceText } from '../../shared/rules/format/numbers.ts'
import {
  longestSignature,
  longestVersion,
  priceBounds,
  type TextSettingKey,
} from '../../shared/rules/tiers/admin-settings.ts'

interface SettingTexts {
  label: string
  /** Says where people see the value, and which bounds it has. */
  hint: string
  /** The title of the message when the value could not be saved. */
  failure: string
  /** Returns the value as part of a sentence. Returns null if the value has several lines. */
  inSentence: (value: string) => string | null
}

/** The texts about each setting in the section "Settings" of the Admin Center. */
export const settingTexts: Readonly<Record<TextSettingKey, SettingTexts>> = {
  premium_price: {
    label: 'Premium price',
    hint: `${priceText(priceBounds.least)} to ${priceText(priceBounds.most)} per month.`,
    failure: 'Failed to update premium price',
    inSentence: priceText,
  },
  app_version: {
    label: 'App version',
    hint: `Shown in the footer. At most ${longestVersion} characters.`,
    failure: 'Failed to update app version',
    inSentence: (value) => value,
  },
  email_signature: {
    label: 'Email signature',
    hint: `Ends every email of this server, and those that share a link. At most ${longestSignature} characters.`,
    failure: 'Failed to update email signature',
    inSentence: () => null,
  },
}

/**
 * Says that a value was saved, and what it was before. Example: 'Saved. It was $8.' Of a value with
 * several lines it says how long it is now. Example: 'Saved: 3 lines, 71 characters.'
 */
export function savedText(key: TextSettingKey, before: string, stored: string): string {
  const shown = settingTexts[key].inSentence(before)
  if (shown !== null) return `Saved. It was ${shown}.`
  const lines = counted(stored.split('\n').length, 'line')
  return `Saved: ${lines}, ${counted(stored.length, 'character')}.`
}
