import type { UploadPath } from '../../shared/rules/files/upload-path.ts'
import type { ToastLink } from '../ui/toast.tsx'
import { saysFull, unknownReason, unreadable, unreadableText } from './upload-errors.ts'

/** A message to a person about an upload: `inline` beside the drop zone, or `toast`. */
export type Notice =
  | { kind: 'inline'; text: string }
  | {
      kind: 'toast'
      title: string
      description?: string
      /** True if the server has no room. The page then shows `spaceLink` beside the text. */
      lacksSpace?: boolean
      failed: boolean
    }

/** A message that is shown as a toast. */
export type ToastNotice = Notice & { kind: 'toast' }

/**
 * Returns the link beside an error that says that the server has no room. Most people can tell
 * support: the feedback page has a form, and names the address. The administrator is led to the
 * checks of the Admin Center, which say how to make room.
 */
export function spaceLink(isAdmin: boolean): ToastLink {
  return isAdmin
    ? { text: 'See the checks', href: '/admin#checks' }
    : { text: 'Tell support', href: '/feedback' }
}

/** A toast that may have a link beside its text. */
export type LinkedNotice = ToastNotice & { link?: ToastLink }

/** Returns the notice with its link, if it says that the server has no room. */
export function withLink(notice: ToastNotice, isAdmin: boolean): LinkedNotice {
  return notice.lacksSpace ? { ...notice, link: spaceLink(isAdmin) } : notice
}

/**
 * The stage at which an upload failed: before its bytes were sent, while they were sent, or when
 * the server was asked to confirm it.
 */
export type FailedStage = 'start' | 'transfer' | 'confirm'

/**
 * Returns the notice that an upload failed. Spec §5: an error containing 'tier' or 'Upgrade' is
 * shown inline instead of as a toast. Spec §8: the toast's title is 'Upload Error' before the
 * transfer begins, and 'Upload Failed' after that.
 * @param code the code of the refusal, if the server refused something.
 */
export function failureNotice(
  stage: FailedStage,
  fileName: string,
  reason: string,
  code: string | null = null,
): Notice {
  if (reason.includes('tier') || reason.includes('Upgrade')) return { kind: 'inline', text: reason }
  const [title, otherwise] =
    stage === 'start'
      ? ['Upload Error', unknownReason]
      : ['Upload Failed', `Failed to upload ${fileName}`]
  // A toast shows no file name beside its text, so the text itself has to name the file.
  const named = reason === unreadable ? unreadableText(fileName) : reason
  const isKnown = reason !== '' && reason !== unknownReason
  return {
    kind: 'toast',
    title,
    description: isKnown ? named : otherwise,
    ...(saysFull(code) && { lacksSpace: true }),
    failed: true,
  }
}

/** Returns the notice that an upload succeeded. */
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

/**
 * Returns the notice for the end of a large drop. It is shown instead of a notice for each file.
 */
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

/** Returns the notice that a person chose a file other than the one that a paused upload needs. */
export function otherFileNotice(reason: string): Notice {
  return { kind: 'toast', title: 'Not the same file', description: reason, failed: true }
}

/**
 * The notice that the session has ended. It is shown once, even if several uploads wait for a
 * sign-in.
 */
export const signedOutNotice: Notice = {
  kind: 'toast',
  title: 'Upload paused',
  description: 'You were signed out. Sign in, and it goes on where it stopped.',
  failed: true,
}
