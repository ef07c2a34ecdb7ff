import { z } from 'zod'
import type { AuditLine } from '../../shared/contract/admin.ts'
import type { MaintenanceAct } from '../../shared/rules/accounts/audit-action.ts'
import { formatSize } from '../../shared/rules/format/file-size.ts'
import { counted } from '../../shared/rules/format/numbers.ts'

/** The result of a maintenance action, in words for the administrator. */
export interface ActOutcome {
  /** null if nobody knows whether it succeeded. */
  ok: boolean | null
  /** What the action did, in figures. After a failure, it says what failed. */
  text: string
  /** More about the result, or what to do about a failure. */
  note?: string
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
export function testMailText({ sent }: { sent: boolean }): string {
  return `1 email ${sent ? 'sent' : 'written'}`
}

type Details = AuditLine['details']

const figures = z.number().int().nonnegative()
const cleanUpDetails = z.object({ deletedCount: figures, totalDeleted: figures.optional() })
const expiryDetails = z.object({ expiredCount: figures, failed: figures.default(0) })
const sanitizeDetails = z.object({
  updated: figures,
  errors: figures,
  totalUpdated: figures.optional(),
  totalErrors: figures.optional(),
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
    const { updated, errors, totalUpdated, totalErrors } = sanitizeDetails.parse(details)
    return sanitized({ updated: totalUpdated ?? updated, errors: totalErrors ?? errors })
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
