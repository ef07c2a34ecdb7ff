import { useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import type { AuditLine } from '../../shared/contract/admin.ts'
import type { MaintenanceAct } from '../../shared/rules/accounts/audit-action.ts'
import { formatSize } from '../../shared/rules/format/file-size.ts'
import { counted } from '../../shared/rules/format/numbers.ts'
import { defaultTier } from '../../shared/rules/tiers/tier.ts'
import { tierTraits } from '../../shared/rules/tiers/tier-traits.ts'
import { call } from '../api/call.ts'
import { maintenanceKey } from './refresh.ts'
import { type ActOutcome, testUpload, testUploadBytes, thisBrowser } from './test-upload.ts'

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

function success(text: string, note?: string): ActOutcome {
  return { ok: true, text, ...(note && { note }) }
}

/** Says how many things an action changed. If it changed none, it also says why. */
function figure(count: number, one: string, did: string): ActOutcome {
  return success(`${counted(count, one)} ${did}${count === 0 ? ': none had expired' : ''}`)
}

/** Says how many files of the history were deleted. */
export function cleanedUp({ deletedCount }: { deletedCount: number }): ActOutcome {
  return figure(deletedCount, 'file', 'deleted')
}

/** Says of how many files the bytes were removed, and of how many they were not. */
export function expiredFiles(figures: { expiredCount: number; failed: number }): ActOutcome {
  const { expiredCount, failed } = figures
  const text = `Bytes of ${counted(expiredCount, 'file')} removed`
  if (failed > 0) {
    const note = 'The server retries by itself. Test the storage connection to see why.'
    return success(`${text}, ${failed.toLocaleString('en')} failed`, note)
  }
  return success(expiredCount === 0 ? `${text}: none had expired` : text)
}

/** Says how many trials were ended. */
export function expiredTrials({ expiredCount }: { expiredCount: number }): ActOutcome {
  return figure(expiredCount, 'trial', 'ended')
}

/** Says how many names of files were changed, and how many could not be. */
export function sanitized({ updated, errors }: { updated: number; errors: number }): ActOutcome {
  return success(`${counted(updated, 'name')} changed, ${counted(errors, 'error')}`)
}

/**
 * Returns the result of a test. The server tells whether the test succeeded, and explains it in
 * `message`.
 */
export function tested(isOk: boolean, done: string, failure: string, message: string): ActOutcome {
  return isOk ? success(done, message) : { ok: false, text: failure, note: message }
}

/** The texts of failures. The page shows them at once, and again when it is reopened. */
export const failures: Record<MaintenanceAct, string> = {
  'clean-up-expired': 'Failed to cleanup expired files',
  'expire-files': 'Failed to expire files',
  'expire-trials': 'Failed to expire trials',
  'sanitize-file-names': 'Failed to sanitize filenames',
  'test-mail': 'Failed to test email notification',
  'test-storage': 'Failed to test S3 connection',
  'test-storage-upload': 'Failed to get upload URL',
}

/** Says what became of the test email. Without a mail server, it is written to a folder. */
function testMailText({ sent }: { sent: boolean }): string {
  return `1 email ${sent ? 'sent' : 'written'}`
}

type Details = AuditLine['details']

const figures = z.number().int().nonnegative()
const cleanUpDetails = z.object({ deletedCount: figures, totalDeleted: figures.optional() })
const expiryDetails = z.object({ expiredCount: figures, failed: figures.default(0) })
const sanitizeDetails = z.object({
  updated: figures,
  errors: figures,
})
const mailDetails = z.object({ success: z.boolean(), toOutbox: z.boolean().default(false) })
const storageDetails = z.object({ connected: z.boolean() })
const uploadDetails = z.object({ size: figures })

/**
 * Says what each action did, by its line in the audit log. An action that works in several steps
 * leaves a line after each. Then the last line has the totals.
 * @throws {ZodError} for details that it cannot read.
 */
const readers: Record<MaintenanceAct, (details: Details) => ActOutcome> = {
  'clean-up-expired': (details) => {
    const { deletedCount, totalDeleted = deletedCount } = cleanUpDetails.parse(details)
    return cleanedUp({ deletedCount: totalDeleted })
  },
  'expire-files': (details) => {
    const done = expiryDetails.parse(details)
    if (done.expiredCount > 0 || done.failed === 0) return expiredFiles(done)
    const note = `Storage did not remove the bytes of ${counted(done.failed, 'file')}. The server retries by itself.`
    return { ok: false, text: failures['expire-files'], note }
  },
  'expire-trials': (details) => expiredTrials(expiryDetails.parse(details)),
  'sanitize-file-names': (details) => {
    return sanitized(sanitizeDetails.parse(details))
  },
  'test-mail': (details) => {
    const { success, toOutbox } = mailDetails.parse(details)
    return verdict('test-mail', success, testMailText({ sent: !toOutbox }))
  },
  'test-storage': (details) =>
    verdict('test-storage', storageDetails.parse(details).connected, 'Connected'),
  // The server signs the URL, and only the browser knows what became of the bytes.
  'test-storage-upload': (details) => ({
    ok: null,
    text: `Upload of ${formatSize(uploadDetails.parse(details).size)} begun`,
    note: 'Only the browser that sent it knows how it ended.',
  }),
}

function verdict(act: MaintenanceAct, ok: boolean, done: string): ActOutcome {
  return { ok, text: ok ? done : failures[act] }
}

/**
 * Returns what an action did, by its line in the audit log. An older version of the program may
 * have written other details. Then it only says that the action was done.
 */
export function rememberedOutcome(act: MaintenanceAct, details: Details): ActOutcome {
  try {
    return readers[act](details)
  } catch {
    return { ok: null, text: 'Done' }
  }
}
