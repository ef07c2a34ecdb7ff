import { refuseOtherFile } from '../picking/file-identity.ts'
import type { PickedFile } from '../picking/picked-file.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import { repeat } from '../timers.ts'
import { mayPass } from '../transfer/retry-policy.ts'
import { callTimeoutMs } from '../transfer/storage-request.ts'
import { type CallDeps, type UploadCalls, untilAnswered } from '../transfer/upload-calls.ts'
import { unreadableText } from '../upload-errors.ts'
import type { UploadData } from './upload-data.ts'
import type { DataState, UploadEvent } from './upload-events.ts'
import { canResume, canResumeByItself } from './upload-machine.ts'

/** How often to check which paused uploads may resume without a person. */
const lookEveryMs = 1000

/**
 * How many times the server is asked for the stored bytes before the person is asked for the file.
 */
const fewTries = { maxTries: 3, isPatient: false }

/** Where the bytes of an upload are. `isSure` is false when the server gave no answer. */
interface Found {
  where: DataState
  isSure: boolean
}

export interface ResumeDeps extends CallDeps {
  calls: Pick<UploadCalls, 'listParts'>
  data: UploadData
  sample: (file: Blob, signal: AbortSignal) => Promise<string | null>
  record: (id: string) => UploadRecord | undefined
  /** The ids of the paused uploads, except those that wait for a sign-in. */
  paused: ReadonlySet<string>
  dispatch: (id: string, event: UploadEvent) => void
}

/** Resumes uploads that are paused or failed: finds their bytes, or asks a person for them. */
export interface UploadResumer {
  /**
   * Looks for the bytes of a paused or failed upload, and resumes it if they are found. Otherwise
   * asks a person for them, or fails the upload if they are certainly lost.
   */
  resume(id: string): Promise<void>
  /**
   * Looks for the bytes of a paused or failed upload. If only a person can give them, asks the
   * person. Does not resume the upload.
   */
  askForFile(record: UploadRecord): Promise<void>
  /**
   * Returns why an upload cannot continue with a file: it is not the file that the upload began
   * with, or it cannot be read. Returns null when it is the same file.
   */
  refuseFile(record: UploadRecord, file: File): Promise<string | null>
  /**
   * Resumes an upload with this file, without checking the file. Returns false when the upload
   * cannot be resumed (see `canResume`).
   */
  provide(id: string, picked: PickedFile): boolean
  /**
   * Resumes the first paused upload of `ids` that began with this file and has not got it yet.
   * Returns false when there is no such upload.
   */
  provideToAny(ids: readonly string[], picked: PickedFile): Promise<boolean>
  /**
   * Starts a check every second: it resumes paused uploads that need no person (spec §4). It stops
   * when none is left.
   */
  watchPaused(): void
  /** Ends the search for the bytes of an upload. */
  stopLooking(id: string): void
  /** Ends all searches for the bytes of uploads. */
  close(): void
}

