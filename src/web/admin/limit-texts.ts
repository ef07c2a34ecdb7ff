import type { SettingVerdict } from '../../shared/rules/admin-settings.ts'
import { formatSize, formatSizeLimit } from '../../shared/rules/file-size.ts'
import {
  checkOwnBounds,
  type LimitKey,
  type LimitName,
  limitBoundsText,
  limitKeys,
  limitOfKey,
} from '../../shared/rules/limit-settings.ts'
import { parseSize } from '../../shared/rules/size-text.ts'
import { type CapKey, capBoundsTexts, checkCap } from '../../shared/rules/storage-cap.ts'
import { tierTraits } from '../../shared/rules/tier-traits.ts'

/** A setting that the section "Limits" can change. */
export type LimitSetting = LimitKey | CapKey

const labels: Record<LimitName | CapKey, string> = {
  max_files: 'Files at a time',
  max_file_size: 'Size of a file',
  expiration_days: 'Days to choose from',
  max_lifetime_days: 'Longest life in days',
  storage_cap: 'Bytes in storage at most',
  free_space: 'Free space to leave',
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
    const larger = key === 'free_space' ? ' Where MIN_FREE_SPACE is larger, that counts.' : ''
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

/**
 * Says how much space uploads leave free. Two settings can decide this: "Free space to leave" of
 * the administrator, and MIN_FREE_SPACE of the server. The larger one counts, and the text names
 * it.
 * @param leastFree the value of "Free space to leave", in bytes.
 * @param floor how many bytes uploads leave free now.
 */
export function floorText(leastFree: number, floor: number): string {
  const inForce = `Uploads leave ${formatSizeLimit(floor)} free.`
  if (floor <= leastFree) return `${inForce} That is "Free space to leave", which counts.`
  return `${inForce} That is MIN_FREE_SPACE of the server, which counts because it is larger than "Free space to leave" (${formatSizeLimit(leastFree)}). To leave less, change MIN_FREE_SPACE and restart the server.`
}

/** Says how many bytes files use, and how many bytes open uploads have announced. */
export function inUseText({ files, uploads }: { files: number; uploads: number }): string {
  const stored = `${formatSize(files)} in files`
  return uploads === 0 ? stored : `${stored}, ${formatSize(uploads)} promised to open uploads`
}
