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

/** What reckons a part for longer waits for a disk or a network share: the next need not. */
const longestTurnMs = 2000

/** Resolves when the work is done or cancelled, or has had its time. */
const turnOf = (work: Promise<unknown>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, longestTurnMs)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    work.then(end, end)
    signal.addEventListener('abort', end, { once: true })
  })

/**
 * Obeys the messages of one client. Parts take turns, in the order in which they are asked for: of
 * those that are to travel together the first must not wait until the last is reckoned. A turn is over
 * after 2 s at most, so that a read that hangs holds up no other file for long. Other jobs run at once.
 */
export const answerJobs = (
  post: (message: FromWorker) => void,
): ((message: ToWorker) => Promise<void>) => {
  const running = new Map<number, AbortController>()
  let turnsBefore: Promise<void> = Promise.resolve()
  const inTurn = (job: ChecksumJob, signal: AbortSignal): Promise<string | null> => {
    const worked = turnsBefore.then(() => work(job, signal))
    turnsBefore = turnsBefore.then(() => turnOf(worked, signal))
    return worked
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
      const value = await (job.kind === 'part' ? inTurn : work)(job, cancel.signal)
      if (!cancel.signal.aborted) post({ id, ok: true, value })
    } catch (error) {
      if (cancel.signal.aborted) return
      post({ id, ok: false, why: error instanceof FileUnreadable ? 'unreadable' : 'broken' })
    } finally {
      running.delete(id)
    }
  }
}
