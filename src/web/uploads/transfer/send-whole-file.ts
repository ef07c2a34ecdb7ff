import { TransferFailed, type TransferJob } from '../upload-ports.ts'
import type { Checksums } from './checksums.ts'
import { isReadable } from './hash-blob.ts'
import { Retries, type RetryDeps } from './retry.ts'
import { type FailedTry, failureOf, mayPass, stallLimitMs, verdictOn } from './retry-policy.ts'
import {
  callTimeoutMs,
  checksumHeader,
  requestTimeoutMs,
  type Send,
  type StorageAnswer,
} from './storage-request.ts'

/** What sending bytes needs from the server and the browser. */
export interface TransferDeps extends RetryDeps {
  send: Send
  checksums: Pick<Checksums, 'part'>
}

/**
 * Sends a file of one part to storage in one PUT. After a time-out, a lost connection or a restart
 * of the server it asks for `Upload-Offset` and continues from there with `Range: bytes=n-` (spec
 * §4: tried again after 3 seconds and growing waits, from what storage holds).
 * @throws {TransferFailed} when no further attempt is made. Its status is 403 when the URL is no
 * longer valid. Its kind is `unreadable` when the file was changed or removed.
 * @throws {FileUnreadable} when the file cannot be read while its checksum is computed.
 * @throws the reason of the signal when it is aborted.
 */
export async function sendWholeFile(job: TransferJob, deps: TransferDeps): Promise<void> {
  const { file, ticket, contentType, resumed, signal, onProgress, onInterrupted } = job
  /** How many bytes storage has; null when storage must be asked. */
  let stored: number | null = resumed ? null : 0
  let mostStored = 0

  const retries = new Retries({ signal, onInterrupted }, deps)

  /**
   * Sends the bytes that storage lacks. Returns how the attempt failed; null when storage has the
   * whole file.
   */
  const tryOnce = async (): Promise<FailedTry | null> => {
    signal.throwIfAborted()
    if (stored === null) {
      const answer = await askOffset()
      if (isLost(answer)) return { request: 'call', answer }
      stored = offsetIn(answer)
    }
    // For an empty file the offset 0 does not show whether it was stored. So an empty file is
    // always sent.
    if (stored === file.size && stored > 0) return null
    const offset = stored < file.size ? stored : 0
    const progress = offset > mostStored ? 'here' : undefined
    mostStored = Math.max(mostStored, offset)

    const answer = await put(offset, progress ? 0 : retries.tries.stalled)
    const verdict = verdictOn({ request: 'put', answer })
    if (verdict === 'stored') return null
    if (answer.kind === 'network' && !(await isReadable(file, offset))) {
      throw new TransferFailed('unreadable')
    }
    const ended: FailedTry = { request: 'put', answer, progress }
    // This URL cannot be signed again. `send-file.ts` then sends the file as a single part.
    if (verdict === 'unsigned') throw failureOf(ended)
    stored = verdict === 'wrong-offset' ? offsetIn(answer) : null
    onProgress(mostStored)
    return ended
  }

  const put = async (offset: number, stalled: number): Promise<StorageAnswer> => {
    onProgress(offset)
    const checksum = offset === 0 ? await deps.checksums.part(file, ticket.checksum, signal) : null
    return deps.send({
      method: 'PUT',
      url: ticket.uploadUrl,
      headers: {
        'Content-Type': contentType,
        ...(offset > 0 && { Range: `bytes=${offset}-` }),
        ...checksumHeader(ticket.checksum, checksum),
      },
      // The body is always a slice of the file. If the file was chosen in another tab, the browser
      // lets this tab send only slices of it.
      body: file.slice(offset),
      timeoutMs: requestTimeoutMs,
      stallMs: stallLimitMs(stalled),
      signal,
      onSent: (bytes) => onProgress(Math.min(offset + bytes, file.size)),
    })
  }

  const askOffset = (): Promise<StorageAnswer> => {
    const question = { method: 'HEAD', headers: {}, body: null, timeoutMs: callTimeoutMs } as const
    return deps.send({ ...question, url: ticket.uploadUrl, signal })
  }

  let failed = await tryOnce()
  while (failed && (await retries.waitForNext(failed))) failed = await tryOnce()
  if (failed) {
    signal.throwIfAborted()
    throw failureOf(failed)
  }
  onProgress(file.size)
}

/** True when the question for the offset got no answer, or an error that may pass. */
function isLost(answer: StorageAnswer): boolean {
  return mayPass({ status: answer.kind === 'answer' ? answer.status : null })
}

/**
 * Returns the offset that an answer names, or 0 if it names none. A plain S3 URL refuses HEAD and
 * so names none. The whole file is then sent again, because storage would take the rest of the file
 * for the whole file.
 */
function offsetIn(answer: StorageAnswer): number {
  if (answer.kind !== 'answer') return 0
  const isTold = (answer.status >= 200 && answer.status < 300) || answer.status === 416
  return isTold ? (answer.uploadOffset ?? 0) : 0
}
