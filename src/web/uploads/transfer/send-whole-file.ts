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
 * §4: the transfer is retried after 3 seconds from the bytes already sent, using a range header).
 * @throws {TransferFailed} when it is given up; with the status 403 when the URL is no longer
 * valid; as unreadable when a try ended because the file was changed or removed.
 * @throws {FileUnreadable} when the file proves unreadable while its checksum is computed.
 * @throws the reason of the signal when it fires.
 */
export async function sendWholeFile(job: TransferJob, deps: TransferDeps): Promise<void> {
  const { file, ticket, contentType, resumed, signal, onProgress, onInterrupted } = job
  /** How many bytes storage holds; null when storage must be asked. */
  let stored: number | null = resumed ? null : 0
  let mostStored = 0

  const retries = new Retries({ signal, onInterrupted }, deps)
  let failed = await tryOnce()
  while (failed && (await retries.waitForNext(failed))) failed = await tryOnce()
  if (failed) {
    signal.throwIfAborted()
    throw failureOf(failed)
  }
  onProgress(file.size)

  /** Sends what storage lacks. Returns how this failed; null when storage has the file. */
  async function tryOnce(): Promise<FailedTry | null> {
    signal.throwIfAborted()
    if (stored === null) {
      const answer = await askOffset()
      if (isLost(answer)) return { request: 'call', answer }
      stored = offsetIn(answer)
    }
    // The offset of an empty file is 0 even if it was never stored, so an empty file is always
    // sent.
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
    // This URL cannot be signed again, so `send-file.ts` sends the file as its only part.
    if (verdict === 'unsigned') throw failureOf(ended)
    stored = verdict === 'wrong-offset' ? offsetIn(answer) : null
    onProgress(mostStored)
    return ended
  }

  async function put(offset: number, stalled: number): Promise<StorageAnswer> {
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
      // The body is always a slice: this tab may send a file chosen in another tab only in slices.
      body: file.slice(offset),
      timeoutMs: requestTimeoutMs,
      stallMs: stallLimitMs(stalled),
      signal,
      onSent: (bytes) => onProgress(Math.min(offset + bytes, file.size)),
    })
  }

  function askOffset(): Promise<StorageAnswer> {
    const question = { method: 'HEAD', headers: {}, body: null, timeoutMs: callTimeoutMs } as const
    return deps.send({ ...question, url: ticket.uploadUrl, signal })
  }
}

/** True when the question for the offset got no answer. */
function isLost(answer: StorageAnswer): boolean {
  return mayPass({ status: answer.kind === 'answer' ? answer.status : null })
}

/**
 * Returns the offset in an answer, or 0 where the answer has none (a plain presigned URL refuses
 * HEAD). Then the whole file is sent again: otherwise storage would keep the rest of the file as if
 * it were the whole.
 */
function offsetIn(answer: StorageAnswer): number {
  if (answer.kind !== 'answer') return 0
  const isTold = (answer.status >= 200 && answer.status < 300) || answer.status === 416
  return isTold ? (answer.uploadOffset ?? 0) : 0
}
