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

/** Resolves when that fires. */
const firing = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

/**
 * Obeys the messages of one client, one job after another: of parts that are to travel together the
 * first must not wait until the last is reckoned. A cancelled job holds up nobody, even while its read
 * hangs.
 */
export const answerJobs = (
  post: (message: FromWorker) => void,
): ((message: ToWorker) => Promise<void>) => {
  const running = new Map<number, AbortController>()
  let before: Promise<unknown> = Promise.resolve()
  post('ready')
  return async ({ id, job }) => {
    if (job === 'cancel') {
      running.get(id)?.abort()
      return
    }
    const cancel = new AbortController()
    running.set(id, cancel)
    try {
      const worked = before.then(() => work(job, cancel.signal))
      before = Promise.race([worked.catch(() => undefined), firing(cancel.signal)])
      const value = await worked
      if (!cancel.signal.aborted) post({ id, ok: true, value })
    } catch (error) {
      if (cancel.signal.aborted) return
      post({ id, ok: false, why: error instanceof FileUnreadable ? 'unreadable' : 'broken' })
    } finally {
      running.delete(id)
    }
  }
}
