import type { BodyChecksum } from '../../../shared/rules/files/part-plan.ts'
import { FileUnreadable, hashPart, hashSample, hashWhole } from './hash-blob.ts'

/** The jobs of the checksum worker: hash one part, a whole file, or samples of a file. */
export type ChecksumJob =
  | { kind: 'part'; blob: Blob; checksum: BodyChecksum }
  | { kind: 'whole'; blob: Blob }
  | { kind: 'sample'; blob: Blob }

/** A message to the worker. The sender chooses the ids. A cancelled job gets no answer. */
export type ToWorker = { id: number; job: ChecksumJob } | { id: number; job: 'cancel' }

/** A message from the worker: `ready` once, then an answer for each job that was not cancelled. */
export type FromWorker =
  | 'ready'
  | { id: number; ok: true; value: string | null }
  | { id: number; ok: false; why: 'unreadable' | 'broken' }

/**
 * If the checksum of a part takes longer than this, it waits for a slow disk or network. The next
 * part then starts without waiting for it.
 */
const longestAloneMs = 2000

/**
 * Makes the function that answers the messages to a worker.
 *
 * Checksums of parts are computed one after another, in the order of the requests, so that the
 * first part is not delayed by all others. A part delays the next one for 2 s at most, since a read
 * may hang. Other jobs start immediately.
 */
export function answerJobs(
  post: (message: FromWorker) => void,
): (message: ToWorker) => Promise<void> {
  const running = new Map<number, AbortController>()
  let partsBefore: Promise<void> = Promise.resolve()
  const afterOtherParts = (job: ChecksumJob, signal: AbortSignal): Promise<string | null> => {
    const computed = partsBefore.then(() => compute(job, signal))
    partsBefore = partsBefore.then(() => settledOrLate(computed, signal))
    return computed
  }
  post('ready')
  return async ({ id, job }) => {
    if (job === 'cancel') {
      running.get(id)?.abort()
      return
    }
    const cancel = new AbortController()
    running.set(id, cancel)
    try {
      const value = await (job.kind === 'part' ? afterOtherParts : compute)(job, cancel.signal)
      if (!cancel.signal.aborted) post({ id, ok: true, value })
    } catch (error) {
      if (cancel.signal.aborted) return
      post({ id, ok: false, why: error instanceof FileUnreadable ? 'unreadable' : 'broken' })
    } finally {
      running.delete(id)
    }
  }
}

function compute(job: ChecksumJob, signal: AbortSignal): Promise<string | null> {
  if (job.kind === 'part') return hashPart(job.blob, job.checksum, signal)
  return job.kind === 'whole' ? hashWhole(job.blob, signal) : hashSample(job.blob)
}

/** Resolves when the work has ended, was cancelled, or has taken 2 s. */
function settledOrLate(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, longestAloneMs)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    work.then(end, end)
    signal.addEventListener('abort', end, { once: true })
  })
}
