import { formatSizeLimit } from './file-size.ts'
import { unlimited } from './limit-settings.ts'
import { parseSize } from './size-text.ts'

/** The settings that cap what all accounts store together. */
export const capKeys = ['storage_cap', 'free_space'] as const
export type CapKey = (typeof capKeys)[number]

/** What caps the whole instance. Sizes are in bytes. */
export interface StorageCap {
  /** How many bytes files and open uploads may have together; null for no cap. */
  mostStored: number | null
  /**
   * How many bytes uploads leave free on the disk. The server may be set up to leave more
   * (`MIN_FREE_SPACE`); then that counts.
   */
  leastFree: number
}

export const defaultCap: StorageCap = { mostStored: null, leastFree: 0 }

/** The largest size of both settings. */
const mostBytes = 1_000_000 * 1024 ** 3
const leastCap = 1024 ** 2

/** What each setting may be, as the end of a sentence. */
export const capBoundsTexts: Record<CapKey, string> = {
  storage_cap: `a size from ${formatSizeLimit(leastCap)} to ${formatSizeLimit(mostBytes)}, or ${unlimited}`,
  free_space: `a size from 0 to ${formatSizeLimit(mostBytes)}`,
}

/** Returns the settings of a cap, as they are stored. */
export function writeCap({ mostStored, leastFree }: StorageCap): Record<CapKey, string> {
  return {
    storage_cap: mostStored === null ? unlimited : String(mostStored),
    free_space: String(leastFree),
  }
}

/** Returns the cap that these settings mean. A setting that cannot be read means its default. */
export function readCap(settings: Readonly<Record<CapKey, string>>): StorageCap {
  const cap = readSize(settings.storage_cap, leastCap)
  return {
    mostStored: cap ?? defaultCap.mostStored,
    leastFree: readSize(settings.free_space, 0) ?? defaultCap.leastFree,
  }
}

/** Checks a new value of a cap. Returns the text to store, or the sentence that names the bound. */
export function checkCap(
  key: CapKey,
  text: string,
): { ok: true; value: string } | { ok: false; fault: string } {
  const typed = text.trim().toLowerCase()
  if (key === 'storage_cap' && typed === unlimited) return { ok: true, value: unlimited }
  const bytes = readSize(typed, key === 'storage_cap' ? leastCap : 0)
  if (bytes === null) {
    const name = key === 'storage_cap' ? 'cap' : 'free space to leave'
    return { ok: false, fault: `The ${name} must be ${capBoundsTexts[key]}.` }
  }
  return { ok: true, value: String(bytes) }
}

function readSize(text: string, least: number): number | null {
  const bytes = parseSize(text)
  return bytes !== null && bytes >= least && bytes <= mostBytes ? bytes : null
}

/** From this share of the cap on, the administrator is warned. */
const warnedShare = 0.8

/** How full the storage is. `warning` begins at 80 % of the cap, `full` where the cap is reached. */
export type Fullness = 'ok' | 'warning' | 'full'

/** Tells how full the storage is with `stored` bytes. Without a cap it is never full. */
export function fullness(stored: number, { mostStored }: Pick<StorageCap, 'mostStored'>): Fullness {
  if (mostStored === null) return 'ok'
  if (stored >= mostStored) return 'full'
  return stored >= mostStored * warnedShare ? 'warning' : 'ok'
}
