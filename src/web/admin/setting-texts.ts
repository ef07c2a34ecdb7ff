import { type CapKey, capRangeTexts, checkCap } from '../../shared/rules/files/storage-cap.ts'
import { formatSize, formatSizeLimit, parseSize } from '../../shared/rules/format/file-size.ts'
import { priceText } from '../../shared/rules/format/numbers.ts'
import {
  maxSignatureLength,
  maxVersionLength,
  priceBounds,
  type SettingVerdict,
  type TextSettingKey,
} from '../../shared/rules/tiers/admin-settings.ts'
import {
  checkOwnBounds,
  type LimitKey,
  type LimitName,
  limitBoundsText,
  limitKeys,
  limitOfKey,
} from '../../shared/rules/tiers/limit-settings.ts'
import { tierTraits } from '../../shared/rules/tiers/tier.ts'
import type { CallAnswer } from '../api/call.ts'

interface SettingTexts {
  label: string
  /** Describes where the value appears and its allowed range. */
  hint: string
  /** The title of the error message if the save fails (spec §8). */
  failure: string
  /** Formats the value for use in a sentence, or returns null if it has several lines. */
  inSentence: (value: string) => string | null
}

/** The texts for each setting in the "Settings" section of the Admin Center. */
export const settingTexts: Readonly<Record<TextSettingKey, SettingTexts>> = {
  premium_price: {
    label: 'Premium price',
    hint: `${priceText(priceBounds.least)} to ${priceText(priceBounds.most)} per month.`,
    failure: 'Failed to update premium price',
    inSentence: priceText,
  },
  app_version: {
    label: 'App version',
    hint: `Shown in the footer. At most ${maxVersionLength} characters.`,
    failure: 'Failed to update app version',
    inSentence: (value) => value,
  },
  email_signature: {
    label: 'Email signature',
    hint: `Ends every email of this server, and those that share a link. At most ${maxSignatureLength} characters.`,
    failure: 'Failed to update email signature',
    inSentence: () => null,
  },
}

/** A setting in the "Limits" section. */
export type LimitSetting = LimitKey | CapKey

const labels: Record<LimitName | CapKey, string> = {
  max_files: 'Files at a time',
  max_file_size: 'File size',
  expiration_days: 'Expiry choices in days',
  max_lifetime_days: 'Maximum lifetime in days',
  storage_cap: 'Total storage',
  free_space: 'Minimum free space',
}

function sentence(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`
}

function isLimit(key: LimitSetting): key is LimitKey {
  return limitKeys.some((one) => one === key)
}

/**
 * Returns a setting's label, a hint with its range, and a name that is unique among the forms. The
 * name includes the tier, because both tiers share their labels.
 */
export function limitTexts(key: LimitSetting): { label: string; hint: string; name: string } {
  if (!isLimit(key)) {
    const label = labels[key]
    const larger = key === 'free_space' ? ' If MIN_FREE_SPACE is larger, it applies instead.' : ''
    return { label, hint: `${sentence(capRangeTexts[key])}${larger}`, name: label.toLowerCase() }
  }
  const { tier, name } = limitOfKey(key)
  const label = labels[name]
  const hint = sentence(limitBoundsText(name))
  return { label, hint, name: `${label.toLowerCase()} of ${tierTraits[tier].name}` }
}

const sizes = /_max_file_size$|^storage_cap$|^free_space$/

/**
 * Formats a stored value for the input field. Examples: '500MB' for 524288000, '3, 5, 7' for days.
 */
export function typedText(key: LimitSetting, stored: string): string {
  if (key.endsWith('_expiration_days')) return stored.replaceAll(',', ', ')
  const bytes = sizes.test(key) ? parseSize(stored) : null
  if (bytes === null || bytes === 0) return stored
  const short = formatSizeLimit(bytes)
  return parseSize(short) === bytes ? short : stored
}

/**
 * Validates the input against the setting's own range. Only the server compares it with the other
 * limits, since the page may have outdated values.
 */
export function checkTyped(key: LimitSetting, typed: string): SettingVerdict {
  return isLimit(key) ? checkOwnBounds(limitOfKey(key), typed) : checkCap(key, typed)
}

type Disk = NonNullable<CallAnswer<'adminLimits'>['disk']>

/**
 * Explains how much disk space uploads must leave free: the largest of the "Minimum free space"
 * setting, MIN_FREE_SPACE in the server's environment, and the embedded database's requirement. If
 * the disk is smaller than that, the text says that every upload is refused.
 * @param wanted the setting "Minimum free space", in bytes.
 * @param disk `leastFree` is the largest of the three values, `minFree` is MIN_FREE_SPACE, and
 * `size` is the size of the disk, all in bytes.
 */
export function freeSpaceText(
  wanted: number,
  disk: Pick<Disk, 'leastFree' | 'minFree' | 'size'>,
): string {
  const { leastFree, minFree, size } = disk
  const tooMuch = leastFree < size ? '' : ' The whole disk has less, so every upload is refused.'
  const inForce = `Uploads leave ${formatSizeLimit(leastFree)} free.${tooMuch}`
  if (leastFree <= wanted) return `${inForce} That is "Minimum free space".`
  if (leastFree > minFree) return `${inForce} The embedded database needs that much.`
  return `${inForce} That is MIN_FREE_SPACE, which is larger than "Minimum free space" (${formatSizeLimit(wanted)}). To lower it, change MIN_FREE_SPACE and restart the server.`
}

const useNames: Record<keyof Disk['use'], string> = {
  files: 'Files',
  uploads: 'Unfinished uploads',
  database: 'Embedded database',
  reserve: 'Kept for the database',
  other: 'Emails and the rest of DATA_DIR',
}

/**
 * Breaks down the used disk space by the parts of Mayfly that use any, and everything else. The
 * entries plus the free space add up to the size of the disk.
 */
export function diskUse({ free, size, use }: Disk): { name: string; size: string }[] {
  const parts = Object.keys(useNames) as (keyof Disk['use'])[]
  const own = parts.reduce((sum, part) => sum + use[part], 0)
  const elsewhere = Math.max(0, size - free - own)
  return [
    ...parts.map((part) => ({ name: useNames[part], bytes: use[part] })),
    { name: 'Everything else on the disk', bytes: elsewhere },
  ]
    .filter(({ bytes }) => bytes > 0)
    .map(({ name, bytes }) => ({ name, size: formatSize(bytes) }))
}

/** Describes how many bytes files use and open uploads have reserved. */
export function inUseText({ files, uploads }: { files: number; uploads: number }): string {
  const stored = `${formatSize(files)} in files`
  return uploads === 0 ? stored : `${stored}, ${formatSize(uploads)} promised to open uploads`
}
