import { assertStorageKey } from '../storage-key.ts'

/**
 * Returns the path of a sealed object below the folder `files`. The first two characters of the key
 * name a folder, so that no folder gets too many files.
 * @throws {RangeError} when the key is no storage key.
 */
export function sealedName(key: string): string {
  assertStorageKey(key)
  return `${key.slice(0, 2)}/${key}`
}
