import { errorTable } from '../../shared/contract/errors.ts'
import type { UploadPath } from '../../shared/rules/upload-path.ts'
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
 * message or body.
 */
export function refusalText(
  stage: 'start' | 'confirm',
  path: UploadPath,
  { status, message, body }: Refusal,
): string {
  const own = trimmed(message)
  if (stage === 'start') return own || 'Failed to get upload URL'
  if (path === 'foreground') return own || 'Failed to confirm upload'
  if (status === null) return networkError
  return `Upload confirmation failed: ${status} - ${own || trimmed(body)}`
}

function trimmed(text: string | null | undefined): string {
  return text?.trim() ?? ''
}

/** Returns the text of spec §8 for a transfer that failed and is not repeated. */
export function transferText(path: UploadPath, kind: TransferFault, status: number | null): string {
  if (kind === 'unreadable') return unreadable
  if (kind === 'network') return networkError
  if (kind === 'disk-full') return errorTable.DISK_FULL.message
  // The text of STORAGE_FULL says what a person can do. The bare status would not.
  if (status === errorTable.STORAGE_FULL.status) return errorTable.STORAGE_FULL.message
  if (path === 'foreground') {
    if (kind === 'timeout' || status === null) return 'Direct S3 upload failed'
    return `Direct S3 upload failed with status ${status}`
  }
  if (kind === 'timeout') return networkError
  return status === null ? unknownReason : `Upload failed with status ${status}`
}

const fullTexts = (['STORAGE_FULL', 'STORAGE_CAP_REACHED', 'DISK_FULL'] as const).map(
  (code) => errorTable[code].message,
)

/** True for the text of an upload that failed because the server has no room. */
export function saysServerIsFull(error: string | null): boolean {
  return error !== null && fullTexts.some((text) => error.includes(text))
}

/** True when the server would refuse all waiting uploads for the same reason. */
export function stopsTheRest({ code }: Refusal): boolean {
  return code === 'TIER_FILE_COUNT'
}
