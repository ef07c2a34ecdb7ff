import { isBusy, isDiskFull } from '../interruption.ts'
import type { Outcome, Refusal } from '../upload-errors.ts'
import { TransferFailed } from '../upload-ports.ts'
import type { StorageAnswer } from './storage-request.ts'

/*
 * Decides what follows a failed request of an upload: another attempt and when, whether storage is
 * asked first, or the end. The functions here are pure; `retry.ts` acts on their decisions. A table
 * of all cases is in `retry-policy.test.ts`.
 */

/**
 * The wait before the first repeated attempt. Spec §9: retry after 3 s on timeout. Each further
 * wait is twice as long.
 */
export const firstWaitMs = 3000
/** No wait grows longer than this. */
export const longestWaitMs = 30_000
/** The longest wait that a server may ask for with `Retry-After`. */
export const longestAskedMs = 60_000
/** If no byte of a body is sent for this long, the connection counts as lost. */
const firstStallMs = 30_000
const longestStallMs = 10 * 60_000
/**
 * A request is given up when storage has refused its URL or its offset more than this many times in
 * a row, although each was corrected. It is also given up when its body has arrived changed more
 * than this many times.
 */
const maxRepairs = 5

/** When a request that keeps failing is not repeated any more. */
export interface RetryLimit {
  /** The request is given up after this many consecutive failures without new bytes in storage. */
  maxTries: number
  /**
   * True for a request that is repeated while the server is away or busy. The last two attempts
   * then count towards `maxTries` only if `GET /api/ready` then shows that the server is ready. An
   * attempt that a busy server refused does not count.
   */
  isPatient: boolean
}

/**
 * The limit of uploads. An upload waits through every restart, full disk and busy time of the
 * server, however long they last.
 */
export const uploadLimit: RetryLimit = { maxTries: 8, isPatient: true }

/** How often a request has failed so far, and how. */
export interface Tries {
  /** Consecutive failed attempts. The wait grows with this number. */
  failed: number
  /** Consecutive failed attempts since storage last received new bytes of the file. */
  withoutProgress: number
  /** Attempts in which no byte of the body was sent for too long. */
  stalled: number
  /** Consecutive answers that refused the presigned URL or the offset. Both can be corrected. */
  refused: number
  /** Attempts whose body arrived with other bytes than were sent. */
  altered: number
  /**
   * True when the bytes may have arrived although no answer said so. Storage is then asked before
   * they are sent again.
   */
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

/** An attempt that did not succeed. */
export interface FailedTry {
  /**
   * `put` sends bytes to storage. `call` sends none: it is a call of the API, or asks what is
   * stored.
   */
  request: 'put' | 'call'
  answer: StorageAnswer
  /**
   * What storage received since the last attempt. `here`: more bytes of this request, so all counts
   * start again at zero. `elsewhere`: other parts of the file. Then the request may be repeated for
   * longer, but its wait still grows.
   */
  progress?: 'here' | 'elsewhere' | undefined
}

/** The facts at the moment of the decision. */
export interface Circumstances {
  isOnline: boolean
  /** Null when the server has not been asked. */
  isServerReady: boolean | null
  /** A number from 0 to 1. */
  random: number
  limit: RetryLimit
}

/**
 * `ask-server` means: ask whether the server is ready, then decide again. A `waitMs` of 0 means:
 * try again immediately.
 */
export type Decision =
  | { kind: 'retry'; waitMs: number; tries: Tries }
  | { kind: 'ask-server' }
  | { kind: 'give-up' }

/** Decides what follows a failed attempt. */
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
  // An expired URL or a wrong offset is corrected immediately. If it happens again, the next
  // attempt waits.
  if (tries.refused === 1) return { kind: 'retry', waitMs: 0, tries }
  if (!isOnline) {
    // While the browser is offline, failed attempts say nothing about the server or the file.
    return {
      kind: 'retry',
      waitMs: firstWaitMs,
      tries: { ...tries, failed: 0, withoutProgress: 0 },
    }
  }

