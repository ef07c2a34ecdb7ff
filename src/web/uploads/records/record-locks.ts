/** The name of the Web Lock of a record. The id of the record follows it. */
const lockPrefix = 'mayfly.upload.'

export interface ClaimOptions {
  /** Takes the lock from a tab that holds it. */
  steal?: boolean
  /** Called when another tab has taken the lock from this one. */
  onLost: () => void
}

/**
 * A lock for each upload record. The tab that holds it runs the upload, so no two tabs run the same
 * one. The browser frees the locks of a tab that is closed, crashes or is discarded. No method
 * rejects.
 *
 * A browser has no Web Locks where the page was loaded by HTTP from another host. There every claim
 * succeeds and nothing counts as held. So a tab must not resume an upload that it did not start,
 * unless a person asks for it.
 */
export interface RecordLocks {
  /** False where the browser has no Web Locks. */
  areReal: boolean
  /** Returns a function that releases the lock; null if another tab holds it. */
  claim(id: string, options: ClaimOptions): Promise<(() => void) | null>
  /** Returns the ids of all records whose lock this or another tab holds. */
  held(): Promise<ReadonlySet<string>>
}

/** @param manager absent in a browser without Web Locks. */
export function createRecordLocks(
  manager: Pick<LockManager, 'request' | 'query'> | undefined,
): RecordLocks {
  const noLock = () => undefined
  if (!manager) {
    return { areReal: false, claim: async () => noLock, held: async () => new Set() }
  }
  return {
    areReal: true,
    claim: (id, { steal = false, onLost }) =>
      new Promise((resolve) => {
        let isHeld = false
        const hold = (lock: Lock | null) => {
          if (!lock) return resolve(null)
          isHeld = true
          return new Promise<void>((end) => {
            const release = () => {
              isHeld = false
              end()
            }
            resolve(release)
          })
        }
        const options = steal ? { steal } : { ifAvailable: true }
        manager.request(lockPrefix + id, options, hold).catch(() => {
          if (isHeld) onLost()
          // The browser gives this page no locks, for instance in a sandbox. After a release, this
          // has no effect.
          else resolve(noLock)
        })
      }),
    held: async () => {
      const { held = [] } = await manager.query().catch(() => ({ held: [] }))
      const names = held.flatMap(({ name = '' }) => (name.startsWith(lockPrefix) ? name : []))
      return new Set(names.map((name) => name.slice(lockPrefix.length)))
    },
  }
}
