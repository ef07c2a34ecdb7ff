import {
  longestSignature,
  longestVersion,
  priceBounds,
  type TextSettingKey,
} from '../../shared/rules/admin-settings.ts'

export interface SettingTexts {
  label: string
  /** Where the value is seen, and its limits. */
  hint: string
  /** Spec §8: the title when the value could not be saved. */
  failure: string
  /** Returns the value inside a sentence; null for a value of several lines. */
  inSentence: (value: string) => string | null
}

/** What the Admin Center says about each setting of its section Settings. */
export const settingTexts: Readonly<Record<TextSettingKey, SettingTexts>> = {
  premium_price: {
    label: 'Premium price',
    hint: `$${priceBounds.least} to $${priceBounds.most} per month.`,
    failure: 'Failed to update premium price',
    inSentence: (value) => `$${value}`,
  },
  app_version: {
    label: 'App version',
    hint: `Shown in the footer. At most ${longestVersion} characters.`,
    failure: 'Failed to update app version',
    inSentence: (value) => value,
  },
  email_signature: {
    label: 'Email signature',
    hint: `Ends every letter and every mail that shares a link. At most ${longestSignature} characters.`,
    failure: 'Failed to update email signature',
    inSentence: () => null,
  },
}

/** Says that a value was saved, and what it was before: 'Saved. It was $8.' */
export function savedText(key: TextSettingKey, before: string): string {
  const shown = settingTexts[key].inSentence(before)
  return shown === null ? 'Saved.' : `Saved. It was ${shown}.`
}
