import { type ErrorCode, errorTable } from '../../shared/contract/errors.ts'
import { isTierLimitCode } from '../../shared/contract/tier-errors.ts'
import type { UploadPath } from '../../shared/rules/files/upload-path.ts'
import { ApiError } from '../api/call.ts'
import type { UploadRecord } from './records/upload-record.ts'
import { wholeNumber } from './transfer/storage-request.ts'
import type { TransferFault } from './upload-ports.ts'

/** Why a call failed. The fields `status`, `code` and `message` are null when no answer came. */
export interface Refusal {
  status: number | null
  code: string | null
  /** The message field of the error body. */
  message: string | null
  /** The text of an error answer that has no message field. */
  body?: string | undefined
  /** How long to wait before the next attempt; null where the answer does not say so. */
  retryAfterMs?: number | null
}

/** How a call ended. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; refusal: Refusal }

/**
 * Waits for the end of a call. Never rejects. Calls of uploads do not use the query client: it
 * leaves the page when the session has ended, but uploads must only pause then.
 */
export async function outcomeOf<T>(call: Promise<T>): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await call }
  } catch (error) {
    return { ok: false, refusal: refusalOf(error) }
  }
}

function refusalOf(error: unknown): Refusal {
  if (!(error instanceof ApiError)) return { status: null, code: null, message: null }
  const { status, code = null, publicMessage: message = null } = error
  const body = error.message.slice(`${status}: `.length)
  const seconds = wholeNumber(error.retryAfter)
  const retryAfterMs = seconds === null ? null : seconds * 1000
  return { status, code, message, retryAfterMs, ...(message === null && { body }) }
}

/** Spec §4: the error text of an upload that the user cancels. */
export const cancelledByUser = 'Cancelled by user'

/** True for an upload that the user cancelled. Its record is removed two seconds later. */
export function isCancelled({ status, error }: Pick<UploadRecord, 'status' | 'error'>): boolean {
  return status === 'failed' && error === cancelledByUser
}

/**
 * Spec §4: the error text of an upload that cannot resume, because the browser no longer has the
 * file.
 */
export const dataLost = 'Resume failed - file data lost. Please restart upload.'

const finalCodes: readonly string[] = [
  'CONTENT_BLOCKED',
  'FILE_TOO_LARGE',
  'INVALID_INPUT',
] satisfies ErrorCode[]

/**
 * True for a failed upload that would fail again, however often it is tried: the server refuses
 * this file, or pasted content is lost, which nobody can choose again.
 */
export function failsForGood(
  record: Pick<UploadRecord, 'status' | 'error' | 'code' | 'pasted'>,
): boolean {
  const { status, error, code, pasted } = record
  if (status !== 'failed') return false
  return (code != null && finalCodes.includes(code)) || (pasted && error === dataLost)
}

const networkError = 'Network error during upload'

/** The error text of an upload that ended for a reason that nobody knows. */
export const unknownReason = 'Upload failed'

/** Returns the text for a file that can no longer be read or has changed since its upload began. */
export function unreadableText(name: string): string {
  return `${name} has changed or can no longer be read`
}

/**
 * The text for a file that cannot be read, where the page already shows the file's name beside it.
 */
export const unreadable = unreadableText('The file')

/**
 * Returns the text of spec §8 for a call that failed. It is the server's own message where the
 * server sent one. For a failed confirmation of a background upload it is the status and the
 * message or body. Content that was taken down is told in plain words, because the status would
 * look like a fault of the transfer.
 */
export function refusalText(
  stage: 'start' | 'confirm',
  path: UploadPath,
  { status, code, message, body }: Refusal,
): string {
  const own = trimmed(message)
  if (stage === 'start') return own || 'Failed to get upload URL'
  if (code === 'CONTENT_BLOCKED') return own || errorTable[code].message
  if (path === 'foreground') return own || 'Failed to confirm upload'
  if (status === null) return networkError
  return `Upload confirmation failed: ${status} - ${own || trimmed(body)}`
}

function trimmed(text: string | null | undefined): string {
  return text?.trim() ?? ''
}

/**
 * Returns the text of spec §8 for a transfer that failed and is not repeated.
 * @param toBucket whether the bytes go to a bucket. A server that stores files itself has no S3, so
 * there the texts without S3 are used.
 */
export function transferText(
  path: UploadPath,
  kind: TransferFault,
  status: number | null,
  toBucket: boolean,
): string {
  if (kind === 'unreadable' || kind === 'changed') return unreadable
  if (kind === 'network') return networkError
  if (kind === 'disk-full') return errorTable.DISK_FULL.message
  // The text of STORAGE_FULL says what a person can do. The bare status would not.
  if (status === errorTable.STORAGE_FULL.status) return errorTable.STORAGE_FULL.message
  if (path === 'foreground') {
    if (kind === 'timeout' || status === null) {
      return toBucket ? 'Direct S3 upload failed' : unknownReason
    }
    if (toBucket) return `Direct S3 upload failed with status ${status}`
  }
  if (kind === 'timeout') return networkError
  return status === null ? unknownReason : `Upload failed with status ${status}`
}

/** Returns the code of a transfer that failed because the server has no room; otherwise null. */
export function transferCode(kind: TransferFault, status: number | null): ErrorCode | null {
  if (kind === 'disk-full') return 'DISK_FULL'
  return kind === 'status' && status === errorTable.STORAGE_FULL.status ? 'STORAGE_FULL' : null
}

const fullCodes: readonly string[] = [
  'STORAGE_FULL',
  'STORAGE_CAP_REACHED',
  'DISK_FULL',
] satisfies ErrorCode[]

/** True for the code of a refusal because the server has no room. */
export function saysFull(code: string | null | undefined): boolean {
  return code != null && fullCodes.includes(code)
}

/** True for an upload that failed because the server has no room. */
export function failedForSpace({ status, code }: Pick<UploadRecord, 'status' | 'code'>): boolean {
  return status === 'failed' && saysFull(code)
}

/**
 * True for an upload that failed because of a limit of the user's tier. Another tier may allow it.
 */
export function failedForTier({ status, code }: Pick<UploadRecord, 'status' | 'code'>): boolean {
  return status === 'failed' && code != null && isTierLimitCode(code)
}

/** True when the server would refuse all waiting uploads for the same reason. */
export function stopsTheRest(code: string | null): boolean {
  return code === 'TIER_FILE_COUNT'
}
