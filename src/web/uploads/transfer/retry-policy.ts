import type { Outcome, Refusal } from '../upload-errors.ts'
import { TransferFailed } from '../upload-ports.ts'
import type { StorageAnswer } from './storage-request.ts'

/*
 * What follows a request of an upload that failed: another try, when, and whether storage is asked
 * first, or the end. These rules are pure; `retry.ts` acts on them. `retry-policy.test.ts` has the table.
 */

/** Spec §9: the retry after a time-out comes after 3 seconds. Each further one waits twice as long. */
const firstWaitMs = 3000
const longestWaitMs = 30_000
/** A server may ask for a longer wait with `Retry-After`, but not for more than this. */
const longestAskedMs = 60_000
/** A request of whose body nothing leaves for this long has lost its connection. */
const firstStallMs = 30_000
const longestStallMs = 10 * 60_000
/** So many times in a row storage may refuse a fresh URL, or receive a body altered. */
const maxRepairs = 5

/** When a request that keeps failing is given up. */
export interface RetryLimit {
  /** Failed tries in a row after which nothing new is stored. */
  maxTries: number
  /**
   * True where the request outlasts a server that is away or busy. Then the last two tries count only
   * if the server was ready after each (`GET /api/ready`), which is before and after the very last
   * one; and an answer that names the time of the next try does not count.
   */
  isPatient: boolean
}

/** Of uploads: no restart, no full disk and no busy server ends one, however long it lasts. */
export const uploadLimit: RetryLimit = { maxTries: 8, isPatient: true }

/** What has happened to a request so far. */
export interface Tries {
  /** Failed tries in a row. The waits grow with them. */
  failed: number
  /** Failed tries in a row since storage got anything new of the file. */
  withoutProgress: number
  /** Tries of which the body stopped moving. */
  stalled: number
  /** Answers in a row that name what is to be put right: the signature, or the offset. */
  refused: number
  /** Tries whose body arrived altered. */
  altered: number
  /** The bytes may be there although no answer says so: storage is asked before they are sent again. */
  askStorage: boolean
}

export const noTries: Tries = {
  failed: 0,
  withoutProgress: 0,
  stalled: 0,
  refused: 0,
  altered: 0,
  askStorage: false,
}

/** A try that did not succeed. */
export interface FailedTry {
  /** `put` sends bytes to storage. `call` sends none: a call of the API, or the question what is stored. */
  request: 'put' | 'call'
  answer: StorageAnswer
  /**
   * What storage got meanwhile. `here`: more of what this request sends, so that all counts begin
   * anew. `elsewhere`: other parts of the file, so that it is not given up, but goes on waiting longer.
   */
  progress?: 'here' | 'elsewhere' | undefined
}

/** What is known at the moment of the decision. */
export interface Circumstances {
  isOnline: boolean
  /** Null while nobody has asked. */
  isServerReady: boolean | null
  /** From 0 to 1. */
  random: number
  limit: RetryLimit
}

/** `ask-server`: decide again once it is known whether the server is ready. A `waitMs` of 0 is at once. */
export type Decision =
  | { kind: 'retry'; waitMs: number; tries: Tries }
  | { kind: 'ask-server' }
  | { kind: 'give-up' }

/** Decides what follows a failed try. */
export function afterFailure(
  before: Tries,
  failed: FailedTry,
  { isOnline, isServerReady, random, limit }: Circumstances,
): Decision {
  const { answer, progress } = failed
  const verdict = verdictOn(failed)
  const tries = { ...(progress === 'here' ? noTries : before) }
  const isRefused = verdict === 'unsigned' || verdict === 'wrong-offset'
  tries.refused = isRefused ? tries.refused + 1 : 0
  if (verdict === 'altered') tries.altered += 1
  if (answer.kind === 'stalled') tries.stalled += 1
  tries.askStorage = failed.request === 'put' ? mayHaveArrived(answer) : before.askStorage
  if (!isCurable(verdict) || tries.refused > maxRepairs || tries.altered > maxRepairs) {
    return { kind: 'give-up' }
  }
  // A URL that has run out and an offset that is off are put right at once. The next time they wait.
  if (tries.refused === 1) return { kind: 'retry', waitMs: 0, tries }
  if (!isOnline) {
    // Nothing gets out: these tries say nothing about the server or the file.
    return {
      kind: 'retry',
      waitMs: firstWaitMs,
      tries: { ...tries, failed: 0, withoutProgress: 0 },
    }
  }

  tries.failed += 1
  const isCounted = !(limit.isPatient && namesTheNextTry(answer))
  if (progress === 'elsewhere') tries.withoutProgress = 0
  if (isCounted) tries.withoutProgress += 1
  const uncontested = limit.maxTries - 2
  if (limit.isPatient && isCounted && verdict === 'again' && tries.withoutProgress > uncontested) {
    if (isServerReady === null) return { kind: 'ask-server' }
    if (!isServerReady) tries.withoutProgress = uncontested
  }
  if (tries.withoutProgress >= limit.maxTries) return { kind: 'give-up' }
  return { kind: 'retry', waitMs: waitMsAfter(answer, tries.failed, random), tries }
}

