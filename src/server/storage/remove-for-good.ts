import type { Storage } from './storage.ts'

/** What a removal of several objects did. */
export interface Removed {
  /** The keys under which storage has no bytes any more. */
  gone: ReadonlySet<string>
  /** Why the first of the other removals failed; undefined if all bytes are gone. */
  fault: unknown
}

/**
 * Removes the bytes under these keys. Then it asks storage whether any are left, because the receipt
 * of a deletion says that none are. Missing bytes count as removed. Never rejects.
 */
export async function removeForGood(storage: Storage, keys: readonly string[]): Promise<Removed> {
  const removals = await Promise.allSettled(
    keys.map(async (key) => {
      await storage.remove(key)
      const left = await storage.storedSize(key)
      if (left !== null) throw new Error(`storage still has ${left} bytes after their removal`)
    }),
  )
  const gone = keys.filter((_, at) => removals[at]?.status === 'fulfilled')
  const failed = removals.find((removal) => removal.status === 'rejected')
  return { gone: new Set(gone), fault: failed?.reason }
}
