import { type ErrorCode, errorTable, type ListedError } from '../../shared/contract/errors.ts'
import { isTierLimitCode } from '../../shared/contract/tier-errors.ts'
import type { UploadPath } from '../../shared/rules/files/upload-path.ts'
import { ApiError } from '../api/call.ts'
import type { UploadRecord } from './records/upload-record.ts'
import { parseWholeNumber } from './transfer/storage-request.ts'
import type { TransferErrorKind } from './upload-ports.ts'

/** Why a call failed. `status`, `code` and `message` are null if there was no response. */
export interface CallError {
  status: number | null
  code: string | null
  /** The error body's `message` field. */
  message: string | null
  /** The body text, if an error response has no `message` field. */
  body?: string | undefined
  /** The delay requested with `Retry-After`; null if there is none. */
  retryAfterMs?: number | null
  /** The refused files, if the call was for several. */
  errors?: readonly ListedError[]
}

export type Outcome<T> = { ok: true; value: T } | { ok: false; error: CallError }

/**
 * Resolves to a call's outcome. Never rejects. Upload calls don't use the query client, because
 * that navigates to another page when the session has expired, while uploads only have to pause.
 */
export async function toOutcome<T>(call: Promise<T>): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await call }
  } catch (error) {
    return { ok: false, error: toCallError(error) }
  }
}

function toCallError(error: unknown): CallError {
  if (!(error instanceof ApiError)) return { status: null, code: null, message: null }
  const { status, code = null, publicMessage: message = null, errors } = error
  const body = error.message.slice(`${status}: `.length)
  const seconds = parseWholeNumber(error.retryAfter)
  const retryAfterMs = seconds === null ? null : seconds * 1000
  const listed = errors.length > 0 && { errors }
  return { status, code, message, retryAfterMs, ...listed, ...(message === null && { body }) }
}

/** Spec §4: the error text for an upload that the user cancels. */
export const cancelledText = 'Cancelled by user'

/** True for an upload that the user cancelled. Its record is removed two seconds later. */
export function isCancelled({ status, error }: Pick<UploadRecord, 'status' | 'error'>): boolean {
  return status === 'failed' && error === cancelledText
}

/**
 * Spec §4: the error text for an upload that can't resume because the browser no longer has the
 * file.
 */
export const dataLostText = 'Resume failed - file data lost. Please restart upload.'

const permanentCodes: readonly string[] = [
  'CONTENT_BLOCKED',
  'FILE_TOO_LARGE',
  'INVALID_INPUT',
  'LINK_NOT_FOUND',
  'REQUEST_NOT_FOUND',
] satisfies ErrorCode[]

/**
 * True for a failed upload that retries can't fix: the server rejects this file, or the pasted
 * content is lost and can't be chosen again.
 */
export function isPermanentFailure(
  record: Pick<UploadRecord, 'status' | 'error' | 'code' | 'pasted'>,
): boolean {
  const { status, error, code, pasted } = record
  if (status !== 'failed') return false
  return (code != null && permanentCodes.includes(code)) || (pasted && error === dataLostText)
}

/** The error text for an upload to a link that has ended. */
export const linkEndedText = 'The link has ended. Please restart upload.'

const networkErrorText = 'Network error during upload'

/** The error text for an upload that failed for an unknown reason. */
export const unknownErrorText = 'Upload failed'

/** Returns the text for a file that is unreadable or has changed since its upload started. */
export function unreadableText(name: string): string {
  return `${name} has changed or can no longer be read`
}

/** The text for an unreadable file whose name is already shown next to it. */
export const unreadableFileText = unreadableText('The file')

/**
 * Returns the spec §8 text for a failed call: the server's message or a default. For a background
 * confirm, includes the status. Blocked content has a text without a status, because a status would
 * look like a transfer error.
 */
export function callErrorText(
  stage: 'start' | 'confirm',
  path: UploadPath,
  { status, code, message, body }: CallError,
): string {
  const serverMessage = trimOrEmpty(message)
  if (stage === 'start') return serverMessage || 'Failed to get upload URL'
  if (code === 'CONTENT_BLOCKED') return serverMessage || errorTable[code].message
  if (path === 'foreground') return serverMessage || 'Failed to confirm upload'
  if (status === null) return networkErrorText
  return `Upload confirmation failed: ${status} - ${serverMessage || trimOrEmpty(body)}`
}

function trimOrEmpty(text: string | null | undefined): string {
  return text?.trim() ?? ''
}

/**
 * Returns the spec §8 text for a transfer that failed permanently.
 * @param isS3 true if the bytes are sent to a bucket. The text mentions S3 only then.
 */
export function transferErrorText(
  path: UploadPath,
  kind: TransferErrorKind,
  status: number | null,
  isS3: boolean,
): string {
  if (kind === 'unreadable' || kind === 'changed') return unreadableFileText
  if (kind === 'network') return networkErrorText
  if (kind === 'disk-full') return errorTable.DISK_FULL.message
  // The STORAGE_FULL message tells users what to do. A bare status wouldn't.
  if (status === errorTable.STORAGE_FULL.status) return errorTable.STORAGE_FULL.message
  if (path === 'foreground') {
    if (kind === 'timeout' || status === null) {
      return isS3 ? 'Direct S3 upload failed' : unknownErrorText
    }
    if (isS3) return `Direct S3 upload failed with status ${status}`
  }
  if (kind === 'timeout') return networkErrorText
  return status === null ? unknownErrorText : `Upload failed with status ${status}`
}

/** Returns the error code for a transfer that failed because the server is full; otherwise null. */
export function transferCode(kind: TransferErrorKind, status: number | null): ErrorCode | null {
  if (kind === 'disk-full') return 'DISK_FULL'
  return kind === 'status' && status === errorTable.STORAGE_FULL.status ? 'STORAGE_FULL' : null
}

const serverFullCodes: readonly string[] = [
  'STORAGE_FULL',
  'STORAGE_CAP_REACHED',
  'DISK_FULL',
] satisfies ErrorCode[]

/** True for an error code that means the server is full. */
export function isServerFullCode(code: string | null | undefined): boolean {
  return code != null && serverFullCodes.includes(code)
}

/** True for an upload that failed because the server is full. */
export function isOutOfSpaceFailure({
  status,
  code,
}: Pick<UploadRecord, 'status' | 'code'>): boolean {
  return status === 'failed' && isServerFullCode(code)
}

/**
 * True for an upload that failed because of one of the user's tier limits. Another tier may allow
 * it.
 */
export function isTierFailure({ status, code }: Pick<UploadRecord, 'status' | 'code'>): boolean {
  return status === 'failed' && code != null && isTierLimitCode(code)
}

/** True if the server would reject all waiting uploads for the same reason. */
export function stopsAllUploads(code: string | null): boolean {
  return code === 'TIER_FILE_COUNT'
}
