import type { BodyChecksum } from '../../../shared/rules/files/part-plan.ts'
import { FileUnreadableError, type HashAlgorithm, type Hashes } from './hash-blob.ts'

/** Checksums of a whole file: the SHA-256 in lowercase hex, the CRC-32 as an unsigned integer. */
export interface FileChecksums {
  sha256: string
  crc32: number
}

/**
 * Checksums computed by a Web Worker to keep the page responsive.
 *
 * All functions reject with FileUnreadableError if the file was changed or removed, and with the
 * signal's reason when aborted. They resolve to null if the browser has no WebAssembly or the
 * worker fails. The upload then continues without checksums.
 */
export interface Checksums {
  /** Computes a part's checksum in base64. */
  part(part: Blob, checksum: BodyChecksum, signal: AbortSignal): Promise<string | null>
  file(file: Blob, signal: AbortSignal): Promise<FileChecksums | null>
}

/** A message to the worker. The sender chooses the ID. */
export interface HashRequest {
  id: number
  blob: Blob
  algorithms: readonly HashAlgorithm[]
}

/** The worker's response to a request. `hashes` is null if the worker can't compute them. */
export interface HashResult {
  id: number
  hashes: Hashes | 'unreadable' | null
}

/** The part of `Worker` used here. */
export interface WorkerLike {
  postMessage(request: HashRequest): void
  terminate(): void
  onmessage: ((event: MessageEvent<HashResult>) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
}

/**
 * Returns checksum functions that share a worker. The worker starts with the first job, and again
 * after a crash.
 */
export function createChecksums(startWorker: () => WorkerLike): Checksums {
  const pending = new Map<number, PromiseWithResolvers<Hashes | null>>()
  let worker: WorkerLike | null = null
  let lastId = 0

  const startNewWorker = (): WorkerLike => {
    const newWorker = startWorker()
    newWorker.onmessage = ({ data: { id, hashes } }) => {
      if (hashes === 'unreadable') pending.get(id)?.reject(new FileUnreadableError(null))
      else pending.get(id)?.resolve(hashes)
      pending.delete(id)
    }
    newWorker.onerror = () => {
      newWorker.terminate()
      worker = null
      for (const { resolve } of pending.values()) resolve(null)
      pending.clear()
    }
    return newWorker
  }
  const hash = async (
    blob: Blob,
    algorithms: readonly HashAlgorithm[],
    signal: AbortSignal,
  ): Promise<Hashes | null> => {
    signal.throwIfAborted()
    worker ??= startNewWorker()
    lastId += 1
    const job = Promise.withResolvers<Hashes | null>()
    pending.set(lastId, job)
    worker.postMessage({ id: lastId, blob, algorithms })
    const abort = () => job.reject(signal.reason)
    signal.addEventListener('abort', abort)
    return job.promise.finally(() => signal.removeEventListener('abort', abort))
  }

  return {
    async part(blob, checksum, signal) {
      const hex = (await hash(blob, [checksum], signal))?.[checksum]
      return hex === undefined ? null : hexToBase64(hex)
    },
    async file(blob, signal) {
      const { sha256, crc32 } = (await hash(blob, ['sha256', 'crc32'], signal)) ?? {}
      return sha256 && crc32 ? { sha256, crc32: Number.parseInt(crc32, 16) } : null
    },
  }
}

function hexToBase64(hex: string): string {
  return btoa(hex.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))))
}

export function startChecksumWorker(): WorkerLike {
  return new Worker(new URL('./checksum-worker.ts', import.meta.url), { type: 'module' })
}
