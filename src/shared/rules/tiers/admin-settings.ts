import {
  type CapKey,
  capKeys,
  checkCap,
  defaultCap,
  formatCapSettings,
} from '../files/storage-cap.ts'
import {
  checkLimit,
  formatLimitSettings,
  type LimitKey,
  limitKeys,
  parseLimitKey,
  parseLimitSettings,
} from './limit-settings.ts'
import { defaultLimits } from './tier-limits.ts'

/** The settings in spec §3 that are neither limits nor caps. */
export const textSettingKeys = ['premium_price', 'app_version', 'email_signature'] as const
export type TextSettingKey = (typeof textSettingKeys)[number]

/** Settings with fixed choices. The first one is the default. */
export const choiceSettings = {
  /** Who can create requests. */
  requests: ['on', 'premium', 'off'],
  /** Whether users can send links by email through this server. */
  send_by_email: ['on', 'off'],
} as const
export type ChoiceSettingKey = keyof typeof choiceSettings

export const choiceSettingKeys = Object.keys(choiceSettings) as ChoiceSettingKey[]

export type SettingKey = TextSettingKey | ChoiceSettingKey | LimitKey | CapKey

/** All settings that the administrator can change. */
export const settingKeys: readonly SettingKey[] = [
  ...textSettingKeys,
  ...choiceSettingKeys,
  ...limitKeys,
  ...capKeys,
]

/** The value of every setting, as stored. */
export type SettingValues = Readonly<
  Record<Exclude<SettingKey, ChoiceSettingKey>, string> & {
    [Key in ChoiceSettingKey]: (typeof choiceSettings)[Key][number]
  }
>

/** Default price of Premium, in dollars per month (spec §9). */
export const defaultPremiumPrice = 8

/** Lowest and highest price of Premium, in dollars per month. */
export const priceBounds = { min: 1, max: 99 } as const

/** Maximum length of the version, in characters. */
export const maxVersionLength = 40
export const maxSignatureLength = 500

/** Either the value to store or an error message. */
export type SettingVerdict = { ok: true; value: string } | { ok: false; error: string }

/**
 * Validates a new value of a setting (spec §9). Returns the value to store, or an error message
 * that states the allowed values.
 * @param current all settings before the change, because limits depend on one another.
 */
export function checkSetting(
  key: SettingKey,
  text: string,
  current: Readonly<Record<LimitKey, string>>,
): SettingVerdict {
  switch (key) {
    case 'premium_price':
    case 'app_version':
    case 'email_signature':
      return checkTextSetting(key, text)
    case 'requests':
    case 'send_by_email':
      return checkChoice(choiceSettings[key], text.trim().toLowerCase())
    case 'storage_cap':
    case 'free_space':
      return checkCap(key, text)
    default:
      return checkLimit(parseLimitKey(key), text, parseLimitSettings(current))
  }
}

/** Validates a new value of a text setting. Unlike a limit, it depends on no other setting. */
export function checkTextSetting(key: TextSettingKey, text: string): SettingVerdict {
  switch (key) {
    case 'premium_price':
      return checkPrice(text.trim())
    case 'app_version':
      return checkVersion(text.trim())
    case 'email_signature':
      return checkSignature(text.replaceAll(/\r\n?/g, '\n').trim())
  }
}

function checkChoice(choices: readonly string[], text: string): SettingVerdict {
  return choices.includes(text)
    ? { ok: true, value: text }
    : { ok: false, error: `The value must be one of: ${choices.join(', ')}.` }
}

function checkPrice(text: string): SettingVerdict {
  const { min, max } = priceBounds
  const price = Number(text)
  const isValid = /^\d{1,2}(\.\d{1,2})?$/.test(text) && price >= min && price <= max
  return isValid
    ? { ok: true, value: String(price) }
    : { ok: false, error: `The price must be a number from ${min} to ${max}, in whole cents.` }
}

function checkVersion(text: string): SettingVerdict {
  const isValid = text !== '' && text.length <= maxVersionLength && !/[\p{Cc}\p{Cf}]/u.test(text)
  return isValid
    ? { ok: true, value: text }
    : { ok: false, error: `The version must be one line of 1 to ${maxVersionLength} characters.` }
}

function checkSignature(text: string): SettingVerdict {
  const hasControlCharacters = /[\p{Cc}\p{Cf}]/u.test(text.replaceAll('\n', ''))
  return text !== '' && text.length <= maxSignatureLength && !hasControlCharacters
    ? { ok: true, value: text }
    : {
        ok: false,
        error: `The signature must be plain text of 1 to ${maxSignatureLength} characters.`,
      }
}

/**
 * Returns the default value of each setting (spec §9). The default email signature contains the
 * product's name, a tagline and the support address.
 */
export function settingDefaults(supportEmail: string): SettingValues {
  return {
    ...formatLimitSettings(defaultLimits),
    ...formatCapSettings(defaultCap),
    requests: choiceSettings.requests[0],
    send_by_email: choiceSettings.send_by_email[0],
    premium_price: String(defaultPremiumPrice),
    app_version: 'v0.9.10',
    email_signature: `Mayfly\nSecure file sharing with links that expire\n${supportEmail}`,
  }
}
