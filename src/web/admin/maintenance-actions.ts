import { formatSize } from '../../shared/rules/file-size.ts'
import { defaultTier } from '../../shared/rules/tier.ts'
import { tierTraits } from '../../shared/rules/tier-traits.ts'
import { call } from '../api/call.ts'
import {
  cleanedUp,
  expiredFiles,
  expiredTrials,
  type Outcome,
  sanitized,
  tested,
} from './maintenance-text.ts'
import { testUpload, testUploadBytes, thisBrowser } from './test-upload.ts'

/** A maintenance action. The administrator starts it with a button (spec §2). */
export interface MaintenanceAction {
  title: string
  /** What the action does, in one short line. */
  does: string
  button: string
  pendingLabel: string
  /** The question that comes before the action. Only an action that destroys something has one. */
  question?: string
  /** The text when the call of the action fails (spec §8). */
  failure: string
  /** How many bytes the action sends, if it sends any and reports its progress. */
  bytes?: number
  /**
   * Runs the action.
   * @param onSent is called from time to time with the number of bytes that were sent so far.
   * @throws {ApiError} or {NetworkError} of the action's call.
   */
  run: (onSent: (bytes: number) => void) => Promise<Outcome>
}

const mailFailure = 'Failed to test email notification'
const storageFailure = 'Failed to test S3 connection'

/** All maintenance actions, in the order in which the page shows them. */
export function maintenanceActions(adminEmail: string): readonly MaintenanceAction[] {
  return [
    {
      title: 'Clean up expired files',
      does: 'Deletes all files that are over and cannot be renewed, from the lists too.',
      button: 'Clean up',
      question:
        'For all users, every file whose link has ended and cannot be renewed is deleted: its line leaves their lists, and its bytes go, usually at once. What Premium users can still renew stays. This cannot be undone.',
      pendingLabel: 'Cleaning up…',
      failure: 'Failed to cleanup expired files',
      run: async () => cleanedUp(await call('cleanUpExpired')),
    },
    {
      title: 'Expire files',
      does: 'Removes the bytes of files that are over now. Their lines stay in the lists.',
      button: 'Expire files',
      question:
        'For all users, the bytes of every file that is over go now: those past their longest life, those that were deleted, and those whose owner cannot renew them. Their lines stay in the lists. Without this the server does the same, within minutes. This cannot be undone.',
      pendingLabel: 'Expiring…',
      failure: 'Failed to expire files',
      run: async () => expiredFiles(await call('expireFiles')),
    },
    {
      title: 'Expire trials',
      does: `Sets users whose trial is over to ${tierTraits[defaultTier].name}.`,
      button: 'Expire trials',
      question: `All users whose trial is over become ${tierTraits[defaultTier].name}. Their files whose links have ended go then, because they can no longer renew them. Without this the server does the same, within ten minutes. This cannot be undone.`,
      pendingLabel: 'Expiring…',
      failure: 'Failed to expire trials',
      run: async () => expiredTrials(await call('expireTrials')),
    },
    {
      title: 'Sanitize filenames',
      does: 'Cleans stored names by the rules that uploads obey today.',
      button: 'Sanitize',
      question:
        'For all users, every stored name that breaks the rules of uploads is replaced by a clean one. The old names are not kept. Links stay as they are. This cannot be undone.',
      pendingLabel: 'Sanitizing…',
      failure: 'Failed to sanitize filenames',
      run: async () => sanitized(await call('sanitizeFileNames')),
    },
    {
      title: 'Test email',
      does: `Sends a mail to ${adminEmail} now.`,
      button: 'Send',
      pendingLabel: 'Sending…',
      failure: mailFailure,
      run: async () => {
        const { success, message } = await call('testMail')
        return tested(success, '1 mail sent', mailFailure, message)
      },
    },
    {
      title: 'Test storage connection',
      does: 'Writes, reads, lists and removes where new files are kept.',
      button: 'Test connection',
      pendingLabel: 'Testing…',
      failure: storageFailure,
      run: async () => {
        const { connected, message } = await call('testStorage')
        return tested(connected, 'Connected', storageFailure, message)
      },
    },
    {
      title: 'Test storage upload',
      does: `Sends ${formatSize(testUploadBytes)} from this browser to the storage, which is removed within the hour.`,
      button: 'Test upload',
      pendingLabel: 'Testing…',
      failure: 'Direct S3 upload failed',
      bytes: testUploadBytes,
      run: (onSent) => testUpload(thisBrowser(), onSent),
    },
  ]
}
