import type { UploadPath } from '../../shared/rules/upload-path.ts'
import { unreadable, unreadableText } from './upload-errors.ts'

/** What a person is told of an upload: beside the drop zone, or as a toast. */
export type Notice =
  | { kind: 'inline'; text: string }
  | { kind: 'toast'; title: string; description?: string; failed: boolean }

/** Where an upload can fail: before its bytes leave, on their way, or when they become a file. */
export type FailedStage = 'start' | 'transfer' | 'confirm'

/**
 * Tells that an upload failed. Spec §5: an error containing 'tier' or 'Upgrade' is shown inline
 * instead of as a toast. Spec §8: 'Upload Error' for what fails before the transfer, 'Upload
 * Failed' from then on.
 */
export function failureNotice(stage: FailedStage, fileName: string, reason: string): Notice {
  if (reason.includes('tier') || reason.includes('Upgrade')) return { kind: 'inline', text: reason }
  const [title, otherwise] =
    stage === 'start'
      ? ['Upload Error', 'Upload failed']
      : ['Upload Failed', `Failed to upload ${fileName}`]
  // A toast shows no name beside it, so the text itself has to name the file.
  const named = reason === unreadable ? unreadableText(fileName) : reason
  return { kind: 'toast', title, description: named || otherwise, failed: true }
}

/** Tells that an upload became a file (spec §8). */
export function successNotice(path: UploadPath, fileName: string): Notice {
  if (path === 'background') {
    return { kind: 'toast', title: `${fileName} uploaded successfully!`, failed: false }
  }
  return {
    kind: 'toast',
    title: 'Upload Complete',
    description: `${fileName} uploaded successfully`,
    failed: false,
  }
}

/** Tells that a large drop has ended, once for all its files. */
export function dropNotice(stored: number, failed: number): Notice {
  if (failed === 0) {
    return {
      kind: 'toast',
      title: 'Upload Complete',
      description: `${stored} ${stored === 1 ? 'file' : 'files'} uploaded successfully`,
      failed: false,
    }
  }
  return {
    kind: 'toast',
    title: 'Upload Failed',
    description: `${stored} of ${stored + failed} files uploaded`,
    failed: true,
  }
}

/** Tells that a paused upload was given another file than its own. */
export function otherFileNotice(reason: string): Notice {
  return { kind: 'toast', title: 'Not the same file', description: reason, failed: true }
}

/** Tells that the session is over: once, however many uploads wait for it. */
export const signedOutNotice: Notice = {
  kind: 'toast',
  title: 'Upload paused',
  description: 'You were signed out. Sign in, and it goes on where it stopped.',
  failed: true,
}
