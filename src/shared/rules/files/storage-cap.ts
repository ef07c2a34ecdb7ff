import { formatSizeLimit, parseSize } from '../format/file-size.ts'
import { unlimited } from '../tiers/limit-settings.ts'
import { type Tier, tiers, tierTraits } from '../tiers/tier.ts'
import type { TierLimits } from '../tiers/tier-limits.ts'

/** Settings that limit the storage of all accounts together. */
export const capKeys = ['storage_cap', 'free_space'] as const
export type CapKey = (typeof capKeys)[number]

/** The administrator's limits for the installation, in bytes. */
export interface StorageCap {
  /** For files and open uploads together; null for no cap. */
  mostStored: number | null
  /** Disk space that uploads must leave free. Ignored if `MIN_FREE_SPACE` is larger. */
  leastFree: number
}

export const defaultCap: StorageCap = { mostStored: null, leastFree: 0 }

/** Maximum of both settings, in GB and in bytes. */
const mostGigabytes = 1_000_000
const mostBytes = mostGigabytes * 1024 ** 3
/** Unlike `formatSizeLimit`, groups the digits. */
const mostText = `${mostGigabytes.toLocaleString('en')}GB`
const leastCap = 1024 ** 2

/** The allowed values of each setting. Follows 'must be'. */
export const capBoundsTexts: Record<CapKey, string> = {
  storage_cap: `a size from ${formatSizeLimit(leastCap)} to ${mostText}, or ${unlimited}`,
  free_space: `a size from 0 to ${mostText}`,
}

export function writeCap({ mostStored, leastFree }: StorageCap): Record<CapKey, string> {
  return {
    storage_cap: mostStored === null ? unlimited : String(mostStored),
    free_space: String(leastFree),
  }
}

/** Parses the cap settings. Invalid values fall back to the default. */
export function readCap(settings: Readonly<Record<CapKey, string>>): StorageCap {
  const cap = readSize(settings.storage_cap, leastCap)
  return {
    mostStored: cap ?? defaultCap.mostStored,
    leastFree: readSize(settings.free_space, 0) ?? defaultCap.leastFree,
  }
}

/** Validates a new value. Returns the text to store, or an error message. */
export function checkCap(
  key: CapKey,
  text: string,
): { ok: true; value: string } | { ok: false; fault: string } {
  const typed = text.trim().toLowerCase()
  if (key === 'storage_cap' && typed === unlimited) return { ok: true, value: unlimited }
  const bytes = readSize(typed, key === 'storage_cap' ? leastCap : 0)
  if (bytes === null) {
    const name = key === 'storage_cap' ? 'cap' : 'minimum free space'
    return { ok: false, fault: `The ${name} must be ${capBoundsTexts[key]}.` }
  }
  return { ok: true, value: String(bytes) }
}

function readSize(text: string, least: number): number | null {
  const bytes = parseSize(text)
  return bytes !== null && bytes >= least && bytes <= mostBytes ? bytes : null
}

/** Returns a warning if a tier allows files larger than the whole cap; otherwise null. */
export function filesOverCap(
  mostStored: number | null,
  limits: Readonly<Record<Tier, Pick<TierLimits, 'maxFileSize'>>>,
): string | null {
  const over = tiers.filter((tier) => mostStored !== null && limits[tier].maxFileSize > mostStored)
  if (mostStored === null || over.length === 0) return null
  const sizes = over.map(
    (tier) => `${formatSizeLimit(limits[tier].maxFileSize)} in ${tierTraits[tier].name}`,
  )
  return `A file may have ${sizes.join(' and ')}, but files above the storage limit of ${formatSizeLimit(mostStored)} are always refused.`
}

/** The share of the cap at which the checks start to warn. */
const warnedShare = 0.8

export type Fullness = 'ok' | 'warning' | 'full'

/** Returns how full the storage is: `warning` from 80 % of the cap. */
export function fullness(stored: number, { mostStored }: Pick<StorageCap, 'mostStored'>): Fullness {
  if (mostStored === null) return 'ok'
  if (stored >= mostStored) return 'full'
  return stored >= mostStored * warnedShare ? 'warning' : 'ok'
}
