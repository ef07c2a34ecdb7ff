import { isSameFile } from '../picking/file-identity.ts'
import type { PickedFile } from '../picking/picked-file.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import type { Timers } from '../timers.ts'
import { isTransient } from '../transfer/retry-policy.ts'
import { callWithTimeout, type UploadCalls } from '../transfer/upload-calls.ts'
import { dataLostText } from '../upload-errors.ts'
import type { FileState, UploadFiles } from './upload-files.ts'
import type { UploadList } from './upload-list.ts'
import { canResume, toFailed, toPaused, toPending } from './upload-state.ts'

/**
 * Where an upload's bytes are. `stored` means that the server has all of them or that it no longer
 * knows the upload, which may already have become a file. In either case, the upload is confirmed
 * without sending anything.
 */
type BytesState = FileState | 'stored'

export interface ResumeDeps {
  timers: Timers
  calls: Pick<UploadCalls, 'listParts'>
  list: UploadList
  files: UploadFiles
  /** Updates one of this tab's uploads. */
  update: (record: UploadRecord) => void
  enqueue: (record: UploadRecord) => void
}

/** Resumes paused and failed uploads: locates their bytes or asks the user for the file. */
export class UploadResumer {
  readonly #deps: ResumeDeps
  /** Searches in progress for uploads' bytes, by record ID. */
  readonly #searches = new Map<string, Promise<BytesState | null>>()

  constructor(deps: ResumeDeps) {
    this.#deps = deps
  }

  /** Returns the uploads that this tab can resume, oldest first. */
  resumableUploads(): UploadRecord[] {
    const { list } = this.#deps
    return list.all().filter((record) => canResume(record) && !list.otherTabIds().has(record.id))
  }

  /** Returns the upload that needs this file, if any. */
  findUploadNeeding(file: File): UploadRecord | undefined {
    const needsFileAccess = ({ need }: UploadRecord) => need === 'file' || need === 'permission'
    return this.resumableUploads().find(
      (record) =>
        record.status === 'paused' && needsFileAccess(record) && isSameFile(record.identity, file),
    )
  }

  /**
   * Resumes an upload if its bytes are available. Otherwise, asks the user for the file or, if the
   * bytes are lost, fails the upload.
   */
  async resume(id: string): Promise<void> {
    const locatedUpload = await this.#locateBytes(id)
    if (!locatedUpload) return
    const { record, bytes } = locatedUpload
    if (bytes === 'ready' || bytes === 'stored') this.#requeue(record)
    else this.handleMissingFile(record, bytes)
  }

  /**
   * Locates an upload's bytes, and asks the user for the file if necessary. A failed upload keeps
   * its error until the user retries it.
   */
  async requestFile(id: string): Promise<void> {
    const locatedUpload = await this.#locateBytes(id)
    if (!locatedUpload || locatedUpload.record.pasted) return
    const { record, bytes } = locatedUpload
    if (bytes !== 'file' && bytes !== 'permission') return
    const hasFailed = record.status === 'failed'
    this.#deps.update(hasFailed ? { ...record, need: bytes } : toPaused(record, bytes))
    this.#deps.list.release(id)
  }

  /** Asks the user for the file or, if it is lost, fails the upload. */
  handleMissingFile(record: UploadRecord, state: Exclude<FileState, 'ready'>): void {
    const { update, files, list, timers } = this.#deps
    const isLost = state === 'gone' || record.pasted
    update(isLost ? toFailed(record, dataLostText, null, timers.now()) : toPaused(record, state))
    if (isLost) files.remove(record.id)
    list.release(record.id)
  }

  /**
   * Resumes an upload with this file, without checking that it is the right one. Returns false if
   * this tab can't resume the upload.
   */
  async resumeWithFile(id: string, picked: PickedFile): Promise<boolean> {
    const { list, files } = this.#deps
    if (!(await list.claim(id))) return false
    const record = list.get(id)
    if (!record || !canResume(record)) return false
    files.add(id, picked)
    this.#requeue(record)
    return true
  }

  #requeue(record: UploadRecord): void {
    this.#deps.update(toPending(record, this.#deps.timers.now()))
    this.#deps.enqueue(record)
  }

  /**
   * Claims an upload and locates its bytes. Concurrent calls share one search. Returns null if this
   * tab can't resume the upload. Also returns null if the server doesn't respond and no action by
   * the user would help.
   */
  async #locateBytes(id: string): Promise<{ record: UploadRecord; bytes: BytesState } | null> {
    const { list, files } = this.#deps
    if (!(await list.claim(id))) return null
    const candidate = list.get(id)
    if (!candidate || !canResume(candidate)) {
      if (!candidate || candidate.status === 'completed') list.release(id)
      return null
    }
    const located = await this.#startOrJoinSearch(candidate)
    const record = list.get(id)
    if (!record || !canResume(record) || !list.isClaimed(id)) return null
    // The user may have provided the file during the search.
    const bytes = files.get(id) ? 'ready' : located
    return bytes && { record, bytes }
  }

  #startOrJoinSearch(record: UploadRecord): Promise<BytesState | null> {
    const { id } = record
    const runningSearch = this.#searches.get(id)
    if (runningSearch) return runningSearch
    const searchPromise = this.#search(record).finally(() => this.#searches.delete(id))
    this.#searches.set(id, searchPromise)
    return searchPromise
  }

  async #search(record: UploadRecord): Promise<BytesState | null> {
    const state = await this.#deps.files.locate(record)
    if (state === 'ready') return state
    const isStored = await this.#isStored(record)
    if (isStored) return 'stored'
    const canUserHelp = state === 'permission' || (state === 'file' && !record.pasted)
    return isStored === null && !canUserHelp ? null : state
  }

  /**
   * Returns whether the server has all bytes or no longer knows the upload. Returns null if the
   * server doesn't respond. Doesn't retry, because the user can provide the file instead.
   */
  async #isStored({ ticket, fileSize }: UploadRecord): Promise<boolean | null> {
    if (!ticket) return false
    const { calls, timers } = this.#deps
    const outcome = await callWithTimeout({ call: calls.listParts, input: ticket }, timers)
    if (!outcome.ok) return isTransient(outcome.error) ? null : outcome.error.status === 404
    const { parts } = outcome.value
    const storedBytes = parts.reduce((sum, { size }) => sum + size, 0)
    return parts.length >= (ticket.parts?.count ?? 1) && storedBytes === fileSize
  }
}
