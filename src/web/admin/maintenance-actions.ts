import { useQuery } from '@tanstack/react-query'
import type { MaintenanceAct } from '../../shared/rules/accounts/audit-action.ts'
import { formatSize } from '../../shared/rules/format/file-size.ts'
import { defaultTier } from '../../shared/rules/tiers/tier.ts'
import { tierTraits } from '../../shared/rules/tiers/tier-traits.ts'
import { call } from '../api/call.ts'
import {
  type ActOutcome,
  cleanedUp,
  expiredFiles,
  expiredTrials,
  failures,
  sanitized,
  tested,
  testMailText,
} from './maintenance-text.ts'
import { maintenanceKey } from './refresh.ts'
import { testUpload, testUploadBytes, thisBrowser } from './test-upload.ts'

/** A maintenance action. The administrator starts it with a button (spec §2). */
export interface MaintenanceAction {
  /** The name of the action in the audit log. */
  act: MaintenanceAct
  title: string
  /** What the action does, in one short line. */
  does: string
  button: string
  pendingLabel: string
  /** The question that comes before the action. Only an action that destroys something has one. */
  question?: string
  /** How many bytes the action sends, if it sends any and reports its progress. */
  bytes?: number
  /**
   * Runs the action.
   * @param onSent is called from time to time with the number of bytes that were sent so far.
   * @throws {ApiError} or {NetworkError} of the action's call.
   */
  run: (onSent: (bytes: number) => void) => Promise<ActOutcome>
}

/**
 * All maintenance actions, in the order in which the page shows them.
 * @param sendsMail false if no mail server is set. The test email then becomes a file.
 */
export function maintenanceActions(
  adminEmail: string,
  sendsMail: boolean,
): readonly MaintenanceAction[] {
  return [
    {
      act: 'clean-up-expired',
      title: 'Clean up expired files',
      does: "Deletes every file that has expired for good and removes it from its owner's list. The server never does this by itself.",
      button: 'Clean up',
      question:
        'For all users, deletes every file whose link has expired and cannot be renewed, and removes it from the list. Files that Premium users can still renew stay. This cannot be undone.',
      pendingLabel: 'Cleaning up…',
      run: async () => cleanedUp(await call('cleanUpExpired')),
    },
    {
      act: 'expire-files',
      title: 'Expire files',
      does: 'Frees storage: deletes the contents of every expired file. The file stays in the list as expired. The server does this every minute.',
      button: 'Expire files',
      question:
        'For all users, the bytes of every file that is over go now: those past their longest life, those that were deleted, and those whose owner cannot renew them. Their lines stay in the lists. Without this the server does the same, within minutes. This cannot be undone.',
      pendingLabel: 'Expiring…',
      run: async () => expiredFiles(await call('expireFiles')),
    },
    {
      act: 'expire-trials',
      title: 'Expire trials',
      does: `Sets users whose trial is over to ${tierTraits[defaultTier].name}. The server does this every ten minutes.`,
      button: 'Expire trials',
      question: `All users whose trial is over become ${tierTraits[defaultTier].name}. Their files whose links have ended go then, because they can no longer renew them. Without this the server does the same, within ten minutes. This cannot be undone.`,
      pendingLabel: 'Expiring…',
      run: async () => expiredTrials(await call('expireTrials')),
    },
    {
      act: 'sanitize-file-names',
      title: 'Sanitize filenames',
      does: 'Applies the rules for new uploads to stored file names: no quotes, slashes or control characters.',
      button: 'Sanitize',
      question:
        'Replaces every stored file name that breaks the rules for uploads, for all users. The old names are not kept. Links stay as they are. This cannot be undone.',
      pendingLabel: 'Sanitizing…',
      run: async () => sanitized(await call('sanitizeFileNames')),
    },
    {
      act: 'test-mail',
      title: 'Test email',
      does: sendsMail
        ? `Sends an email to ${adminEmail} now.`
        : 'Writes an email to the outbox folder, because SMTP_URL is not set.',
      button: 'Send',
      pendingLabel: 'Sending…',
      run: async () => {
        const { success, message } = await call('testMail')
        return tested(success, testMailText({ sent: sendsMail }), failures['test-mail'], message)
      },
    },
    {
      act: 'test-storage',
      title: 'Test storage connection',
      does: 'Writes, reads, lists and deletes a small object in storage.',
      button: 'Test connection',
      pendingLabel: 'Testing…',
      run: async () => {
        const { connected, message } = await call('testStorage')
        return tested(connected, 'Connected', failures['test-storage'], message)
      },
    },
    {
      act: 'test-storage-upload',
      title: 'Test storage upload',
      does: `Sends ${formatSize(testUploadBytes)} from this browser to storage. It is deleted within an hour.`,
      button: 'Test upload',
      pendingLabel: 'Testing…',
      bytes: testUploadBytes,
      run: (onSent) => testUpload(thisBrowser(), onSent),
    },
  ]
}

/**
 * Loads the newest line that each maintenance action has left in the audit log. It loads again each
 * time the page is opened.
 */
export function useMaintenance() {
  return useQuery({
    queryKey: [maintenanceKey],
    queryFn: ({ signal }) => call('listMaintenance', { signal }),
    refetchOnMount: 'always',
  })
}
