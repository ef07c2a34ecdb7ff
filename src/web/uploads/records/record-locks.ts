/** The prefix of a record's Web Lock name, followed by the record ID. */
const lockPrefix = 'mayfly.upload.'

export interface ClaimOptions {
  /** Takes the lock even if another tab holds it. */
  steal?: boolean
  /** Called when another tab has taken the lock from this one. */
  onLost: () => void
}

/**
 * A lock for each upload record. Only the tab that holds the lock runs the upload. The browser
 * releases the locks of a tab that is closed, crashes or is discarded. No method rejects.
 *
 * Insecure contexts have no Web Locks. There, every claim succeeds and no record counts as locked,
 * so a tab must not automatically resume uploads that it didn't start.
 */
export interface RecordLocks {
  /** False if the browser has no Web Locks. */
  isSupported: boolean
  /** Returns a function that releases the lock; null if another tab holds it. */
  claim(id: string, options: ClaimOptions): Promise<(() => void) | null>
  /** Returns the IDs of all records that are locked by any tab. */
  lockedIds(): Promise<ReadonlySet<string>>
}

/** @param manager undefined in a browser without Web Locks. */
export function createRecordLocks(
  manager: Pick<LockManager, 'request' | 'query'> | undefined,
): RecordLocks {
  const noop = () => undefined
  if (!manager) {
    return { isSupported: false, claim: async () => noop, lockedIds: async () => new Set() }
  }
  return {
    isSupported: true,
    claim: (id, { steal = false, onLost }) =>
      new Promise((resolve) => {
        let isHeld = false
        const handleLock = (lock: Lock | null) => {
          if (!lock) return resolve(null)
          isHeld = true
          return new Promise<void>((resolveLock) => {
            const release = () => {
              isHeld = false
              resolveLock()
            }
            resolve(release)
          })
        }
        const options = steal ? { steal } : { ifAvailable: true }
        manager.request(lockPrefix + id, options, handleLock).catch(() => {
          if (isHeld) onLost()
          // The browser denied the lock, as it does in a sandboxed page. If the lock was already
          // released, resolving again is a no-op.
          else resolve(noop)
        })
      }),
    lockedIds: async () => {
      const { held = [] } = await manager.query().catch(() => ({ held: [] }))
      const names = held.flatMap(({ name = '' }) => (name.startsWith(lockPrefix) ? name : []))
      return new Set(names.map((name) => name.slice(lockPrefix.length)))
    },
  }
}
