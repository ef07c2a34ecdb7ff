import type { BodyChecksum } from '../../../shared/rules/body-checksum.ts'
import { FileUnreadable, hashPart, hashSample, hashWhole } from './hash-blob.ts'

/** The jobs of the worker. */
export type ChecksumJob =
  | { kind: 'part'; blob: Blob; checksum: BodyChecksum }
  | { kind: 'whole'; blob: Blob }
  | { kind: 'sample'; blob: Blob }

/** A message to the worker. The sender chooses the ids. A cancelled job gets no answer. */
export type ToWorker = { id: number; job: ChecksumJob } | { id: number; job: 'cancel' }

/** A message from the worker: `ready` once, then an answer for each job. */
export type FromWorker =
  | 'ready'
  | { id: number; ok: true; value: string | null }
  | { id: number; ok: false; why: 'unreadable' | 'broken' }

/**
 * A part that takes longer is waiting for a disk or a network share. The next part does not wait
 * for it.
 */
const longestAloneMs = 2000

/**
 * Makes the function that answers the messages of one client. Parts are computed one after another,
 * in the order of the requests, because the first of several parts must not wait for the last. A
 * part holds up the next one for 2 s at most, since a read may hang. Other jobs run at once.
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

/** Resolves when the work is done or cancelled, or takes too long. */
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
