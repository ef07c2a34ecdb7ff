import { type Actor, adminEntry, writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { expireFiles } from '../files/expire-files.ts'
import { expireTrials } from '../tiers/set-tier.ts'

/**
 * Removes the bytes of files that were deleted, or whose links have ended and cannot be renewed.
 * The job `expire-files` does the same every minute (spec §7). If the job runs at the same time,
 * only one of the two counts a file.
 * @returns how many files lost their bytes, and how many did not, because storage failed.
 * @throws {AppError} UNAVAILABLE when storage removed none of the bytes that were due.
 */
export async function expireFilesNow(
  deps: Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>,
  actor: Actor,
): Promise<{ expiredCount: number; failed: number }> {
  const { purged: expiredCount, failed } = await expireFiles(deps)
  const figures = { expiredCount, failed }
  await writeAudit(deps.db, [
    adminEntry(actor, deps.clock(), { action: 'expire-files', details: figures }),
  ])
  if (expiredCount === 0 && failed > 0)
    throw new AppError('UNAVAILABLE', { message: refusal(failed) })
  return figures
}

function refusal(failed: number): string {
  const files = failed === 1 ? '1 file' : `${failed} files`
  return (
    `Storage did not remove the bytes of ${files}. The server retries by itself. ` +
    'Test the storage connection to see why.'
  )
}

/**
 * Sets users whose trials have ended to free, as the job `expire-trials` does every ten minutes. If
 * the job runs at the same time, only one of the two counts a user.
 * @returns how many users were set to free.
 */
export async function expireTrialsNow(
  deps: Pick<Deps, 'clock' | 'db'>,
  actor: Actor,
): Promise<number> {
  const { expiredCount } = await expireTrials(deps)
  await writeAudit(deps.db, [
    adminEntry(actor, deps.clock(), { action: 'expire-trials', details: { expiredCount } }),
  ])
  return expiredCount
}
