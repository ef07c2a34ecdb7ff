import { assertStorageKey } from '../storage-key.ts'

/**
 * Returns where a sealed object lies below the folder `files`. The folders named by the first two
 * characters keep each folder small.
 * @throws {RangeError} when the key is no storage key.
 */
export function sealedName(key: string): string {
  assertStorageKey(key)
  return `${key.slice(0, 2)}/${key}`
}
