import { type CapKey, capBoundsTexts, checkCap } from '../../shared/rules/files/storage-cap.ts'
import { formatSize, formatSizeLimit, parseSize } from '../../shared/rules/format/file-size.ts'
import { priceText } from '../../shared/rules/format/numbers.ts'
import {
  longestSignature,
  longestVersion,
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
  /** Says where people see the value, and which bounds it has. */
  hint: string
  /** The title of the message when the value could not be saved (spec §8). */
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

/** A setting that the section "Limits" can change. */
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
 * Returns the texts about a setting: its label, a hint with its bounds, and a name that no other
 * form has. The name contains the tier, because both tiers have the same labels.
 */
export function limitTexts(key: LimitSetting): { label: string; hint: string; name: string } {
  if (!isLimit(key)) {
    const label = labels[key]
    const larger = key === 'free_space' ? ' If MIN_FREE_SPACE is larger, it applies instead.' : ''
    return { label, hint: `${sentence(capBoundsTexts[key])}${larger}`, name: label.toLowerCase() }
  }
  const { tier, name } = limitOfKey(key)
  const label = labels[name]
  const hint = sentence(limitBoundsText(name))
  return { label, hint, name: `${label.toLowerCase()} of ${tierTraits[tier].name}` }
}

const sizes = /_max_file_size$|^storage_cap$|^free_space$/

/**
 * Returns a stored value as a person would type it. Examples: '500MB' for 524288000, '3, 5, 7' for
 * days.
 */
export function typedText(key: LimitSetting, stored: string): string {
  if (key.endsWith('_expiration_days')) return stored.replaceAll(',', ', ')
  const bytes = sizes.test(key) ? parseSize(stored) : null
  if (bytes === null || bytes === 0) return stored
  const short = formatSizeLimit(bytes)
  return parseSize(short) === bytes ? short : stored
}

/**
 * Checks what was typed against the bounds of the setting itself. Only the server checks whether
 * the value fits the other limits, because the page may not have their latest values.
 */
export function checkTyped(key: LimitSetting, typed: string): SettingVerdict {
  return isLimit(key) ? checkOwnBounds(limitOfKey(key), typed) : checkCap(key, typed)
}

type Disk = NonNullable<CallAnswer<'adminLimits'>['disk']>

/**
 * Tells the administrator how much of the disk stays free, because the server refuses uploads that
 * would take it, and why it is that much. It is the largest of three values: the setting "Free
 * space to leave", MIN_FREE_SPACE in the server's environment, and what the embedded database
 * needs. If even the empty disk has less, the text says that every upload is refused.
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
 * Says what takes up the disk: the parts of Mayfly that take something, and everything else. Their
 * sum and the free space are the size of the disk.
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

/** Says how many bytes files use, and how many bytes open uploads have announced. */
export function inUseText({ files, uploads }: { files: number; uploads: number }): string {
  const stored = `${formatSize(files)} in files`
  return uploads === 0 ? stored : `${stored}, ${formatSize(uploads)} promised to open uploads`
}
