import type { RecordLocks } from '../records/record-locks.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import type { RecordStore } from '../records/upload-records.ts'
import { isActive, toPaused } from './upload-state.ts'

export interface UploadListDeps {
  ownerId: string
  records: RecordStore
  locks: RecordLocks
  /** Called when another tab has taken or removed an upload that this tab had claimed. */
  onLost: (record: UploadRecord) => void
  /** Called when another tab has completed an upload. */
  onCompletedElsewhere: () => void
  onChange: () => void
}

/**
 * One user's uploads in this browser. A tab *claims* an upload before changing it. Other tabs'
 * uploads are read from the browser's storage.
 */
export class UploadList {
  readonly #deps: UploadListDeps
  readonly #records = new Map<string, UploadRecord>()
  /** Functions that release the locks on this tab's uploads, by record ID. */
  readonly #claims = new Map<string, () => void>()
  readonly #pendingClaims = new Map<string, Promise<boolean>>()
  /** IDs of uploads claimed by other tabs. */
  #otherTabIds: ReadonlySet<string> = new Set()
  #hasLoaded = false

  constructor(deps: UploadListDeps) {
    this.#deps = deps
  }

  get(id: string): UploadRecord | undefined {
    return this.#records.get(id)
  }

  /** Returns all uploads, oldest first. */
  all(): UploadRecord[] {
    return [...this.#records.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  /** Returns the uploads in the record's drop. */
  drop({ batch }: UploadRecord): UploadRecord[] {
    return [...this.#records.values()].filter((other) => other.batch === batch)
  }

  otherTabIds(): ReadonlySet<string> {
    return this.#otherTabIds
  }

  isClaimed(id: string): boolean {
    return this.#claims.has(id)
  }

  /** Adds or updates an upload, and saves it, unless another tab has removed it. */
  save(record: UploadRecord): void {
    if (this.#deps.records.isRemoved(record.id)) {
      this.#handleLoss(record.id)
      return
    }
    this.#records.set(record.id, record)
    this.#deps.records.save(record)
    this.#deps.onChange()
  }

  /** Shows a new upload in this tab only. Call `save` to show it in other tabs. */
  addUnsaved(record: UploadRecord): void {
    this.#records.set(record.id, record)
    this.#deps.onChange()
  }

  remove(id: string): void {
    this.#records.delete(id)
    this.#deps.records.remove(id)
    this.release(id)
    this.#deps.onChange()
  }

  /**
   * Claims the upload for this tab. Returns false if another tab has claimed it or it no longer
   * exists.
   * @param options `steal` takes the upload from another tab.
   */
  claim(id: string, { steal = false } = {}): Promise<boolean> {
    if (this.#claims.has(id)) return Promise.resolve(true)
    const existingPromise = this.#pendingClaims.get(id)
    if (existingPromise) return existingPromise
    const claimPromise = this.#claim(id, steal).finally(() => this.#pendingClaims.delete(id))
    this.#pendingClaims.set(id, claimPromise)
    return claimPromise
  }

  async #claim(id: string, steal: boolean): Promise<boolean> {
    const { locks, records } = this.#deps
    const release = await locks.claim(id, { steal, onLost: () => this.#handleLoss(id) })
    if (!release) {
      this.#otherTabIds = new Set(this.#otherTabIds).add(id)
      this.#deps.onChange()
      return false
    }
    this.#claims.set(id, release)
    this.#otherTabIds = new Set([...this.#otherTabIds].filter((other) => other !== id))
    // Another tab may have changed the record while it held the lock.
    const latestRecord = records.get(id)
    if (records.isRemoved(id)) this.#handleLoss(id)
    else if (latestRecord) this.#records.set(id, pauseIfInProgress(latestRecord))
    return this.#records.has(id)
  }

  /** Releases the claim to let other tabs claim the upload. */
  release(id: string): void {
    this.#claims.get(id)?.()
    this.#claims.delete(id)
  }

  /** Loads changes from other tabs. Returns the uploads that no tab has claimed. */
  async reload(): Promise<UploadRecord[]> {
    const { locks, records, ownerId } = this.#deps
    const lockedIds = await locks.lockedIds()
    const stored = records.load().filter((record) => record.ownerId === ownerId)
    for (const id of this.#records.keys()) if (records.isRemoved(id)) this.#handleLoss(id)
    const others = stored.filter(({ id }) => !this.#claims.has(id) && !this.#pendingClaims.has(id))
    const isNewlyCompleted = ({ id, status }: UploadRecord) =>
      status === 'completed' && this.#records.get(id)?.status !== 'completed'
    const hasNewlyCompleted = this.#hasLoaded && others.some(isNewlyCompleted)
    this.#hasLoaded = true
    this.#otherTabIds = new Set(others.map(({ id }) => id).filter((id) => lockedIds.has(id)))
    const orphans: UploadRecord[] = []
    for (const record of others) {
      const isLocked = this.#otherTabIds.has(record.id)
      const current = isLocked ? record : pauseIfInProgress(record)
      this.#records.set(record.id, current)
      if (!isLocked) orphans.push(current)
    }
    if (hasNewlyCompleted) this.#deps.onCompletedElsewhere()
    this.#deps.onChange()
    return orphans
  }

  /** Releases the claims on all uploads. */
  close(): void {
    for (const release of this.#claims.values()) release()
    this.#claims.clear()
  }

  #handleLoss(id: string): void {
    const record = this.#records.get(id)
    const release = this.#claims.get(id)
    release?.()
    this.#claims.delete(id)
    if (this.#deps.records.isRemoved(id)) this.#records.delete(id)
    else this.#otherTabIds = new Set(this.#otherTabIds).add(id)
    if (release && record) this.#deps.onLost(record)
    this.#deps.onChange()
  }
}

/**
 * Pauses an upload whose tab was closed. Spec §4: records found uploading or pending become paused.
 */
function pauseIfInProgress(record: UploadRecord): UploadRecord {
  return isActive(record) ? toPaused(record, null) : record
}
