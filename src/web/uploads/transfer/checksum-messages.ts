import { FileUnreadableError, type HashAlgorithm, type Hashes, hashBlob } from './hash-blob.ts'

/** A job for the checksum worker: hashing a part or a whole file. */
export interface ChecksumJob {
  blob: Blob
  algorithms: readonly HashAlgorithm[]
}

/** A message to the worker. The sender chooses the IDs. A cancelled job gets no result. */
export type WorkerRequest = { id: number; job: ChecksumJob } | { id: number; job: 'cancel' }

/**
 * A message from the worker: `ready` once, then a result for each job that wasn't cancelled. `ok`
 * is false if the file is unreadable.
 */
export type WorkerMessage =
  | 'ready'
  | { id: number; ok: true; value: Hashes | null }
  | { id: number; ok: false }

export function createJobHandler(
  post: (message: WorkerMessage) => void,
): (message: WorkerRequest) => Promise<void> {
  const controllers = new Map<number, AbortController>()
  post('ready')
  return async ({ id, job }) => {
    if (job === 'cancel') {
      controllers.get(id)?.abort()
      return
    }
    const controller = new AbortController()
    controllers.set(id, controller)
    try {
      const value = await hashBlob(job.blob, job.algorithms, controller.signal)
      if (!controller.signal.aborted) post({ id, ok: true, value })
    } catch (error) {
      if (controller.signal.aborted) return
      post(error instanceof FileUnreadableError ? { id, ok: false } : { id, ok: true, value: null })
    } finally {
      controllers.delete(id)
    }
  }
}
