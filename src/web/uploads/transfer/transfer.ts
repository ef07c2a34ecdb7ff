import { interruptionOf } from '../interruption.ts'
import { TransferFailed, type TransferJob } from '../upload-ports.ts'
import type { Checksums } from './checksums.ts'
import { type Connection, pause } from './connection.ts'
import { countedTries, type IsServerReady } from './fruitless-tries.ts'
import type { PartChecksum } from './hash-blob.ts'
import {
  afterPut,
  afterQuestion,
  questionTimeoutMs,
  requestTimeoutMs,
  type Step,
  stallLimitMs,
  verdictOn,
  waitBeforeNext,
} from './next-step.ts'
import type { Send, StorageAnswer } from './send.ts'

/** What sending bytes does to the world outside. */
export interface TransferDeps {
  send: Send
  connection: Connection
  /**
   * Resolves after so many milliseconds, or sooner when the browser comes back online; rejects with
   * the reason of the signal.
   */
  wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** From 0 to 1. */
  random: () => number
  isServerReady: IsServerReady
  checksums: Pick<Checksums, 'part'>
}

/** The header by which storage compares a body with what was sent; none where nothing was reckoned. */
export const checksumHeader = (
  kind: PartChecksum,
  checksum: string | null,
): Record<string, string> => {
  if (checksum === null) return {}
  return kind === 'crc32' ? { 'x-amz-checksum-crc32': checksum } : { 'Content-MD5': checksum }
}

/** A file that was changed or removed on disk ends a request just as a lost connection does. */
export const isReadable = (file: Blob, offset: number): Promise<boolean> =>
  file
    .slice(offset, offset + 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    )

/**
 * Puts a file of one part into storage in one PUT, over time-outs, lost connections and restarts of
 * the server: after each it asks for `Upload-Offset` and continues from there with `Range: bytes=n-`
 * (spec §4: the transfer is retried after 3 seconds from the bytes already sent, using a range
 * header). Tries that store something new are never counted against it; while the browser is offline
 * none is, and while the server is away it is not given up.
 * @throws {TransferFailed} when it is given up; as unreadable where a try ended because the file was
 *   changed or removed.
 * @throws {FileUnreadable} where that is found when its checksum is reckoned.
 * @throws the reason of the signal when that fires.
 */
export const transferFile = async (job: TransferJob, deps: TransferDeps): Promise<void> => {
  const { file, ticket, contentType, resumed, signal, onProgress, onInterrupted } = job
  const url = ticket.uploadUrl
  let furthest = 0
  let fruitlessTries = 0
  let stalls = 0
  let lost: StorageAnswer | null = null
  let step: Step = resumed ? { kind: 'ask' } : { kind: 'put', offset: 0 }

  const put = async (offset: number): Promise<StorageAnswer> => {
    onProgress(offset)
    const checksum = offset === 0 ? await deps.checksums.part(file, ticket.checksum, signal) : null
    return deps.send({
      method: 'PUT',
      url,
      headers: {
        'Content-Type': contentType,
        ...(offset > 0 && { Range: `bytes=${offset}-` }),
        ...checksumHeader(ticket.checksum, checksum),
      },
      // Never the file itself: where another tab was given it, the browser lets this one send only slices.
      body: file.slice(offset),
      timeoutMs: requestTimeoutMs,
      stallMs: stallLimitMs(stalls),
      signal,
      onSent: (bytes) => onProgress(Math.min(offset + bytes, file.size)),
    })
  }
  const ask = (): Promise<StorageAnswer> =>
    deps.send({
      method: 'HEAD',
      url,
      headers: {},
      body: null,
      timeoutMs: questionTimeoutMs,
      signal,
    })
  const count = (answer: StorageAnswer) => {
    if (answer.kind === 'stalled') stalls += 1
    const stored = answer.kind === 'answer' ? answer.uploadOffset : null
    if (stored !== null && stored > furthest) {
      furthest = stored
      fruitlessTries = 0
      stalls = 0
    }
  }
  /** Counts a try after which storage holds nothing new. */
  const countFruitless = async (answer: StorageAnswer) => {
    fruitlessTries += 1
    if (verdictOn(answer) !== 'again') return
    if (!deps.connection.isOnline()) fruitlessTries = 1
    fruitlessTries = await countedTries(fruitlessTries, () => {
      onInterrupted(interruptionOf(answer))
      return deps.isServerReady(signal)
    })
  }

  while (step.kind !== 'finish') {
    signal.throwIfAborted()
    if (step.kind === 'fail') throw step.failure
    if (step.kind === 'put') {
      const offset: number = step.offset
      const answer = await put(offset)
      count(answer)
      if (answer.kind === 'network' && !(await isReadable(file, offset))) {
        throw new TransferFailed('unreadable')
      }
      await countFruitless(answer)
      lost = answer
      step = afterPut(answer, file.size, fruitlessTries)
      continue
    }
    if (lost) {
      onProgress(Math.min(furthest, file.size))
      onInterrupted(interruptionOf(lost))
      await pause(waitBeforeNext(lost, fruitlessTries, deps.random()), signal, deps)
    }
    const answer = await ask()
    count(answer)
    const silent = answer.kind !== 'answer' || answer.status >= 500
    if (silent) await countFruitless(answer)
    lost = answer
    step = afterQuestion(answer, file.size, fruitlessTries)
  }
  onProgress(file.size)
}
