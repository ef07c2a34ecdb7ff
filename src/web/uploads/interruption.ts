import type { ErrorCode } from '../../shared/contract/errors.ts'

/**
 * Why a request failed.
 * - `no-response`: no response, or a status below 500 that matches none of the other reasons.
 * - `not-ready`: the server can't serve requests (5xx).
 * - `busy`: the server works but is overloaded.
 * - `disk-full`: the server can't write until space is freed.
 */
export type Interruption = 'no-response' | 'not-ready' | 'busy' | 'disk-full'

/** A failed attempt. `status` and `code` are missing if there was no response. */
export interface FailedAttempt {
  status?: number | null | undefined
  code?: string | null | undefined
  /** The delay that the response requested with `Retry-After`, if any. */
  retryAfterMs?: number | null | undefined
}

/** Texts shown while an upload waits to retry. */
export const interruptionMessages: Record<Interruption, string> = {
  'no-response': 'Connection lost, trying again',
  'not-ready': 'The server is not ready, trying again',
  busy: 'The server is busy, trying again',
  'disk-full': 'The disk of the server is full, trying again every minute',
}

export function toInterruption(failure: FailedAttempt): Interruption {
  if (failure.code === ('DISK_FULL' satisfies ErrorCode)) return 'disk-full'
  if (isBusy(failure)) return 'busy'
  return (failure.status ?? 0) >= 500 ? 'not-ready' : 'no-response'
}

/** Codes of 503 responses that report a server error rather than overload. */
const serverErrorCodes = new Set<string | null | undefined>([
  'UNAVAILABLE',
  'DISK_FULL',
] satisfies ErrorCode[])

/** True if the server is overloaded and sent a `Retry-After` header. */
export function isBusy({ status, code, retryAfterMs }: FailedAttempt): boolean {
  if ((retryAfterMs ?? null) === null) return false
  return status === 429 || (status === 503 && !serverErrorCodes.has(code))
}
