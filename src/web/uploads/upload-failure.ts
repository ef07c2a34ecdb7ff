import type { UploadPath } from '../../shared/rules/upload-path.ts'
import type { UploadRecord } from './records/upload-record.ts'
import type { TransferFault } from './upload-ports.ts'

/** An answer that is not the one hoped for. All null: nothing came back at all. */
export interface Refusal {
  status: number | null
  code: string | null
  /** The message field of the error body. */
  message: string | null
  /** The text of an answer without a message field. */
  body?: string | undefined
  /** How long to wait before asking again, where it says so. */
  retryAfterMs?: number | null
}

/** What a call came to. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; refusal: Refusal }

/** Where an upload can fail: before its bytes leave, on their way, or when they become a file. */
export type Stage = 'start' | 'transfer' | 'confirm'

/** Spec §4: the error of an upload that the user ends. */
export const cancelledByUser = 'Cancelled by user'

/** True of an upload that the user ended; it is about to be removed. */
export const isCancelled = ({ status, error }: Pick<UploadRecord, 'status' | 'error'>): boolean =>
  status === 'failed' && error === cancelledByUser

/** Spec §4: resuming works only if the file data is still there. */
export const dataLost = 'Resume failed - file data lost. Please restart upload.'

const networkError = 'Network error during upload'

/** Why a file cannot be sent, or compared. */
export const unreadableText = (name: string): string =>
  `${name} has changed or can no longer be read`

/** Where the file is named beside it. */
const unreadable = unreadableText('The file')

const told = (text: string | null | undefined): string => text?.trim() ?? ''

/**
 * The words of spec §8 for a call that failed: the server's own message where it sent one. A
 * background upload tells of a failed confirmation with status and body.
 */
export const refusalText = (
  stage: 'start' | 'confirm',
  path: UploadPath,
  { status, message, body }: Refusal,
): string => {
  if (stage === 'start') return told(message) || 'Failed to get upload URL'
  if (path === 'foreground') return told(message) || 'Failed to confirm upload'
  if (status === null) return networkError
  return `Upload confirmation failed: ${status} - ${told(message) || told(body)}`
}

/** The words of spec §8 for a transfer that was given up. */
export const transferText = (
  path: UploadPath,
  kind: TransferFault,
  status: number | null,
): string => {
  if (kind === 'unreadable') return unreadable
  if (kind === 'network') return networkError
  if (path === 'foreground') {
    if (kind === 'timeout' || status === null) return 'Direct S3 upload failed'
    return `Direct S3 upload failed with status ${status}`
  }
  if (kind === 'timeout') return networkError
  return status === null ? 'Upload failed' : `Upload failed with status ${status}`
}

/** True when what comes after this file in its drop would be refused for the same reason. */
export const stopsTheRest = ({ code }: Refusal): boolean => code === 'TIER_FILE_COUNT'

/** True when asking again may work: the answer was lost on its way, or says that it will pass. */
export const mayPass = ({ status }: Refusal): boolean =>
  status === null || status === 408 || status === 429 || (status >= 500 && status !== 501)

/** What is told to whoever is looking: beside the drop zone, or as a toast. */
export type Notice =
  | { kind: 'inline'; text: string }
  | { kind: 'toast'; title: string; description?: string; failed: boolean }

/**
 * How a failed upload is told. Spec §5: an error containing 'tier' or 'Upgrade' is shown inline
 * instead of as a toast. Spec §8: 'Upload Error' for what fails before the transfer, 'Upload
 * Failed' from then on.
 */
export const failureNotice = (stage: Stage, fileName: string, reason: string): Notice => {
  if (reason.includes('tier') || reason.includes('Upgrade')) return { kind: 'inline', text: reason }
  const [title, otherwise] =
    stage === 'start'
      ? ['Upload Error', 'Upload failed']
      : ['Upload Failed', `Failed to upload ${fileName}`]
  // Nothing stands beside a toast.
  const named = reason === unreadable ? unreadableText(fileName) : reason
  return { kind: 'toast', title, description: named || otherwise, failed: true }
}

/** How a finished upload is told (spec §8). */
export const successNotice = (path: UploadPath, fileName: string): Notice =>
  path === 'foreground'
    ? {
        kind: 'toast',
        title: 'Upload Complete',
        description: `${fileName} uploaded successfully`,
        failed: false,
      }
    : { kind: 'toast', title: `${fileName} uploaded successfully!`, failed: false }

/** How the end of a large drop is told, once for all its files. */
export const dropNotice = (stored: number, failed: number): Notice =>
  failed === 0
    ? {
        kind: 'toast',
        title: 'Upload Complete',
        description: `${stored} ${stored === 1 ? 'file' : 'files'} uploaded successfully`,
        failed: false,
      }
    : {
        kind: 'toast',
        title: 'Upload Failed',
        description: `${stored} of ${stored + failed} files uploaded`,
        failed: true,
      }

/** How a file is refused that was given to another file's upload. */
export const otherFileNotice = (reason: string): Notice => ({
  kind: 'toast',
  title: 'Not the same file',
  description: reason,
  failed: true,
})

/** How a lapsed session is told: once, however many uploads it holds up. */
export const signedOutNotice: Notice = {
  kind: 'toast',
  title: 'Upload paused',
  description: 'You were signed out. Sign in, and it goes on where it stopped.',
  failed: true,
}
