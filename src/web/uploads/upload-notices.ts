import type { UploadPath } from '../../shared/rules/files/upload-path.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import type { ToastLink } from '../ui/toast-options.ts'
import {
  isServerFullCode,
  unknownErrorText,
  unreadableFileText,
  unreadableText,
} from './upload-errors.ts'

/** A message about an upload, shown as a toast. */
export interface ToastNotice {
  kind: 'toast'
  title: string
  description?: string
  /** True if the server is full. The page then shows `serverFullLink` next to the text. */
  isServerFull?: boolean
  /** True if the list of uploads doesn't show the error. */
  isUnlisted?: boolean
  tone: 'plain' | 'destructive'
}

/** A message about an upload: `inline` next to the drop zone, or `toast`. */
export type Notice = { kind: 'inline'; text: string } | ToastNotice

function successToast(title: string, description?: string): ToastNotice {
  return { kind: 'toast', title, ...(description && { description }), tone: 'plain' }
}

function failureToast(title: string, description: string): ToastNotice {
  return { kind: 'toast', title, description, tone: 'destructive' }
}

/**
 * Returns the link shown next to an error that says the server is full. Administrators get a link
 * to the checks in the Admin Center, which explain how to free space. All other users get a link to
 * the feedback page.
 */
export function serverFullLink(isAdmin: boolean): ToastLink {
  return isAdmin
    ? { text: 'See the checks', href: '/admin#checks' }
    : { text: 'Tell support', href: '/feedback' }
}

/**
 * The stage at which an upload failed: before its bytes were sent, while they were being sent, or
 * during the confirm call.
 */
export type FailedStage = 'start' | 'transfer' | 'confirm'

/**
 * Returns the notice for a failed upload. Spec §5: an error containing 'tier' or 'Upgrade' is shown
 * inline instead of as a toast. Spec §8: the toast's title is 'Upload Error' before the transfer
 * starts, and 'Upload Failed' after that.
 * @param code the server's error code, if any.
 */
export function failureNotice(
  stage: FailedStage,
  fileName: string,
  reason: string,
  code: string | null = null,
): Notice {
  if (reason.includes('tier') || reason.includes('Upgrade')) return { kind: 'inline', text: reason }
  const [title, fallback] =
    stage === 'start'
      ? ['Upload Error', unknownErrorText]
      : ['Upload Failed', `Failed to upload ${fileName}`]
  // A toast doesn't show the file name separately, so its text has to include the name.
  const namedReason = reason === unreadableFileText ? unreadableText(fileName) : reason
  const isSpecific = reason !== '' && reason !== unknownErrorText
  const notice = failureToast(title, isSpecific ? namedReason : fallback)
  return isServerFullCode(code) ? { ...notice, isServerFull: true } : notice
}

/** Returns the notice for a successful upload. */
export function successNotice(path: UploadPath, fileName: string): Notice {
  return path === 'background'
    ? successToast(`${fileName} uploaded successfully!`)
    : successToast('Upload Complete', `${fileName} uploaded successfully`)
}

/** Returns the notice shown when a large drop ends, in place of a notice for each file. */
export function dropNotice(storedCount: number, failedCount: number): Notice {
  return failedCount === 0
    ? successToast('Upload Complete', `${formatCount(storedCount, 'file')} uploaded successfully`)
    : failureToast('Upload Failed', `${storedCount} of ${storedCount + failedCount} files uploaded`)
}

/**
 * Returns the notice shown if the user chooses a different file than the one the paused upload
 * needs.
 */
export function wrongFileNotice(reason: string): ToastNotice {
  return { ...failureToast('Not the same file', reason), isUnlisted: true }
}

/**
 * The notice for an expired session. Shown only once, even if several uploads are waiting for a
 * sign-in.
 */
export const signedOutNotice: Notice = failureToast(
  'Upload paused',
  'You were signed out. Sign in to resume the upload.',
)
