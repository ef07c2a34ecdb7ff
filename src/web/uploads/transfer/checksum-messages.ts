import { FileUnreadable, hashPart, hashSample, hashWhole, type PartChecksum } from './hash-blob.ts'

/** What the worker is asked for. */
export type ChecksumJob =
  | { kind: 'part'; blob: Blob; checksum: PartChecksum }
  | { kind: 'whole'; blob: Blob }
  | { kind: 'sample'; blob: Blob }

/** To the worker. Ids are of the sender's choosing; a cancelled job is not answered. */
export type ToWorker = { id: number; job: ChecksumJob } | { id: number; job: 'cancel' }

/** From the worker: once that it runs, then an answer for each job. */
export type FromWorker =
  | 'ready'
  | { id: number; ok: true; value: string | null }
  | { id: number; ok: false; why: 'unreadable' | 'broken' }

const work = (job: ChecksumJob, signal: AbortSignal): Promise<string | null> => {
  if (job.kind === 'part') return hashPart(job.blob, job.checksum, signal)
  return job.kind === 'whole' ? hashWhole(job.blob, signal) : hashSample(job.blob)
}

/** Obeys the messages of one client; several jobs may run at once. */
export const answerJobs = (
  post: (message: FromWorker) => void,
): ((message: ToWorker) => Promise<void>) => {
  const running = new Map<number, AbortController>()
  post('ready')
  return async ({ id, job }) => {
    if (job === 'cancel') {
      running.get(id)?.abort()
      return
    }
    const cancel = new AbortController()
    running.set(id, cancel)
    try {
      const value = await work(job, cancel.signal)
      if (!cancel.signal.aborted) post({ id, ok: true, value })
    } catch (error) {
      if (cancel.signal.aborted) return
      post({ id, ok: false, why: error instanceof FileUnreadable ? 'unreadable' : 'broken' })
    } finally {
      running.delete(id)
    }
  }
}
