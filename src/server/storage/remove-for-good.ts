import type { Storage } from './storage.ts'

/** What a removal of several objects did. */
export interface Removed {
  /** The keys under which storage has no bytes any more. */
  gone: ReadonlySet<string>
  /** The first error; undefined if `gone` has all keys. */
  fault: unknown
}

/**
 * Removes the bytes under these keys, so that no power cut can bring them back. Then it asks
 * storage whether any are left, because the receipt of a deletion says that none are. Missing bytes
 * count as removed. Never rejects.
 */
export async function removeForGood(storage: Storage, keys: readonly string[]): Promise<Removed> {
  const removed = await doEach(keys, (key) => storage.remove(key))
  try {
    await storage.syncRemovals(removed.done)
  } catch (fault) {
    return { gone: new Set(), fault }
  }
  const confirmed = await doEach(removed.done, async (key) => {
    const left = await storage.storedSize(key)
    if (left !== null) throw new Error(`storage still has ${left} bytes after their removal`)
  })
  return { gone: new Set(confirmed.done), fault: removed.fault ?? confirmed.fault }
}

/** Does something for all keys in parallel. Returns the keys for which it succeeded. */
async function doEach(
  keys: readonly string[],
  act: (key: string) => Promise<void>,
): Promise<{ done: string[]; fault: unknown }> {
  const results = await Promise.allSettled(keys.map(act))
  const done = keys.filter((_, at) => results[at]?.status === 'fulfilled')
  const failed = results.find((result) => result.status === 'rejected')
  return { done, fault: failed?.reason }
}
