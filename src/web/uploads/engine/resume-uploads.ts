import { isSameFile } from '../picking/file-identity.ts'
import type { PickedFile } from '../picking/picked-file.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import { mayPass } from '../transfer/retry-policy.ts'
import { callTimeoutMs } from '../transfer/storage-request.ts'
import { type CallDeps, type UploadCalls, untilAnswered } from '../transfer/upload-calls.ts'
import { dataLost } from '../upload-errors.ts'
import type { FileState, UploadFiles } from './upload-files.ts'
import type { UploadList } from './upload-list.ts'
import { canResume, canResumeByItself, failed, paused, waiting } from './upload-state.ts'

/**
 * Where the bytes of an upload are. `stored`: the server has all bytes, or no longer knows the
 * upload, perhaps because it became a file. So the upload is confirmed without the file.
 */
type BytesState = FileState | 'stored'

/**
 * How many times the server is asked for the stored bytes before the person is asked for the file.
 */
const fewTries = { maxTries: 3, isPatient: false }

export interface ResumeDeps extends CallDeps {
  calls: Pick<UploadCalls, 'listParts'>
  list: UploadList
  files: UploadFiles
  /** Changes an upload of this tab. */
  put: (record: UploadRecord) => void
  /** Adds an upload to the queue. */
  enqueue: (record: UploadRecord) => void
}

/** Resumes uploads that are paused or failed: finds their bytes, or asks a person for them. */
export class UploadResumer {
  readonly #deps: ResumeDeps
  /** The running searches, by record id. */
  readonly #searches = new Map<
    string,
    { found: Promise<BytesState | null>; end: AbortController }
  >()

  constructor(deps: ResumeDeps) {
    this.#deps = deps
  }

  /** Returns the uploads that this tab may resume, oldest first. */
  resumable(): UploadRecord[] {
    const { list } = this.#deps
    return list.all().filter((record) => canResume(record) && !list.elsewhere().has(record.id))
  }

  /** Returns the upload that waits for this file; undefined if there is none. */
  waitingFor(file: File): UploadRecord | undefined {
    const isNeeded = ({ need }: UploadRecord) => need === 'file' || need === 'permission'
    return this.resumable().find(
      (record) =>
        record.status === 'paused' && isNeeded(record) && isSameFile(record.identity, file),
    )
  }

  /** Resumes the uploads that need no person and have been idle for 5 s (spec §4). */
  resumeIdle(uploads: readonly UploadRecord[]): void {
    const now = this.#deps.timers.now()
    for (const record of uploads) if (canResumeByItself(record, now)) void this.resume(record.id)
  }

  /**
   * Looks for the bytes of an upload, and resumes it if they are found. Otherwise asks a person for
   * them, or fails the upload if they are lost.
   */
  async resume(id: string): Promise<void> {
    const found = await this.#find(id)
    if (!found) return
    const { record, bytes } = found
    if (bytes === 'ready' || bytes === 'stored') this.#restart(record)
    else this.lacksFile(record, bytes)
  }

  /**
   * Looks for the bytes of an upload. If only a person can give them, asks the person. A failed
   * upload keeps its error until the person tries it again.
   */
  async askForFile(id: string): Promise<void> {
    const found = await this.#find(id)
    if (!found || found.record.pasted) return
    const { record, bytes } = found
    if (bytes !== 'file' && bytes !== 'permission') return
    this.#deps.put(record.status === 'failed' ? { ...record, need: bytes } : paused(record, bytes))
    this.#deps.list.release(id)
  }

  /** Asks a person for the file of an upload, or fails the upload if nobody can give it. */
  lacksFile(record: UploadRecord, state: Exclude<FileState, 'ready'>): void {
    const { put, files, list, timers } = this.#deps
    const isLost = state === 'gone' || record.pasted
    put(isLost ? failed(record, dataLost, null, timers.now()) : paused(record, state))
    if (isLost) files.forget(record.id)
    list.release(record.id)
  }

  /**
   * Resumes an upload with this file, without checking the file. Returns false if the upload cannot
   * be resumed here.
   */
  async provide(id: string, picked: PickedFile): Promise<boolean> {
    const { list, files } = this.#deps
    if (!(await list.claim(id))) return false
    const record = list.get(id)
    if (!record || !canResume(record)) return false
    this.stop(id)
    files.keep(id, picked)
    this.#restart(record)
    return true
  }

  /** Stops the search for the bytes of an upload. */
  stop(id: string): void {
    this.#searches.get(id)?.end.abort(new DOMException('The search was stopped.', 'AbortError'))
    this.#searches.delete(id)
  }

  #restart(record: UploadRecord): void {
    this.#deps.put(waiting(record, this.#deps.timers.now()))
    this.#deps.enqueue(record)
  }

  /**
   * Claims an upload and finds its bytes. Calls for the same upload share one search. Returns null
   * when the upload cannot be resumed here, and when only the server could help but gave no answer.
   */
  async #find(id: string): Promise<{ record: UploadRecord; bytes: BytesState } | null> {
    const { list, files } = this.#deps
    if (!(await list.claim(id))) return null
    const before = list.get(id)
    if (!before || !canResume(before)) {
      if (!before || before.status === 'completed') list.release(id)
      return null
    }
    const found = await this.#searchFor(before)
    const record = list.get(id)
    if (!record || !canResume(record) || !list.isClaimed(id)) return null
    // A person may have given the file meanwhile.
    const bytes = files.get(id) ? 'ready' : found
    return bytes && { record, bytes }
  }

  #searchFor(record: UploadRecord): Promise<BytesState | null> {
    const running = this.#searches.get(record.id)
    if (running) return running.found
    const end = new AbortController()
    const found = this.#search(record, end.signal)
      .catch(() => null)
      .finally(() => {
        if (this.#searches.get(record.id)?.end === end) this.#searches.delete(record.id)
      })
    this.#searches.set(record.id, { found, end })
    return found
  }

  async #search(record: UploadRecord, signal: AbortSignal): Promise<BytesState | null> {
    const state = await this.#deps.files.find(record)
    signal.throwIfAborted()
    if (state === 'ready') return state
    const isStored = await this.#isStored(record, signal)
    if (isStored) return 'stored'
    const canPersonHelp = state === 'permission' || (state === 'file' && !record.pasted)
    return isStored === null && !canPersonHelp ? null : state
  }

  /**
   * Returns true when the server has all bytes, or no longer knows the upload. Returns null when
   * the server gave no answer after a few attempts: it may be away for long, and a person can give
   * the file meanwhile.
   */
  async #isStored(
    { ticket, fileSize }: UploadRecord,
    signal: AbortSignal,
  ): Promise<boolean | null> {
    if (!ticket) return false
    const listing = {
      call: this.#deps.calls.listParts,
      input: { cloudKey: ticket.cloudKey },
      withinMs: callTimeoutMs,
      isPassing: mayPass,
      isReading: true,
    }
    const listed = await untilAnswered(listing, { signal, limit: fewTries }, this.#deps)
    signal.throwIfAborted()
    if (!listed.ok) return mayPass(listed.refusal) ? null : listed.refusal.status === 404
    const { parts } = listed.value
    const held = parts.reduce((sum, { size }) => sum + size, 0)
    return parts.length >= (ticket.parts?.count ?? 1) && held === fileSize
  }
}
