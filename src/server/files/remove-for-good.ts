import type { Storage } from '../storage/storage.ts'

/**
 * Removes the bytes under a key. Then it asks storage whether any are left, because the receipt of
 * a deletion says that none are. Missing bytes count as removed.
 * @throws when the removal fails, or storage still has bytes under the key.
 */
export async function removeForGood(storage: Storage, key: string): Promise<void> {
  await storage.remove(key)
  const left = await storage.storedSize(key)
  if (left !== null) throw new Error(`storage still has ${left} bytes after their removal`)
}
