import { formatSize, formatSizeLimit } from '../../shared/rules/file-size.ts'
import {
  type LimitKey,
  type LimitName,
  limitBoundsText,
  limitKeys,
  limitOfKey,
} from '../../shared/rules/limit-settings.ts'
import { parseSize } from '../../shared/rules/size-text.ts'
import { type CapKey, capBoundsTexts } from '../../shared/rules/storage-cap.ts'
import { tierTraits } from '../../shared/rules/tier-traits.ts'

/** A setting that this section changes. */
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

/** Returns the label of a setting, its bounds, and what tells it from that of another tier. */
export function limitTexts(key: LimitSetting): { label: string; hint: string; name: string } {
  if (!isLimit(key)) {
    const label = labels[key]
    return { label, hint: sentence(capBoundsTexts[key]), name: label.toLowerCase() }
  }
  const { tier, name } = limitOfKey(key)
  const label = labels[name]
  const hint = sentence(limitBoundsText(name))
  return { label, hint, name: `${label.toLowerCase()} of ${tierTraits[tier].name}` }
}

const sizes = /_max_file_size$|^storage_cap$|^free_space$/

/** Returns a stored value as a person would type it: '500MB' for 524288000, '3, 5, 7' for days. */
export function typedText(key: LimitSetting, stored: string): string {
  if (key.endsWith('_expiration_days')) return stored.replaceAll(',', ', ')
  const bytes = sizes.test(key) ? parseSize(stored) : null
  if (bytes === null || bytes === 0) return stored
  const short = formatSizeLimit(bytes)
  return parseSize(short) === bytes ? short : stored
}

/** Says how much is in storage, and what was announced for it. */
export function inUseText({ files, uploads }: { files: number; uploads: number }): string {
  const stored = `${formatSize(files)} in files`
  return uploads === 0 ? stored : `${stored}, ${formatSize(uploads)} promised to open uploads`
}
