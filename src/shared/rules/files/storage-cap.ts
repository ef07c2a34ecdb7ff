import { formatSizeLimit, parseSize } from '../format/file-size.ts'
import { groupDigits } from '../format/numbers.ts'
import { unlimited } from '../tiers/limit-settings.ts'
import { type Tier, tiers, tierTraits } from '../tiers/tier.ts'
import type { TierLimits } from '../tiers/tier-limits.ts'

/** The settings that limit the storage of all accounts combined. */
export const capKeys = ['storage_cap', 'free_space'] as const
export type CapKey = (typeof capKeys)[number]

/** The administrator's storage limits, in bytes. */
export interface StorageCap {
  /** Maximum total size of files and open uploads. Null means no limit. */
  maxStored: number | null
  /** Disk space that uploads must leave free. Ignored if `MIN_FREE_SPACE` is larger. */
  leastFree: number
}

export const defaultCap: StorageCap = { maxStored: null, leastFree: 0 }

/** Maximum value of both settings, in GB and in bytes. */
const maxGigabytes = 1_000_000
const maxBytes = maxGigabytes * 1024 ** 3
/** Unlike the output of `formatSizeLimit`, this has thousands separators. */
const maxSizeText = `${groupDigits(maxGigabytes)}GB`
const minCap = 1024 ** 2

/** The allowed values of each setting, worded to follow 'must be'. */
export const capRangeTexts: Record<CapKey, string> = {
  storage_cap: `a size from ${formatSizeLimit(minCap)} to ${maxSizeText}, or ${unlimited}`,
  free_space: `a size from 0 to ${maxSizeText}`,
}

export function formatCapSettings({ maxStored, leastFree }: StorageCap): Record<CapKey, string> {
  return {
    storage_cap: maxStored === null ? unlimited : String(maxStored),
    free_space: String(leastFree),
  }
}

/** Parses the cap settings. Invalid values fall back to their defaults. */
export function parseCapSettings(settings: Readonly<Record<CapKey, string>>): StorageCap {
  const capBytes = parseSizeInRange(settings.storage_cap, minCap)
  return {
    maxStored: capBytes ?? defaultCap.maxStored,
    leastFree: parseSizeInRange(settings.free_space, 0) ?? defaultCap.leastFree,
  }
}

/** Validates a new value. Returns the text to store, or an error message. */
export function checkCap(
  key: CapKey,
  text: string,
): { ok: true; value: string } | { ok: false; error: string } {
  const input = text.trim().toLowerCase()
  if (key === 'storage_cap' && input === unlimited) return { ok: true, value: unlimited }
  const bytes = parseSizeInRange(input, key === 'storage_cap' ? minCap : 0)
  if (bytes === null) {
    const name = key === 'storage_cap' ? 'cap' : 'minimum free space'
    return { ok: false, error: `The ${name} must be ${capRangeTexts[key]}.` }
  }
  return { ok: true, value: String(bytes) }
}

function parseSizeInRange(text: string, minBytes: number): number | null {
  const bytes = parseSize(text)
  return bytes !== null && bytes >= minBytes && bytes <= maxBytes ? bytes : null
}

/** Returns a warning if a tier allows files larger than the whole cap, otherwise null. */
export function fileSizeWarning(
  maxStored: number | null,
  limits: Readonly<Record<Tier, Pick<TierLimits, 'maxFileSize'>>>,
): string | null {
  const tiersOverCap = tiers.filter(
    (tier) => maxStored !== null && limits[tier].maxFileSize > maxStored,
  )
  if (maxStored === null || tiersOverCap.length === 0) return null
  const sizeTexts = tiersOverCap.map(
    (tier) => `${formatSizeLimit(limits[tier].maxFileSize)} in ${tierTraits[tier].name}`,
  )
  return `A file may have ${sizeTexts.join(' and ')}, but files above the storage limit of ${formatSizeLimit(maxStored)} are always refused.`
}

/** The checks show a warning once this fraction of the cap is used. */
const warningThreshold = 0.8

export type Fullness = 'ok' | 'warning' | 'full'

/** Returns how full storage is in relation to the cap. */
export function fullness(bytes: number, { maxStored }: Pick<StorageCap, 'maxStored'>): Fullness {
  if (maxStored === null) return 'ok'
  if (bytes >= maxStored) return 'full'
  return bytes >= maxStored * warningThreshold ? 'warning' : 'ok'
}
