import { type CapKey, capKeys, checkCap, defaultCap, writeCap } from '../files/storage-cap.ts'
import {
  checkLimit,
  type LimitKey,
  limitKeys,
  limitOfKey,
  readLimits,
  writeLimits,
} from './limit-settings.ts'
import { defaultLimits } from './tier-limits.ts'

/** The settings of spec §3 (Setting) that are neither limits nor caps. */
export const textSettingKeys = ['premium_price', 'app_version', 'email_signature'] as const
export type TextSettingKey = (typeof textSettingKeys)[number]

export type SettingKey = TextSettingKey | LimitKey | CapKey

/** The settings that the administrator can change. */
export const settingKeys: readonly SettingKey[] = [...textSettingKeys, ...limitKeys, ...capKeys]

/** The value of every setting, in the form in which it is stored. */
export type SettingValues = Readonly<Record<SettingKey, string>>

/** The price of Premium in dollars a month until the administrator changes it (spec §9). */
export const defaultPremiumPrice = 8

/** The lowest and the highest price of Premium, in dollars a month. */
export const priceBounds = { least: 1, most: 99 } as const

/** The longest version text and the longest signature, in characters. */
export const longestVersion = 40
export const longestSignature = 500

/** The value as it is stored, or the sentence that says what is wrong with it. */
export type SettingVerdict = { ok: true; value: string } | { ok: false; fault: string }

/**
 * Checks a new value of a setting (spec §9). Returns the value in the form in which it is stored,
 * or a sentence that names the bound that the value breaks.
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
    case 'storage_cap':
    case 'free_space':
      return checkCap(key, text)
    default:
      return checkLimit(limitOfKey(key), text, readLimits(current))
  }
}

/**
 * Checks a new value of a setting that is neither a limit nor a cap. Such a setting depends on no
 * other.
 */
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

function checkPrice(text: string): SettingVerdict {
  const { least, most } = priceBounds
  const price = Number(text)
  const isPrice = /^\d{1,2}(\.\d{1,2})?$/.test(text) && price >= least && price <= most
  return isPrice
    ? { ok: true, value: String(price) }
    : { ok: false, fault: `The price must be a number from ${least} to ${most}, in whole cents.` }
}

function checkVersion(text: string): SettingVerdict {
  const isVersion = text !== '' && text.length <= longestVersion && !/[\p{Cc}\p{Cf}]/u.test(text)
  return isVersion
    ? { ok: true, value: text }
    : { ok: false, fault: `The version must be one line of 1 to ${longestVersion} characters.` }
}

function checkSignature(text: string): SettingVerdict {
  const hasControls = /[\p{Cc}\p{Cf}]/u.test(text.replaceAll('\n', ''))
  return text !== '' && text.length <= longestSignature && !hasControls
    ? { ok: true, value: text }
    : {
        ok: false,
        fault: `The signature must be plain text of 1 to ${longestSignature} characters.`,
      }
}

/**
 * Returns the value of each setting until the administrator changes it (spec §9). The signature is
 * the product's name, a sentence about it, and the mail address for help.
 */
export function settingDefaults(supportEmail: string): SettingValues {
  return {
    ...writeLimits(defaultLimits),
    ...writeCap(defaultCap),
    premium_price: String(defaultPremiumPrice),
    app_version: 'v0.9.10',
    email_signature: `Mayfly\nSecure file sharing with links that expire\n${supportEmail}`,
  }
}
