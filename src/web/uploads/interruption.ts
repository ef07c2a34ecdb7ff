import type { ErrorCode } from '../../shared/contract/errors.ts'
import type { StorageAnswer } from './transfer/storage-request.ts'

/**
 * Why an attempt to send bytes failed.
 * - `no-answer`: no answer came.
 * - `not-ready`: the server answered that it cannot serve now (5xx).
 * - `busy`: the server works, but serves too many others now.
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
 * Codes of 503 that do not mean a busy server. They name a fault of the server, which
 * `GET /api/ready` shows too. So while the server is ready, attempts that end like this count.
 */
const faultCodes = new Set<string | null>(['UNAVAILABLE', 'DISK_FULL'] satisfies ErrorCode[])

/** True when the server works, serves too many others now, and says when to come back. */
export function isBusy(answer: StorageAnswer): boolean {
  if (answer.kind !== 'answer' || answer.retryAfterMs === null) return false
  return answer.status === 429 || (answer.status === 503 && !faultCodes.has(answer.code))
}

/** True when the server could not write, because its disk is full. */
export function isDiskFull(answer: StorageAnswer): boolean {
  return answer.kind === 'answer' && answer.code === ('DISK_FULL' satisfies ErrorCode)
}
