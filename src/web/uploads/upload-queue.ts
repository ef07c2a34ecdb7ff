import { createStore, type StoreApi } from 'zustand/vanilla'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { cleanFileName } from '../../shared/rules/file-name.ts'
import type { ExpirationDays } from '../../shared/rules/lifetime.ts'
import {
  cancelledByUser,
  type FailureNotice,
  failureNotice,
  stopsTheRest,
} from './upload-failure.ts'
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
  /** The connection was lost; it is tried again by itself. */
  interrupted: boolean
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

    const watch = ({ id, size }: Upload) => {
      let shownAt = Number.NEGATIVE_INFINITY
      return {
        onProgress: (sent: number) => {
          const now = effects.now()
          if (sent < size && now - shownAt < progressEveryMs) return
          shownAt = now
          change(id, { sent, interrupted: false })
        },
        onInterrupted: () => change(id, { interrupted: true }),
      }
    }

    const waiting = () => get().uploads.filter(({ status }) => status === 'pending')

    /** Tells of a failure where the spec wants it; true when the rest of the batch may still work. */
    const report = (upload: Upload, { stage, message, refusal }: UploadFailed): boolean => {
      const notice = failureNotice(stage, upload.name, message)
      fail(upload, notice.kind === 'toast' ? notice.description : notice.text)
      if (notice.kind === 'inline') set({ inlineError: notice.text })
      // Signed out: that is told once for the whole page.
      else if (refusal?.status !== 401) effects.onNotice(notice)
      if (!refusal || !stopsTheRest(refusal)) return true
      for (const other of waiting()) fail(other, message)
      return false
    }

    /** Uploads one file; true when the rest of the batch should be tried too. */
    const uploadOne = async (upload: Upload, signal: AbortSignal): Promise<boolean> => {
      change(upload.id, { status: 'uploading' })
      const result = await uploadFile(upload, effects, signal, watch(upload)).catch(
        (error: unknown) =>
          error instanceof UploadFailed ? error : new UploadFailed('transfer', ''),
      )
      if (!(result instanceof UploadFailed)) {
        change(upload.id, { status: 'completed', sent: upload.size })
        effects.onStored(result)
        return true
      }
      return signal.aborted ? false : report(upload, result)
    }

    const runBatch = async (signal: AbortSignal) => {
      for (let pause = 0; ; pause = pauseBetweenFilesMs) {
        const [next] = waiting()
        if (!next || signal.aborted) return
        if (pause > 0) await effects.wait(pause, signal).catch(() => undefined)
        if (signal.aborted || !(await uploadOne(next, signal))) return
      }
    }

    const run = async (): Promise<void> => {
      batch = new AbortController()
      const { signal } = batch
      set({ running: true, uploads: waiting(), outcome: null, inlineError: null })
      const release = effects.guardPage()
      await runBatch(signal)
      release()
      // Files that were added after the cancelling, while its last call was still under way.
      if (signal.aborted && waiting().length > 0) return run()
      const outcome = outcomeText(get().uploads, signal.aborted)
      const stays = outcome !== null && !signal.aborted
      set(({ uploads }) => ({ running: false, outcome, uploads: stays ? uploads : [] }))
      if (outcome === null) return
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
          interrupted: false,
          status: 'pending' as const,
          expirationDays,
        }))
        const left = refused.map(({ file, reason }) => ({
          id: ++lastId,
          name: cleanFileName(file.name),
          reason,
          again: null,
        }))
        // A file that is chosen again is no longer one that was left behind.
        const isAdded = ({ again }: UnsentFile) =>
          files.some(({ name, size }) => again?.file.name === name && again.file.size === size)
        set(({ uploads, unsent, running }) => ({
          uploads: [...(running ? uploads : []), ...added],
          unsent: [...unsent.filter((other) => !isAdded(other)), ...left],
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
