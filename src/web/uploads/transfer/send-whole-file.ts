import type { TransferJob } from '../upload-ports.ts'
import { putBytes, type TransferDeps, toTransferError } from './put-bytes.ts'
import { createRetries, isTransient } from './retry-policy.ts'
import { callTimeoutMs, type StorageResponse } from './storage-request.ts'

/**
 * Sends a single-part file to storage in one PUT. After a timeout or a lost connection, asks
 * storage for `Upload-Offset` and continues from there with `Range: bytes=n-` (spec §4).
 * @throws {TransferError} when no further attempt is made. Its status is 403 if the URL is no
 * longer valid.
 * @throws {FileUnreadableError} if the file is unreadable while its checksum is computed.
 * @throws the signal's reason when aborted.
 */
export async function sendWholeFile(job: TransferJob, deps: TransferDeps): Promise<void> {
  const { file, ticket, isResumed, hasOriginalDate, signal, onProgress, onInterrupted } = job
  const options = { signal, onInterrupted }
  let retries = createRetries(options, deps)

  const waitBeforeRetry = async (response: StorageResponse): Promise<void> => {
    const canRetry = await retries.waitForNext(response)
    if (!canRetry) throw toTransferError(response)
  }
  const fetchOffset = async (): Promise<number> => {
    const head = { method: 'HEAD', headers: {}, body: null, timeoutMs: callTimeoutMs } as const
    for (;;) {
      const response = await deps.send({ ...head, url: ticket.uploadUrl, signal })
      if (!isTransient(response)) return toOffset(response, file.size)
      await waitBeforeRetry(response)
    }
  }

  // If the file has changed, the stored bytes are useless.
  let offset = isResumed && hasOriginalDate ? await fetchOffset() : 0
  // Always send an empty file, because an offset of 0 doesn't prove that it was stored.
  while (offset < file.size || file.size === 0) {
    onProgress(offset)
    const piece = {
      url: ticket.uploadUrl,
      offset,
      size: file.size - offset,
      isRemainder: offset > 0,
      stallMs: retries.stallMs(),
      signal,
      onSent: (bytes: number) => onProgress(Math.min(offset + bytes, file.size)),
    }
    const response = await putBytes(job, piece, deps)
    if (response === null) break
    onProgress(offset)
    if (response.status === 403) throw toTransferError(response)
    await waitBeforeRetry(response)
    const nextOffset = response.status === 416 ? toOffset(response, file.size) : await fetchOffset()
    if (nextOffset > offset) retries = createRetries(options, deps)
    offset = nextOffset
  }
  onProgress(file.size)
}

/**
 * Returns a response's offset, or 0 if it is missing or past the end of the file. Responses have no
 * offset for presigned S3 URLs, which reject HEAD. The whole file is then resent, because a bucket
 * would store the remaining bytes as the whole file.
 */
function toOffset({ status = 0, uploadOffset }: StorageResponse, fileSize: number): number {
  const offset = uploadOffset ?? 0
  const hasOffset = (status >= 200 && status < 300) || status === 416
  return hasOffset && offset <= fileSize ? offset : 0
}
