import type { BodyChecksum } from '../../../shared/rules/files/part-plan.ts'
import type { ChecksumJob, WorkerMessage, WorkerRequest } from './checksum-messages.ts'
import { FileUnreadableError, type Hashes } from './hash-blob.ts'

/** Checksums of a whole file: the SHA-256 in lowercase hex, the CRC-32 as an unsigned integer. */
export interface FileChecksums {
  sha256: string
  crc32: number
}

/**
 * Checksums computed by a Web Worker to keep the page responsive.
 *
 * All functions reject with FileUnreadableError if the file was changed or removed, and with the
 * signal's reason when aborted. They resolve to null if the browser has no workers or no
 * WebAssembly, or if the worker fails. The upload then continues without checksums.
 */
export interface Checksums {
  /** Computes a part's checksum in base64. */
  part(part: Blob, checksum: BodyChecksum, signal: AbortSignal): Promise<string | null>
  file(file: Blob, signal: AbortSignal): Promise<FileChecksums | null>
}

/** The part of `Worker` used here. */
export interface WorkerLike {
  postMessage(message: WorkerRequest): void
  terminate(): void
  onmessage: ((event: MessageEvent<WorkerMessage>) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
  onmessageerror: ((event: MessageEvent) => void) | null
}

/**
 * How long to wait for a new worker to load its script, which may be slow because it shares the
 * connection with the uploads.
 */
const readyTimeoutMs = 15_000

interface PendingJob {
  resolve: (value: Hashes | null) => void
  reject: (reason: unknown) => void
}

/**
 * Returns checksum functions that share a worker. The worker starts with the first job, and again
 * after a crash.
 */
export function createChecksums(startWorker: () => WorkerLike): Checksums {
  const pending = new Map<number, PendingJob>()
  let worker: WorkerLike | null = null
  let readyTimer: ReturnType<typeof setTimeout> | undefined
  let lastId = 0

  const failPendingJobs = () => {
    clearTimeout(readyTimer)
    worker?.terminate()
    worker = null
    for (const { resolve } of pending.values()) resolve(null)
    pending.clear()
  }
  const onMessage = (message: WorkerMessage) => {
    if (message === 'ready') return clearTimeout(readyTimer)
    const job = pending.get(message.id)
    pending.delete(message.id)
    if (message.ok) job?.resolve(message.value)
    else job?.reject(new FileUnreadableError(null))
  }
  const startNewWorker = (): WorkerLike => {
    const newWorker = startWorker()
    readyTimer = setTimeout(failPendingJobs, readyTimeoutMs)
    newWorker.onmessage = ({ data }) => onMessage(data)
    newWorker.onerror = failPendingJobs
    newWorker.onmessageerror = failPendingJobs
    return newWorker
  }
  const runJob = async (job: ChecksumJob, signal: AbortSignal): Promise<Hashes | null> => {
    signal.throwIfAborted()
    try {
      worker ??= startNewWorker()
    } catch {
      return null
    }
    const currentWorker = worker
    lastId += 1
    const id = lastId
    const { promise, resolve, reject } = Promise.withResolvers<Hashes | null>()
    pending.set(id, { resolve, reject })
    currentWorker.postMessage({ id, job })
    const cancel = () => {
      currentWorker.postMessage({ id, job: 'cancel' })
      pending.delete(id)
      reject(signal.reason)
    }
    signal.addEventListener('abort', cancel)
    return promise.finally(() => signal.removeEventListener('abort', cancel))
  }

  return {
    async part(blob, checksum, signal) {
      const hex = (await runJob({ blob, algorithms: [checksum] }, signal))?.[checksum]
      return hex === undefined ? null : hexToBase64(hex)
    },
    async file(blob, signal) {
      const { sha256, crc32 } =
        (await runJob({ blob, algorithms: ['sha256', 'crc32'] }, signal)) ?? {}
      return sha256 && crc32 ? { sha256, crc32: Number.parseInt(crc32, 16) } : null
    },
  }
}

function hexToBase64(hex: string): string {
  return btoa(hex.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))))
}

/**
 * Starts the checksum worker.
 * @throws if the browser has no workers.
 */
export function startChecksumWorker(): WorkerLike {
  return new Worker(new URL('./checksum-worker.ts', import.meta.url), { type: 'module' })
}