  tries.failed += 1
  const isCounted = !(limit.isPatient && isBusy(answer))
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
 * Returns the wait in milliseconds after `failed` consecutive failures: 3 s, 6 s, 12 s, up to 30 s.
 * The wait is at least as long as `Retry-After` asks, up to a limit. A random addition of up to 30%
 * keeps clients that failed together from all trying again at the same moment.
 */
function waitMsAfter(answer: StorageAnswer, failed: number, random: number): number {
  const asked = answer.kind === 'answer' ? (answer.retryAfterMs ?? 0) : 0
  const grown = Math.min(firstWaitMs * 2 ** (failed - 1), longestWaitMs)
  return Math.round(Math.max(grown, Math.min(asked, longestAskedMs)) * (1 + 0.3 * random))
}

/**
 * Returns how long the browser may send no byte of a body, in milliseconds. On a very slow
 * connection the operating system may take more bytes into its buffer than it sends in 30 s. So the
 * limit doubles with each stall.
 * @param stalled how often the sending of this body has stalled before.
 */
export function stallLimitMs(stalled: number): number {
  return Math.min(firstStallMs * 2 ** stalled, longestStallMs)
}

/**
 * What an answer means.
 * - `stored`: the bytes are stored.
 * - `again`: the fault may pass, so the request is repeated.
 * - `altered`: other bytes arrived than were sent.
 * - `unsigned`: the presigned URL is no longer valid.
 * - `wrong-offset`: the bytes began at a wrong offset. The answer names the right one.
 * - `gone`: the server knows no such upload.
 * - `signed-out`: the session has ended.
 * - `final`: another attempt would not help.
 */
export type TryVerdict =
  | 'stored'
  | 'again'
  | 'altered'
  | 'unsigned'
  | 'wrong-offset'
  | 'gone'
  | 'signed-out'
  | 'final'

const curable: readonly TryVerdict[] = ['again', 'altered', 'unsigned', 'wrong-offset']

function isCurable(verdict: TryVerdict): boolean {
  return curable.includes(verdict)
}

export function verdictOn({ request, answer }: Pick<FailedTry, 'request' | 'answer'>): TryVerdict {
  if (answer.kind !== 'answer') return 'again'
  if (request === 'put') return verdictOnPut(answer)
  const { status } = answer
  if (isPassing(status)) return 'again'
  if (status === 401) return 'signed-out'
  return isGone(status) ? 'gone' : 'final'
}

const alteredCodes = new Set(['CHECKSUM_MISMATCH', 'BadDigest', 'XAmzContentChecksumMismatch'])
/**
 * Codes of error answers that say that the body did not arrive completely. Another attempt may
 * succeed.
 */
const passingCodes = new Set([
  'RequestTimeout',
  'IncompleteBody',
  'UPLOAD_INCOMPLETE',
  'UPLOAD_SUPERSEDED',
])

function verdictOnPut(answer: StorageAnswer & { kind: 'answer' }): TryVerdict {
  const { status, code, uploadOffset } = answer
  // Spec §7: success is 200 or 204. `UPLOAD_SEALED` means that an earlier confirm call found all
  // bytes.
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

/**
 * True for an error that may pass. Every 5xx may pass, except 501: the server does not know the
 * method.
 */
function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501)
}

/**
 * True when another attempt of a call may succeed: no answer came, or the answer says that the
 * fault may pass.
 */
export function mayPass({ status }: Pick<Refusal, 'status'>): boolean {
  return status === null || isPassing(status)
}

/** Storage that answers with one of these statuses has not kept any bytes. */
const turnedAway = new Set([425, 429])

function mayHaveArrived(answer: StorageAnswer): boolean {
  if (verdictOn({ request: 'put', answer }) !== 'again') return false
  // A server that is only busy refuses a request before it keeps a byte. Any other 503 can come in
  // the middle of a body, for instance from a server that stops. The bytes that arrived before stay
  // stored.
  return answer.kind !== 'answer' || !(turnedAway.has(answer.status) || isBusy(answer))
}

/**
 * True when the answer to `GET /api/ready` shows that the server works. A server that is away gives
 * no answer, or 5xx. Any other answer shows a server, for instance one behind a proxy that hides
 * this call from browsers.
 */
export function showsServer(answer: Outcome<unknown>): boolean {
  return answer.ok || (answer.refusal.status !== null && answer.refusal.status < 500)
}

/** Returns the error of a transfer for which this was the last attempt. */
export function failureOf(failed: FailedTry): TransferFailed {
  const { answer } = failed
  if (answer.kind === 'timeout') return new TransferFailed('timeout')
  if (answer.kind !== 'answer') return new TransferFailed('network')
  if (isDiskFull(answer)) return new TransferFailed('disk-full', answer.status)
  const verdict = verdictOn(failed)
  const kind = verdict === 'gone' || verdict === 'signed-out' ? verdict : 'status'
  return new TransferFailed(kind, answer.status)
}
