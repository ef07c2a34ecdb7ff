import type { BodyChecksum } from '../../../shared/rules/files/part-plan.ts'
import type { ChecksumJob, FromWorker, ToWorker } from './checksum-messages.ts'
import { FileUnreadable } from './hash-blob.ts'

/**
 * Checksums that a Web Worker computes, so that the page does not freeze.
 *
 * All functions reject with FileUnreadable when the file was changed or removed, and with the
 * reason of their signal when it is aborted. They return null if this browser has no worker or no
 * WebAssembly, or if the worker fails. The upload then continues without checksums.
 */
export interface Checksums {
  /** Computes the checksum of a part in base64. */
  part(part: Blob, checksum: BodyChecksum, signal: AbortSignal): Promise<string | null>
  /**
   * Computes the SHA-256 of all bytes in lower-case hexadecimal. It does not delay the checksums of
   * parts.
   */
  sha256(file: Blob, signal: AbortSignal): Promise<string | null>
  /** Computes the SHA-256 of a file's size and of its first, middle and last 64 KiB. */
  sample(file: Blob, signal: AbortSignal): Promise<string | null>
}

/** The part of a browser's Worker that is used here. */
export interface WorkerLike {
  postMessage(message: ToWorker): void
  terminate(): void
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
  onmessageerror: ((event: MessageEvent) => void) | null
}

/**
 * An idle worker is ended after this time, because a running worker never gives its memory back.
 */
const idleMs = 30_000
/**
 * How long an upload waits for a new worker. The worker's script loads over the same connection as
 * the uploads, which may be slow.
 */
const readyWithinMs = 15_000

/** The worker did not start, died during this job, or failed at the job. */
class WorkerLost extends Error {}

interface Pending {
  resolve: (value: string | null) => void
  reject: (reason: unknown) => void
}

type Ask = (job: ChecksumJob, signal: AbortSignal) => Promise<string | null>

/**
 * Makes a function that sends jobs to one worker. The worker is started when needed, ended when
 * idle, and started again after a crash.
 */
function keepWorker(startWorker: () => WorkerLike): Ask {
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
  const remove = (id: number): Pending | undefined => {
    const found = pending.get(id)
    pending.delete(id)
    // A cancelled job may still be answered. An idle timer may then be running already.
    clearTimeout(idleTimer)
    if (pending.size === 0) idleTimer = setTimeout(end, idleMs)
    return found
  }
  const hear = (message: FromWorker) => {
    if (message === 'ready') {
      clearTimeout(readyTimer)
      return
    }
    const job = remove(message.id)
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
      remove(id)?.reject(signal.reason)
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

async function orNull(answer: ReturnType<Ask>): Promise<string | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof WorkerLost) return null
    throw error
  }
}

/**
 * Creates checksums with two workers: one for parts and samples, and one for whole files. So no
 * part waits for a whole file.
 */
export function createChecksums(startWorker: () => WorkerLike): Checksums {
  const ask = keepWorker(startWorker)
  const askForWhole = keepWorker(startWorker)
  return {
    part: (blob, checksum, signal) => orNull(ask({ kind: 'part', blob, checksum }, signal)),
    sha256: (blob, signal) => orNull(askForWhole({ kind: 'whole', blob }, signal)),
    sample: (blob, signal) => orNull(ask({ kind: 'sample', blob }, signal)),
  }
}

/**
 * Starts the checksum worker.
 * @throws where this browser has no workers.
 */
export function startChecksumWorker(): WorkerLike {
  return new Worker(new URL('./checksum-worker.ts', import.meta.url), { type: 'module' })
}