/**
 * The wait after so many failed tries in a row, in milliseconds: 3 s, 6 s, 12 s, up to 30 s; at least as
 * long as `Retry-After` asks, within reason; and up to 30 % longer, so that those who failed together do
 * not come back together.
 */
function waitMsAfter(answer: StorageAnswer, failed: number, random: number): number {
  const asked = answer.kind === 'answer' ? (answer.retryAfterMs ?? 0) : 0
  const grown = Math.min(firstWaitMs * 2 ** (failed - 1), longestWaitMs)
  return Math.round(Math.max(grown, Math.min(asked, longestAskedMs)) * (1 + 0.3 * random))
}

/**
 * How long nothing of a body may leave, in milliseconds. The line may be so slow that the system takes
 * more at once than leaves in 30 s, so that the patience doubles each time.
 * @param stalled how often this body has stalled before.
 */
export function stallLimitMs(stalled: number): number {
  return Math.min(firstStallMs * 2 ** stalled, longestStallMs)
}

/**
 * What an answer means. `stored`: the bytes are there. `again`: the fault passes. `altered`: other bytes
 * arrived than were sent. `unsigned`: the presigned URL is no longer good. `wrong-offset`: the answer
 * names the right one. `gone`: the server knows no such upload. `signed-out`: the session has lapsed.
 * `final`: no further try cures it.
 */
export type Verdict =
  | 'stored'
  | 'again'
  | 'altered'
  | 'unsigned'
  | 'wrong-offset'
  | 'gone'
  | 'signed-out'
  | 'final'

const curable: readonly Verdict[] = ['again', 'altered', 'unsigned', 'wrong-offset']

function isCurable(verdict: Verdict): boolean {
  return curable.includes(verdict)
}

export function verdictOn({ request, answer }: Pick<FailedTry, 'request' | 'answer'>): Verdict {
  if (answer.kind !== 'answer') return 'again'
  if (request === 'put') return verdictOnPut(answer)
  const { status } = answer
  if (isPassing(status)) return 'again'
  if (status === 401) return 'signed-out'
  return isGone(status) ? 'gone' : 'final'
}

const alteredCodes = new Set(['CHECKSUM_MISMATCH', 'BadDigest', 'XAmzContentChecksumMismatch'])
/** Named beside 400 and 409. The body did not come whole, so that another try may succeed. */
const passingCodes = new Set([
  'RequestTimeout',
  'IncompleteBody',
  'UPLOAD_INCOMPLETE',
  'UPLOAD_SUPERSEDED',
])

function verdictOnPut(answer: StorageAnswer & { kind: 'answer' }): Verdict {
  const { status, code, uploadOffset } = answer
  // Spec §7: success is 200 or 204. Sealed: an earlier confirm found everything there.
  if (status === 200 || status === 204 || code === 'UPLOAD_SEALED') return 'stored'
  if (code !== null && alteredCodes.has(code)) return 'altered'
  if (isPassing(status) || (code !== null && passingCodes.has(code))) return 'again'
  if (status === 403) return 'unsigned'
  if (status === 416 && uploadOffset !== null) return 'wrong-offset'
  return isGone(status) ? 'gone' : 'final'
}

function isGone(status: number): boolean {
  return status === 404 || status === 410
}

/** Every fault of a server may pass, but that it does not know the method. */
function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501)
}

/** True when another try of a call may succeed: no answer came, or one that says that the fault passes. */
export function mayPass({ status }: Pick<Refusal, 'status'>): boolean {
  return status === null || isPassing(status)
}

/** Storage that answers these has not kept anything. */
const turnedAway = new Set([425, 429, 503])

function mayHaveArrived(answer: StorageAnswer): boolean {
  if (verdictOn({ request: 'put', answer }) !== 'again') return false
  return answer.kind !== 'answer' || !turnedAway.has(answer.status)
}

/** True of a server that is there, has too much to do, and says when to come back. */
function namesTheNextTry(answer: StorageAnswer): boolean {
  if (answer.kind !== 'answer' || answer.retryAfterMs === null) return false
  return answer.status === 429 || answer.status === 503
}

/**
 * Whether the server is there, by its answer to `GET /api/ready`. One that is away gives none, or 5xx.
 * Any other answer comes of a server that is there, as of a proxy that hides this call from browsers.
 */
export function showsServer(answer: Outcome<unknown>): boolean {
  return answer.ok || (answer.refusal.status !== null && answer.refusal.status < 500)
}

/** The end of a transfer that was given up after this try. */
export function failureOf(failed: FailedTry): TransferFailed {
  const { answer } = failed
  if (answer.kind === 'timeout') return new TransferFailed('timeout')
  if (answer.kind !== 'answer') return new TransferFailed('network')
  const verdict = verdictOn(failed)
  const kind = verdict === 'gone' || verdict === 'signed-out' ? verdict : 'status'
  return new TransferFailed(kind, answer.status)
}
