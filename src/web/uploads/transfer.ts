import type { Connection } from './connection.ts'
import {
  afterPut,
  afterQuestion,
  questionTimeoutMs,
  requestTimeoutMs,
  type Step,
} from './next-step.ts'
import type { Send, StorageAnswer } from './send.ts'

/** The bytes of one upload and where they go. */
export interface Transfer {
  url: string
  file: Blob
  /** The media type that the URL was signed for. */
  contentType: string
  signal: AbortSignal
  /** Told how many bytes of the file are on their way or there; falls back when a try was lost. */
  onProgress: (bytes: number) => void
  /** Told when a try was lost and the next one waits; progress ends it. */
  onInterrupted: () => void
}

export interface TransferDeps {
  send: Send
  connection: Connection
  /** Resolves after so many milliseconds; rejects with the reason of the signal. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>
}

/** The bytes could not be stored; the message is what a person reads (spec §8). */
export class TransferFailed extends Error {
  override readonly name = 'TransferFailed'
}

const isReadable = (file: Blob, offset: number): Promise<boolean> =>
  file
    .slice(offset, offset + 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    )

/**
 * Puts a file into storage, over time-outs, lost connections and restarts of the server: after each
 * it asks for `Upload-Offset` and continues from there with `Range: bytes=n-` (spec §4: the transfer
 * is retried after 3 seconds from the bytes already sent, using a range header). Tries that store
 * something new are never counted against it; while the browser is offline none is.
 * @throws {TransferFailed} when it is given up, or the file can no longer be read.
 * @throws the reason of the signal when that fires.
 */
export const transferFile = async (transfer: Transfer, deps: TransferDeps): Promise<void> => {
  const { url, file, contentType, signal, onProgress, onInterrupted } = transfer
  let furthest = 0
  let fruitlessTries = 0
  let step: Step = { kind: 'put', offset: 0 }

  const put = (offset: number): Promise<StorageAnswer> => {
    onProgress(offset)
    return deps.send({
      method: 'PUT',
      url,
      headers: {
        'Content-Type': contentType,
        ...(offset > 0 && { Range: `bytes=${offset}-` }),
      },
      body: offset > 0 ? file.slice(offset) : file,
      timeoutMs: requestTimeoutMs,
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
    const stored = answer.kind === 'answer' ? answer.uploadOffset : null
    if (stored !== null && stored > furthest) {
      furthest = stored
      fruitlessTries = 0
    }
  }

  while (step.kind !== 'finish') {
    signal.throwIfAborted()
    if (step.kind === 'fail') throw new TransferFailed(step.reason)
    if (step.kind === 'put') {
      const offset: number = step.offset
      const answer = await put(offset)
      count(answer)
      fruitlessTries += 1
      // A file that was changed or removed on disk ends a request just as a lost connection does.
      if (answer.kind === 'network' && !(await isReadable(file, offset))) {
        throw new TransferFailed('The file has changed or can no longer be read')
      }
      if (answer.kind === 'network' && !deps.connection.isOnline()) fruitlessTries = 1
      step = afterPut(answer, file.size, fruitlessTries)
      continue
    }
    onInterrupted()
    await deps.wait(step.waitMs, signal)
    await deps.connection.untilOnline(signal)
    const answer = await ask()
    count(answer)
    const silent = answer.kind !== 'answer' || answer.status >= 500
    if (silent) fruitlessTries = deps.connection.isOnline() ? fruitlessTries + 1 : 1
    step = afterQuestion(answer, file.size, fruitlessTries)
  }
  onProgress(file.size)
}
