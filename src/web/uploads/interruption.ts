import type { ErrorCode } from '../../shared/contract/errors.ts'
import type { StorageAnswer } from './transfer/storage-request.ts'

/**
 * Why an attempt of an upload's request failed.
 * - `no-answer`: no answer came, or an answer below 500 that fits none of the other reasons.
 * - `not-ready`: the server answered that it cannot serve now (5xx).
 * - `busy`: the server works, but serves too many other requests now.
 * - `disk-full`: the server cannot write. Somebody has to make room.
 */
export type Interruption = 'no-answer' | 'not-ready' | 'busy' | 'disk-full'

/** The text that a person reads while an upload waits for its next attempt. */
export const interruptionTexts: Record<Interruption, string> = {
  'no-answer': 'Connection lost, trying again',
  'not-ready': 'The server is not ready, trying again',
  busy: 'The server is busy, trying again',
  'disk-full': 'The disk of the server is full, trying again every minute',
}

export function interruptionOf(answer: StorageAnswer): Interruption {
  if (isDiskFull(answer)) return 'disk-full'
  if (isBusy(answer)) return 'busy'
  return answer.kind === 'answer' && answer.status >= 500 ? 'not-ready' : 'no-answer'
}

/**
 * The codes of 503 answers that report a fault of the server, not a busy server. `GET /api/ready`
 * reports the same fault. If it says instead that the server is ready, the failed attempt counts
 * towards the limit of attempts.
 */
const faultCodes = new Set<string | null>(['UNAVAILABLE', 'DISK_FULL'] satisfies ErrorCode[])

/**
 * True when the server works but serves too many other requests now, and says when to try again
 * (`Retry-After`).
 */
export function isBusy(answer: StorageAnswer): boolean {
  if (answer.kind !== 'answer' || answer.retryAfterMs === null) return false
  return answer.status === 429 || (answer.status === 503 && !faultCodes.has(answer.code))
}

/** True when the server could not write, because its disk is full. */
export function isDiskFull(answer: StorageAnswer): boolean {
  return answer.kind === 'answer' && answer.code === ('DISK_FULL' satisfies ErrorCode)
}
