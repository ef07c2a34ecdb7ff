import type { ChecksumJob, FromWorker, ToWorker } from './checksum-messages.ts'
import { FileUnreadable, type PartChecksum } from './hash-blob.ts'

/**
 * Checksums, reckoned away from the page. All reject with FileUnreadable when the file was changed or
 * removed, and with the reason of their signal when that fires. Null stands for what this browser
 * cannot reckon, having no worker or no WebAssembly: an upload does without.
 */
export interface Checksums {
  /** The checksum of a part in base64. */
  part(part: Blob, checksum: PartChecksum, signal: AbortSignal): Promise<string | null>
  /** The SHA-256 of all bytes in lower-case hexadecimal. Parts do not wait for it. */
  sha256(file: Blob, signal: AbortSignal): Promise<string | null>
  /** The SHA-256 of a file's size and of its first, middle and last 64 KiB. */
  sample(file: Blob, signal: AbortSignal): Promise<string | null>
}

/** What is used of a Worker; the browser's own is one. */
export interface WorkerLike {
  postMessage(message: ToWorker): void
  terminate(): void
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
  onmessageerror: ((event: MessageEvent) => void) | null
}

/** A worker without work is ended: it keeps what it has ever needed of memory. */
const idleMs = 30_000
/** Its script comes over the same line as everything else; no upload waits for it for ever. */
const readyWithinMs = 15_000

/** The worker cannot be had, or has died over this job. */
class WorkerLost extends Error {}

interface Pending {
  resolve: (value: string | null) => void
  reject: (reason: unknown) => void
}

type Ask = (job: ChecksumJob, signal: AbortSignal) => Promise<string | null>

/** One worker: started when it is needed, ended when it is not, started anew when it was lost. */
const createDesk = (startWorker: () => WorkerLike): Ask => {
  const pending = new Map<number, Pending>()
  let worker: WorkerLike | null = null
  let readyTimer: ReturnType<typeof setTimeout> | undefined
  let idleTimer: ReturnType<typeof setTimeout> | undefined
  let lastId = 0

  const end = () => {
    clearTimeout(readyTimer)
    clearTimeout(idleTimer)
    worker?.terminate()
    worker = null
    for (const { reject } of pending.values()) reject(new WorkerLost())
    pending.clear()
  }
  const take = (id: number): Pending | undefined => {
    const found = pending.get(id)
    pending.delete(id)
    // A cancelled job may be answered all the same: the one timer that counts is the last.
    clearTimeout(idleTimer)
    if (pending.size === 0) idleTimer = setTimeout(end, idleMs)
    return found
  }
  const hear = (message: FromWorker) => {
    if (message === 'ready') {
      clearTimeout(readyTimer)
      return
    }
    const job = take(message.id)
    if (message.ok) job?.resolve(message.value)
    else job?.reject(message.why === 'unreadable' ? new FileUnreadable(null) : new WorkerLost())
  }
  const start = (): WorkerLike => {
    let started: WorkerLike
    try {
      started = startWorker()
    } catch {
      throw new WorkerLost()
    }
    readyTimer = setTimeout(end, readyWithinMs)
    started.onmessage = ({ data }) => hear(data)
    started.onerror = end
    started.onmessageerror = end
    return started
  }

  return async (job, signal) => {
    signal.throwIfAborted()
    clearTimeout(idleTimer)
    const running = worker ?? start()
    worker = running
    lastId += 1
    const id = lastId
    const cancel = () => {
      running.postMessage({ id, job: 'cancel' })
      take(id)?.reject(signal.reason)
    }
    signal.addEventListener('abort', cancel, { once: true })
    try {
      return await new Promise((resolve, reject) => {
        pending.set(id, { resolve, reject })
        running.postMessage({ id, job })
      })
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}

const orNull = (answer: ReturnType<Ask>): Promise<string | null> =>
  answer.catch((error: unknown) => {
    if (error instanceof WorkerLost) return null
    throw error
  })

/**
 * Checksums by workers: one for parts and samples, one for the pass over a whole file, so that no
 * part waits for that.
 */
export const createChecksums = (startWorker: () => WorkerLike): Checksums => {
  const ask = createDesk(startWorker)
  const askForWhole = createDesk(startWorker)
  return {
    part: (blob, checksum, signal) => orNull(ask({ kind: 'part', blob, checksum }, signal)),
    sha256: (blob, signal) => orNull(askForWhole({ kind: 'whole', blob }, signal)),
    sample: (blob, signal) => orNull(ask({ kind: 'sample', blob }, signal)),
  }
}

/** Starts the worker of this browser. @throws where it has none. */
export const startChecksumWorker = (): WorkerLike =>
  new Worker(new URL('./checksum-worker.ts', import.meta.url), { type: 'module' })
