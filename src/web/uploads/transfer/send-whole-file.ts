import type { TransferJob } from '../upload-ports.ts'
import { failureOf, putBytes, type TransferDeps } from './put-bytes.ts'
import { mayPass, Retries } from './retry-policy.ts'
import { callTimeoutMs, type StorageResponse } from './storage-request.ts'

/**
 * Sends a single-part file to storage in one PUT. After a timeout or a lost connection it asks
 * storage for `Upload-Offset` and continues from there with `Range: bytes=n-` (spec §4).
 * @throws {TransferError} when no further attempt is made. Its status is 403 if the URL is no
 * longer valid.
 * @throws {FileUnreadableError} if the file is unreadable while its checksum is computed.
 * @throws the reason of the signal when it is aborted.
 */
export async function sendWholeFile(job: TransferJob, deps: TransferDeps): Promise<void> {
  const { file, ticket, isResumed, hasOriginalDate, signal, onProgress, onInterrupted } = job
  const startRetries = () => new Retries({ signal, onInterrupted }, deps)
  let retries = startRetries()

  const waitAfter = async (response: StorageResponse): Promise<void> => {
    const isAllowed = await retries.waitForNext(response)
    if (!isAllowed) throw failureOf(response)
  }
  const askOffset = async (): Promise<number> => {
    const question = { method: 'HEAD', headers: {}, body: null, timeoutMs: callTimeoutMs } as const
    for (;;) {
      const response = await deps.send({ ...question, url: ticket.uploadUrl, signal })
      if (!mayPass(response)) return offsetIn(response, file.size)
      await waitAfter(response)
    }
  }

  // If the file has changed, its stored bytes are useless.
  let offset = isResumed && hasOriginalDate ? await askOffset() : 0
  // An offset of 0 doesn't prove that an empty file was stored, so it is always sent.
  while (offset < file.size || file.size === 0) {
    onProgress(offset)
    const piece = {
      url: ticket.uploadUrl,
      offset,
      size: file.size - offset,
      isRest: offset > 0,
      stallMs: retries.stallMs,
      signal,
      onSent: (bytes: number) => onProgress(Math.min(offset + bytes, file.size)),
    }
    const response = await putBytes(job, piece, deps)
    if (response === null) break
    onProgress(offset)
    if (response.status === 403) throw failureOf(response)
    await waitAfter(response)
    const stored = response.status === 416 ? offsetIn(response, file.size) : await askOffset()
    if (stored > offset) retries = startRetries()
    offset = stored
  }
  onProgress(file.size)
}

/**
 * Returns the offset in a response, or 0 if there is none or it is past the end of the file.
 * Presigned S3 URLs refuse HEAD and so provide none. The whole file is then resent, because storage
 * would take the rest for the whole file.
 */
function offsetIn({ status = 0, uploadOffset }: StorageResponse, fileSize: number): number {
  const offset = uploadOffset ?? 0
  const isNamed = (status >= 200 && status < 300) || status === 416
  return isNamed && offset <= fileSize ? offset : 0
}
