import {
  longestSignature,
  longestVersion,
  priceBounds,
  type SettingKey,
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

/** What the Admin Center says about each setting of its section Settings, in the order there. */
export const settingTexts = {
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
} as const satisfies Partial<Record<SettingKey, SettingTexts>>

/** A setting of the section Settings. */
export type ShownSetting = keyof typeof settingTexts

export const shownSettings = Object.keys(settingTexts) as ShownSetting[]

/** Says that a value was saved, and what it was before: 'Saved. It was $8.' */
export function savedText(key: ShownSetting, before: string): string {
  const { inSentence }: SettingTexts = settingTexts[key]
  const shown = inSentence(before)
  return shown === null ? 'Saved.' : `Saved. It was ${shown}.`
}
