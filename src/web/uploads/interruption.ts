import type { ErrorCode } from '../../shared/contract/errors.ts'

/**
 * Why an attempt of an upload's request failed.
 * - `no-answer`: no answer came, or an answer below 500 that fits none of the other reasons.
 * - `not-ready`: the server answered that it cannot serve now (5xx).
 * - `busy`: the server works, but serves too many other requests now.
 * - `disk-full`: the server cannot write. Somebody has to make room.
 */
export type Interruption = 'no-answer' | 'not-ready' | 'busy' | 'disk-full'

/** The facts of a failed attempt. `status` and `code` are missing when no answer came. */
export interface FailedAttempt {
  status?: number | null | undefined
  code?: string | null | undefined
  /** How long to wait before the next attempt, if the answer says so. */
  retryAfterMs?: number | null | undefined
}

/** The text that a person reads while an upload waits for its next attempt. */
export const interruptionTexts: Record<Interruption, string> = {
  'no-answer': 'Connection lost, trying again',
  'not-ready': 'The server is not ready, trying again',
  busy: 'The server is busy, trying again',
  'disk-full': 'The disk of the server is full, trying again every minute',
}

export function interruptionOf(failed: FailedAttempt): Interruption {
  if (isDiskFull(failed)) return 'disk-full'
  if (isBusy(failed)) return 'busy'
  return (failed.status ?? 0) >= 500 ? 'not-ready' : 'no-answer'
}

/** The codes of 503 answers that report a fault of the server, not a busy server. */
const faultCodes = new Set<string | null | undefined>([
  'UNAVAILABLE',
  'DISK_FULL',
] satisfies ErrorCode[])

/**
 * True when the server works but serves too many other requests now, and says when to try again
 * (`Retry-After`).
 */
export function isBusy({ status, code, retryAfterMs }: FailedAttempt): boolean {
  if ((retryAfterMs ?? null) === null) return false
  return status === 429 || (status === 503 && !faultCodes.has(code))
}

/** True when the server could not write, because its disk is full. */
export function isDiskFull({ code }: FailedAttempt): boolean {
  return code === ('DISK_FULL' satisfies ErrorCode)
}
