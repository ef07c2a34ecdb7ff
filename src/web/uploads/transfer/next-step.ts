import { TransferFailed } from '../upload-ports.ts'
import { maxFruitlessTries } from './fruitless-tries.ts'
import type { StorageAnswer } from './send.ts'

/** Spec §9: the upload time-out is 10 minutes; it holds for one request. */
export const requestTimeoutMs = 10 * 60_000
/** What carries no body is answered within this time, or nobody is there. */
export const questionTimeoutMs = 30_000
/** A request of whose body nothing leaves for so long has lost its line. */
const firstStallMs = 30_000
/** Spec §9: the retry after a time-out comes after 3 seconds; each further one waits twice as long. */
const firstRetryMs = 3000
const longestRetryMs = 30_000

/** Waits in milliseconds before the n-th fruitless try (from 1): 3 s, 6 s, 12 s, up to 30 s. */
export const retryWaitMs = (fruitlessTries: number): number =>
  Math.min(firstRetryMs * 2 ** Math.max(0, fruitlessTries - 1), longestRetryMs)

/**
 * The wait before the next try, in milliseconds: growing, at least as long as storage asks for within
 * reason, and up to 30 % longer, so that what failed together does not come back together.
 * @param random from 0 to 1.
 */
export const waitBeforeNext = (
  answer: StorageAnswer,
  fruitlessTries: number,
  random: number,
): number => {
  const asked = answer.kind === 'answer' ? (answer.retryAfterMs ?? 0) : 0
  const wait = Math.max(retryWaitMs(fruitlessTries), Math.min(asked, 2 * longestRetryMs))
  return Math.round(wait * (1 + 0.3 * random))
}

/**
 * How long nothing of a body may leave. What looks like a stall may be a line so slow that the system
 * takes more at once than leaves in 30 s; with more patience each time even that comes to its end.
 * @param stalls how often the same bytes have stalled before.
 */
export const stallLimitMs = (stalls: number): number =>
  Math.min(firstStallMs * 2 ** stalls, requestTimeoutMs)

const transientStatuses = new Set([408, 425, 429, 500, 502, 503, 504])
/** Named beside 400 and 409, and yet another try may succeed: the body did not come whole. */
const transientCodes = new Set([
  'RequestTimeout',
  'IncompleteBody',
  'UPLOAD_INCOMPLETE',
  'UPLOAD_SUPERSEDED',
])
const mismatchCodes = new Set(['CHECKSUM_MISMATCH', 'BadDigest', 'XAmzContentChecksumMismatch'])

/**
 * What an answer to a PUT means. `stored`: the bytes are there. `again`: another try may succeed.
 * `differs`: what arrived is not what was sent. `unsigned`: the presigned URL is no longer good.
 * `gone`: storage knows no such upload. `final`: no further try cures it.
 */
export type Verdict = 'stored' | 'again' | 'differs' | 'unsigned' | 'gone' | 'final'

export const verdictOn = (answer: StorageAnswer): Verdict => {
  if (answer.kind !== 'answer') return 'again'
  const { status, code } = answer
  // Spec §7: success is 200 or 204. Sealed: an earlier confirmation found everything there.
  if (status === 200 || status === 204 || code === 'UPLOAD_SEALED') return 'stored'
  if (code !== null && mismatchCodes.has(code)) return 'differs'
  if (transientStatuses.has(status) || (code !== null && transientCodes.has(code))) return 'again'
  if (status === 403) return 'unsigned'
  return status === 404 || status === 410 ? 'gone' : 'final'
}

/** The end of a transfer that this answer was the last of. */
export const failureOf = (answer: StorageAnswer): TransferFailed => {
  if (answer.kind === 'timeout') return new TransferFailed('timeout')
  if (answer.kind !== 'answer') return new TransferFailed('network')
  return new TransferFailed(verdictOn(answer) === 'gone' ? 'gone' : 'status', answer.status)
}

/** What to do after a request for a whole file. `ask`: wait, then ask storage how far it has come. */
export type Step =
  | { kind: 'finish' }
  | { kind: 'put'; offset: number }
  | { kind: 'ask' }
  | { kind: 'fail'; failure: TransferFailed }

const tryAgain = (answer: StorageAnswer, fruitlessTries: number): Step =>
  fruitlessTries >= maxFruitlessTries
    ? { kind: 'fail', failure: failureOf(answer) }
    : { kind: 'ask' }

/** Where to continue when storage holds `offset` of `size` bytes. */
const continueAt = (offset: number, size: number): Step => {
  // An empty file that was never stored also reports 0 of 0, so it is always sent.
  if (offset === size && size > 0) return { kind: 'finish' }
  return { kind: 'put', offset: offset < size ? offset : 0 }
}

/**
 * Decides what follows a PUT. Time-outs, lost connections, altered bytes and statuses that pass are
 * tried again; 416 names the right offset; anything else is final.
 * @param fruitlessTries tries in a row that count, this one included, since storage last held more
 *   than before.
 */
export const afterPut = (answer: StorageAnswer, size: number, fruitlessTries: number): Step => {
  const verdict = verdictOn(answer)
  if (verdict === 'stored') return { kind: 'finish' }
  if (verdict === 'again' || verdict === 'differs') return tryAgain(answer, fruitlessTries)
  if (answer.kind === 'answer' && answer.status === 416 && answer.uploadOffset !== null) {
    // Two sides that never agree must not spin: the first correction is free, later ones wait.
    if (fruitlessTries > 1) return tryAgain(answer, fruitlessTries)
    return continueAt(answer.uploadOffset, size)
  }
  return { kind: 'fail', failure: failureOf(answer) }
}

/**
 * Decides what follows the question how much is stored. A store that cannot tell (a plain presigned
 * URL refuses HEAD) gets the whole file again: it would keep a tail as if it were all.
 */
export const afterQuestion = (
  answer: StorageAnswer,
  size: number,
  fruitlessTries: number,
): Step => {
  if (answer.kind !== 'answer' || transientStatuses.has(answer.status)) {
    return tryAgain(answer, fruitlessTries)
  }
  const answered = answer.status >= 200 && answer.status < 300
  if (!answered || answer.uploadOffset === null) return { kind: 'put', offset: 0 }
  return continueAt(answer.uploadOffset, size)
}
