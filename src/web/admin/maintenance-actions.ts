import type { MaintenanceActionName } from '../../shared/rules/accounts/audit-action.ts'
import { formatSize } from '../../shared/rules/format/file-size.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { defaultTier, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { call } from '../api/call.ts'
import { type ActionOutcome, testUpload, testUploadBytes } from './test-upload.ts'

/** A maintenance action that the administrator starts with a button (spec §2). */
export interface MaintenanceAction {
  /** The action's name in the audit log. */
  act: MaintenanceActionName
  title: string
  description: string
  button: string
  pendingLabel: string
  /** The confirmation question. Set only for destructive actions. */
  question?: string
  /** The title of the toast shown if the action fails (spec §8). */
  failure: string
  /** @throws {ApiError} or {NetworkError} if the request to the server fails. */
  run: () => Promise<ActionOutcome>
}

const emailFailureText = 'Failed to test email notification'
const storageFailureText = 'Failed to test S3 connection'
const lowestTierName = tierTraits[defaultTier].name

/**
 * All maintenance actions, in display order.
 * @param sendsMail if false, the test email is written to a file instead of being sent.
 */
export function maintenanceActions(
  adminEmail: string,
  sendsMail: boolean,
): readonly MaintenanceAction[] {
  return [
    {
      act: 'clean-up-expired',
      title: 'Clean up expired files',
      description:
        "Deletes every permanently expired file and removes it from its owner's list. The server never does this by itself.",
      button: 'Clean up',
      question:
        'For all users, deletes every file whose link has expired and cannot be renewed, and removes it from the list. Files that Premium users can still renew stay. This cannot be undone.',
      pendingLabel: 'Cleaning up…',
      failure: 'Failed to cleanup expired files',
      run: async () => {
        const { deletedCount } = await call('POST /api/admin/cleanup-expired')
        return { ok: true, text: `${formatCount(deletedCount, 'file')} deleted` }
      },
    },
    {
      act: 'expire-files',
      title: 'Expire files',
      description:
        'Frees storage: deletes the contents of every expired file. The file stays in the list as expired. The server does this every minute.',
      button: 'Expire files',
      question:
        'For all users, deletes the contents of every file that has expired or was deleted and cannot be renewed. The files stay in the lists as expired. The server does the same within minutes. This cannot be undone.',
      pendingLabel: 'Expiring…',
      failure: 'Failed to expire files',
      run: async () => toExpireFilesOutcome(await call('POST /api/admin/expire-files')),
    },
    {
      act: 'expire-trials',
      title: 'Expire trials',
      description: `Sets users whose trial is over to ${lowestTierName}. The server does this every ten minutes.`,
      button: 'Expire trials',
      question: `All users whose trial is over become ${lowestTierName}. Their expired files are deleted, because they can no longer renew them. The server does the same within ten minutes. This cannot be undone.`,
      pendingLabel: 'Expiring…',
      failure: 'Failed to expire trials',
      run: async () => {
        const { expiredCount } = await call('POST /api/admin/expire-trials')
        return { ok: true, text: `${formatCount(expiredCount, 'trial')} ended` }
      },
    },
    {
      act: 'sanitize-file-names',
      title: 'Sanitize filenames',
      description:
        'Applies the rules for new uploads to stored file names: no quotes, slashes or control characters.',
      button: 'Sanitize',
      question:
        'For all users, replaces every stored file name that breaks the rules for uploads. The old names are not kept. Links stay as they are. This cannot be undone.',
      pendingLabel: 'Sanitizing…',
      failure: 'Failed to sanitize filenames',
      run: async () => {
        const { updated, errors } = await call('POST /api/admin/sanitize-filenames')
        const text = `${formatCount(updated, 'name')} changed, ${formatCount(errors, 'error')}`
        return { ok: true, text }
      },
    },
    {
      act: 'test-mail',
      title: 'Test email',
      description: sendsMail
        ? `Sends an email to ${adminEmail} now.`
        : 'Writes an email to the outbox folder, because SMTP_URL is not set.',
      button: 'Send',
      pendingLabel: 'Sending…',
      failure: emailFailureText,
      run: async () => {
        const { success, message } = await call('POST /api/test-email')
        const successText = `1 email ${sendsMail ? 'sent' : 'written'}`
        return { ok: success, text: success ? successText : emailFailureText, note: message }
      },
    },
    {
      act: 'test-storage',
      title: 'Test storage connection',
      description: 'Writes, reads, lists and deletes a small object in storage.',
      button: 'Test connection',
      pendingLabel: 'Testing…',
      failure: storageFailureText,
      run: async () => {
        const { connected, message } = await call('GET /api/admin/test-s3-connection')
        return { ok: connected, text: connected ? 'Connected' : storageFailureText, note: message }
      },
    },
    {
      act: 'test-storage-upload',
      title: 'Test storage upload',
      description: `Sends ${formatSize(testUploadBytes)} from this browser to storage. It is deleted within an hour.`,
      button: 'Test upload',
      pendingLabel: 'Testing…',
      failure: 'Failed to get upload URL',
      run: testUpload,
    },
  ]
}

/** Says how many files had their bytes deleted and how many deletions failed. */
export function toExpireFilesOutcome(result: {
  expiredCount: number
  failed: number
}): ActionOutcome {
  const { expiredCount, failed } = result
  const text = `Bytes of ${formatCount(expiredCount, 'file')} removed`
  if (failed === 0) return { ok: true, text }
  const retryNote = 'The server retries by itself. Test the storage connection to see why.'
  return { ok: true, text: `${text}, ${failed.toLocaleString('en')} failed`, note: retryNote }
}