export function createResumer(deps: ResumeDeps): UploadResumer {
  const { calls, timers, data, sample, record: recordOf, paused, dispatch } = deps
  /** The running searches, by record id. */
  const searches = new Map<string, { found: Promise<Found | null>; end: AbortController }>()

  const resume = async (id: string): Promise<void> => {
    const record = recordOf(id)
    if (!record || !canResume(record)) return
    const found = await find(record)
    if (!found) return
    // A person may have given the file meanwhile.
    const where = data.file(id) ? 'ready' : found.where
    // The server gave no answer, and may have all bytes. So the bytes do not count as lost yet.
    if (where !== 'ready' && !found.isSure && !canHelp(record, where)) return
    dispatch(id, { type: 'resume', data: where })
  }

  /**
   * Searches for the bytes of an upload. Calls for the same upload share one search. Returns null
   * when the search failed or was stopped.
   */
  const find = (record: UploadRecord): Promise<Found | null> => {
    const { id } = record
    const running = searches.get(id)
    if (running) return running.found
    const end = new AbortController()
    const found = search(record, end.signal)
      .catch(() => null)
      .finally(() => {
        if (searches.get(id)?.end === end) searches.delete(id)
      })
    searches.set(id, { found, end })
    return found
  }

  const search = async (record: UploadRecord, signal: AbortSignal): Promise<Found> => {
    const where = await data.find(record)
    signal.throwIfAborted()
    if (where === 'ready') return { where, isSure: true }
    const isStored = await isInStorage(record, signal)
    return { where: isStored ? 'stored' : where, isSure: isStored !== null }
  }

  /**
   * Returns true when the server has all bytes, or no longer knows the upload, which may then have
   * become a file. In both cases the upload is confirmed without the file. Returns null when the
   * server gave no answer after a few attempts. The server may be away for long, and a person can
   * give the file meanwhile.
   */
  const isInStorage = async (
    { ticket, fileSize }: UploadRecord,
    signal: AbortSignal,
  ): Promise<boolean | null> => {
    if (!ticket) return false
    const listing = {
      call: calls.listParts,
      input: { cloudKey: ticket.cloudKey },
      withinMs: callTimeoutMs,
      isPassing: mayPass,
      isReading: true,
    }
    const listed = await untilAnswered(listing, { signal, limit: fewTries }, deps)
    signal.throwIfAborted()
    if (!listed.ok) return mayPass(listed.refusal) ? null : listed.refusal.status === 404
    const { parts } = listed.value
    const held = parts.reduce((sum, { size }) => sum + size, 0)
    return parts.length >= (ticket.parts?.count ?? 1) && held === fileSize
  }

  const askForFile = async (record: UploadRecord): Promise<void> => {
    const where = (await find(record))?.where
    if (!where || !canHelp(record, where)) return
    // Another tab may have given the file meanwhile.
    if (data.file(record.id)) return
    // A failed upload stays failed with its error until the person tries it again.
    const isFailed = recordOf(record.id)?.status === 'failed'
    dispatch(record.id, isFailed ? { type: 'lacks', need: where } : { type: 'resume', data: where })
  }

  const refuseFile = (record: UploadRecord, file: File): Promise<string | null> =>
    refuseOtherFile(record.identity, file, (of) => sample(of, new AbortController().signal)).catch(
      () => unreadableText(file.name),
    )

  const provide = (id: string, picked: PickedFile): boolean => {
    const record = recordOf(id)
    if (!record || !canResume(record)) return false
    data.keepWithHandle(id, picked)
    dispatch(id, { type: 'resume', data: 'ready' })
    return true
  }

  const provideToAny = async (ids: readonly string[], picked: PickedFile): Promise<boolean> => {
    for (const id of ids) {
      const record = recordOf(id)
      // An earlier file of the same drop may have resumed this upload already.
      if (!record || !paused.has(id) || data.file(id)) continue
      if ((await refuseFile(record, picked.file)) !== null) continue
      if (provide(id, picked)) return true
    }
    return false
  }

  const resumeThoseThatMay = (): boolean => {
    const now = timers.now()
    let areAnyLeft = false
    for (const id of paused) {
      const record = recordOf(id)
      if (record?.need !== null) continue
      areAnyLeft = true
      if (canResumeByItself(record, now)) void resume(id)
    }
    return areAnyLeft
  }

  const stopLooking = (id: string): void => {
    searches.get(id)?.end.abort(new DOMException('It is not looked for any more.', 'AbortError'))
    searches.delete(id)
  }

  return {
    resume,
    askForFile,
    refuseFile,
    provide,
    provideToAny,
    watchPaused: repeat(timers, lookEveryMs, resumeThoseThatMay),
    stopLooking,
    close: () => {
      for (const id of [...searches.keys()]) stopLooking(id)
    },
  }
}

/** True when a person can give the bytes that this browser does not have. */
function canHelp({ pasted }: UploadRecord, where: DataState): where is 'file' | 'permission' {
  return where === 'permission' || (where === 'file' && !pasted)
}
