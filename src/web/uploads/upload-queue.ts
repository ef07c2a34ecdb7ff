import { createStore, type StoreApi } from 'zustand/vanilla'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { cleanFileName } from '../../shared/rules/file-name.ts'
import type { ExpirationDays } from '../../shared/rules/lifetime.ts'
import { cancelledByUser, type FailureNotice, failureNotice } from './upload-failure.ts'
import { type UploadEffects, UploadFailed, uploadFile } from './upload-file.ts'
import { outcomeText, type UploadShare } from './upload-progress.ts'

/** Spec §9: progress callbacks are throttled to every 500 ms. */
const progressEveryMs = 500
/** Spec §9: pause between file records. */
const pauseBetweenFilesMs = 500
/** Spec §9: the text of a finished batch is reset after 2 s. */
const outcomeShownMs = 2000

/** A file in the queue. */
export interface Upload extends UploadShare {
  id: number
  file: File
  expirationDays: ExpirationDays
}

/** A file that was not uploaded, and why; shown until it is tried again or dismissed. */
export interface UnsentFile {
  id: number
  name: string
  reason: string
  /** What to try again; null where trying again cannot help. */
  again: { file: File; expirationDays: ExpirationDays } | null
}

export interface UploadQueueState {
  /** The files of the running batch, or of the one that has just ended. */
  uploads: readonly Upload[]
  running: boolean
  unsent: readonly UnsentFile[]
  /** An error that belongs beside the drop zone (spec §5). */
  inlineError: string | null
  /** How the last batch ended, for two seconds. */
  outcome: string | null
  /** Queues files; `refused` are those that the plan left out. */
  add(
    files: readonly File[],
    expirationDays: ExpirationDays,
    refused: readonly { file: File; reason: string }[],
  ): void
  /** Ends the running upload and forgets those that wait (spec §4: 'Cancelled by user'). */
  cancel(): void
  tryAgain(id: number): void
  dismiss(): void
}

export interface UploadQueueEffects extends UploadEffects {
  /** Milliseconds, only ever compared with each other. */
  now: () => number
  onStored: (file: StoredFile) => void
  onNotice: (notice: FailureNotice & { kind: 'toast' }) => void
  /** Asks before the page is left; returns what stops asking. */
  guardPage: () => () => void
}

export type UploadQueue = StoreApi<UploadQueueState>

/** Uploads one after another (spec §4), and keeps what the upload panel shows. */
export const createUploadQueue = (effects: UploadQueueEffects): UploadQueue => {
  let lastId = 0
  let batch = new AbortController()

  const queue = createStore<UploadQueueState>()((set, get) => {
    const change = (id: number, changes: Partial<Upload>) =>
      set(({ uploads }) => ({
        uploads: uploads.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload)),
      }))

    const fail = (upload: Upload, reason: string) => {
      change(upload.id, { status: 'failed' })
      const { id, name, file, expirationDays } = upload
      const again = { file, expirationDays }
      set(({ unsent }) => ({ unsent: [...unsent, { id, name, reason, again }] }))
    }

    const showProgress = (upload: Upload) => {
      let shownAt = Number.NEGATIVE_INFINITY
      return (sent: number) => {
        const now = effects.now()
        if (sent < upload.size && now - shownAt < progressEveryMs) return
        shownAt = now
        change(upload.id, { sent })
      }
    }

    /** Uploads one file; true when the rest of the batch should be tried too. */
    const uploadOne = async (upload: Upload, signal: AbortSignal): Promise<boolean> => {
      change(upload.id, { status: 'uploading' })
      try {
        const stored = await uploadFile(upload, effects, signal, showProgress(upload))
        change(upload.id, { status: 'completed', sent: upload.size })
        effects.onStored(stored)
        return true
      } catch (error) {
        if (signal.aborted) return false
        const failure =
          error instanceof UploadFailed ? error : new UploadFailed('transfer', '', false)
        fail(upload, failure.message)
        const notice = failureNotice(failure.stage, upload.name, failure.message)
        if (notice.kind === 'inline') set({ inlineError: notice.text })
        else effects.onNotice(notice)
        if (failure.stopsTheRest) {
          for (const other of waiting()) fail(other, failure.message)
        }
        return !failure.stopsTheRest
      }
    }

    const waiting = () => get().uploads.filter(({ status }) => status === 'pending')

    const runBatch = async (signal: AbortSignal) => {
      for (let first = true; ; first = false) {
        const [next] = waiting()
        if (!next || signal.aborted) return
        if (!first) await effects.wait(pauseBetweenFilesMs, signal)
        if (!(await uploadOne(next, signal))) return
      }
    }

    const run = async (): Promise<void> => {
      batch = new AbortController()
      const { signal } = batch
      set({ running: true, uploads: waiting(), outcome: null, inlineError: null })
      const release = effects.guardPage()
      // A wait that the user's cancelling has ended; everything else is handled where it happens.
      await runBatch(signal).catch(() => undefined)
      release()
      // Files that were added after the cancelling, while its last call was still under way.
      if (signal.aborted && waiting().length > 0) return run()
      const outcome = signal.aborted ? cancelledByUser : outcomeText(get().uploads)
      set({ running: false, outcome, ...((signal.aborted || !outcome) && { uploads: [] }) })
      if (!outcome) return
      await effects.wait(outcomeShownMs, new AbortController().signal)
      if (batch.signal === signal) set({ uploads: [], outcome: null })
    }

    return {
      uploads: [],
      running: false,
      unsent: [],
      inlineError: null,
      outcome: null,
      add: (files, expirationDays, refused) => {
        const added = files.map((file) => ({
          id: ++lastId,
          file,
          name: cleanFileName(file.name),
          size: file.size,
          sent: 0,
          status: 'pending' as const,
          expirationDays,
        }))
        const left = refused.map(({ file, reason }) => ({
          id: ++lastId,
          name: cleanFileName(file.name),
          reason,
          again: null,
        }))
        set(({ uploads, unsent, running }) => ({
          uploads: [...(running ? uploads : []), ...added],
          unsent: [...unsent, ...left],
        }))
        if (added.length > 0 && !get().running) void run()
      },
      cancel: () => {
        set(({ uploads }) => ({ uploads: uploads.filter(({ status }) => status !== 'pending') }))
        batch.abort(new Error(cancelledByUser))
      },
      tryAgain: (id) => {
        const found = get().unsent.find((unsent) => unsent.id === id)
        if (!found?.again) return
        set(({ unsent }) => ({ unsent: unsent.filter((other) => other.id !== id) }))
        get().add([found.again.file], found.again.expirationDays, [])
      },
      dismiss: () => set({ unsent: [], inlineError: null }),
    }
  })
  return queue
}
