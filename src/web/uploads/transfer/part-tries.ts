import type { TransferFailed } from '../upload-ports.ts'
import { countedTries, maxFruitlessTries } from './fruitless-tries.ts'
import { failureOf, verdictOn, waitBeforeNext } from './next-step.ts'
import type { StorageAnswer } from './send.ts'

/** How often in a row storage may refuse a fresh signature, or find a part altered, before it is final. */
const maxRefusals = 5

/** What has happened to one part so far; it goes with the part from lane to lane. */
export interface PartTries {
  /** Failed tries; the waits grow with them. */
  failed: number
  /** Failed tries since storage last got hold of anything new of the whole file. */
  fruitless: number
  /** How many parts storage had got when the last of those failed. */
  storedThen: number
  stalls: number
  /** In a row: 403, each after the first with a fresh signature. */
  refusals: number
  mismatches: number
}

export const noTries: PartTries = {
  failed: 0,
  fruitless: 0,
  storedThen: 0,
  stalls: 0,
  refusals: 0,
  mismatches: 0,
}

/** What follows a failed try; a `waitMs` of null is at once. */
export type NextTry =
  | { kind: 'fail'; failure: TransferFailed }
  | { kind: 'again'; waitMs: number | null }

/** These say that nothing was kept. */
const turnedAway = new Set([425, 429, 503])

/** True where a part may be in storage although no answer says so: storage has to be asked. */
export const mayHaveArrived = (answer: StorageAnswer): boolean =>
  verdictOn(answer) === 'again' && !(answer.kind === 'answer' && turnedAway.has(answer.status))

/** What is known besides the answer. */
export interface Surroundings {
  online: boolean
  /** How many parts storage has got since the transfer began, each time it got one. */
  stored: number
  /** From 0 to 1. */
  random: number
  /** Asked only when the part would be given up, and one try before. */
  isServerReady: () => Promise<boolean>
}

/**
 * Decides what follows a try that did not store a part, and counts it. Tries are fruitless only while
 * no lane stores anything; offline none is counted, nor the last ones while the server is away.
 */
export const afterFailedTry = async (
  before: PartTries,
  answer: StorageAnswer,
  { online, stored, random, isServerReady }: Surroundings,
): Promise<{ tries: PartTries; next: NextTry }> => {
  const verdict = verdictOn(answer)
  const tries = { ...before }
  tries.refusals = verdict === 'unsigned' ? tries.refusals + 1 : 0
  if (verdict === 'differs') tries.mismatches += 1
  if (answer.kind === 'stalled') tries.stalls += 1
  const refusedTooOften = tries.refusals > maxRefusals || tries.mismatches > maxRefusals
  if (verdict === 'gone' || verdict === 'final' || refusedTooOften) {
    return { tries, next: { kind: 'fail', failure: failureOf(answer) } }
  }
  // A signature that has run out costs no wait; a fresh one that is refused is a failed try.
  if (tries.refusals === 1) return { tries, next: { kind: 'again', waitMs: null } }

  if (online) {
    tries.failed += 1
    const fruitless = stored > tries.storedThen ? 1 : tries.fruitless + 1
    tries.fruitless = verdict === 'again' ? await countedTries(fruitless, isServerReady) : fruitless
    tries.storedThen = stored
  }
  if (tries.fruitless >= maxFruitlessTries) {
    return { tries, next: { kind: 'fail', failure: failureOf(answer) } }
  }
  return { tries, next: { kind: 'again', waitMs: waitBeforeNext(answer, tries.failed, random) } }
}
