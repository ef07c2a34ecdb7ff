import type { StorageAnswer } from './send.ts'

/** Spec §9: the upload time-out is 10 minutes; it holds for one request. */
export const requestTimeoutMs = 10 * 60_000
/** A HEAD carries no body: when it takes longer than this, nobody is there. */
export const questionTimeoutMs = 30_000
/** Spec §9: the retry after a time-out comes after 3 seconds; each further one waits twice as long. */
const firstRetryMs = 3000
const longestRetryMs = 30_000
/** Tries in a row that store nothing new before an upload is given up. */
export const maxFruitlessTries = 8

/** What to do after a request. `ask` is: wait, then ask storage how far it has come. */
export type Step =
  | { kind: 'finish' }
  | { kind: 'put'; offset: number }
  | { kind: 'ask'; waitMs: number }
  | { kind: 'fail'; reason: string }

/** Waits in milliseconds before the n-th fruitless try (from 1): 3 s, 6 s, 12 s, up to 30 s. */
export const retryWaitMs = (fruitlessTries: number): number =>
  Math.min(firstRetryMs * 2 ** Math.max(0, fruitlessTries - 1), longestRetryMs)

const transient = new Set([408, 425, 429, 500, 502, 503, 504])

/** Why an upload is given up, in the words of spec §8. */
const reasonOf = (answer: StorageAnswer): string => {
  if (answer.kind === 'network') return 'Network error during upload'
  if (answer.kind === 'timeout') return 'Direct S3 upload failed'
  return `Direct S3 upload failed with status ${answer.status}`
}

const tryAgain = (answer: StorageAnswer, fruitlessTries: number): Step => {
  if (fruitlessTries >= maxFruitlessTries) return { kind: 'fail', reason: reasonOf(answer) }
  const asked = answer.kind === 'answer' ? (answer.retryAfterMs ?? 0) : 0
  const wait = Math.max(retryWaitMs(fruitlessTries), Math.min(asked, 2 * longestRetryMs))
  return { kind: 'ask', waitMs: wait }
}

/** Where to continue when storage holds `offset` of `size` bytes. */
const continueAt = (offset: number, size: number): Step => {
  // An empty file that was never stored also reports 0 of 0, so it is always sent.
  if (offset === size && size > 0) return { kind: 'finish' }
  return { kind: 'put', offset: offset < size ? offset : 0 }
}

/**
 * Decides what follows a PUT. Spec §7: success is 200 or 204. Time-outs, lost connections and
 * statuses that pass are tried again; 416 names the right offset; anything else is final.
 * @param fruitlessTries tries in a row, this one included, since storage last held more than before.
 */
export const afterPut = (answer: StorageAnswer, size: number, fruitlessTries: number): Step => {
  if (answer.kind !== 'answer') return tryAgain(answer, fruitlessTries)
  if (answer.status === 200 || answer.status === 204) return { kind: 'finish' }
  if (answer.status === 416 && answer.uploadOffset !== null) {
    // Two sides that never agree must not spin: the first correction is free, later ones wait.
    if (fruitlessTries > 1) return tryAgain(answer, fruitlessTries)
    return continueAt(answer.uploadOffset, size)
  }
  if (transient.has(answer.status)) return tryAgain(answer, fruitlessTries)
  return { kind: 'fail', reason: reasonOf(answer) }
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
  if (answer.kind !== 'answer' || transient.has(answer.status)) {
    return tryAgain(answer, fruitlessTries)
  }
  const answered = answer.status >= 200 && answer.status < 300
  if (!answered || answer.uploadOffset === null) return { kind: 'put', offset: 0 }
  return continueAt(answer.uploadOffset, size)
}
