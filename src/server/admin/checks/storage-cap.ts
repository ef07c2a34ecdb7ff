import { fileSizeWarning, fullness } from '../../../shared/rules/files/storage-cap.ts'
import {
  formatSize,
  formatSizeLimit,
  roundSizeDown,
} from '../../../shared/rules/format/file-size.ts'
import type { Limits } from '../../../shared/rules/tiers/tier-limits.ts'
import { sumStored } from '../../uploads/queries.ts'
import { type CheckDeps, type Finding, failing, ok, warning } from './check.ts'
import { findRejectedSizes } from './rejected-sizes.ts'

const remedy =
  'In the Admin Center: raise the cap under Limits ("Bytes in storage at most", the setting storage_cap), take files down under Reports, delete a user who stores much under Users, or run "Clean up expired files" under Maintenance. No restart is needed.'

/**
 * Compares the stored bytes with the storage cap, and the remaining space with the largest file
 * that each tier allows. Once 80% of the cap is used, the result is a warning or worse.
 */
export async function checkStorageCap({
  db,
  settings,
}: Pick<CheckDeps, 'db' | 'settings'>): Promise<Finding[]> {
  const { cap, limits } = await settings.current()
  const { maxStored } = cap
  const { files, uploads } = await sumStored(db)
  const storedBytes = files + uploads
  if (maxStored === null) return [ok(`${formatSize(storedBytes)} are stored. There is no cap.`)]
  const availableBytes = Math.max(0, maxStored - storedBytes)
  return [storageCapFinding({ stored: storedBytes, uploads, availableBytes, maxStored }, limits)]
}

/** The figures compared with a storage cap, in bytes. */
export interface CapUsage {
  /** The size of all files and open uploads. */
  stored: number
  /** The announced size of open uploads, which `stored` includes. */
  uploads: number
  /** The largest upload that could start now. */
  availableBytes: number
  maxStored: number
}

/**
 * Creates the finding for a storage cap. It is ok only if less than 80% of the cap is used and the
 * largest file of every tier would fit.
 */
export function storageCapFinding(
  { stored, uploads, availableBytes, maxStored }: CapUsage,
  limits: Limits,
): Finding {
  const percent = Math.floor((stored / maxStored) * 100)
  const usageText = `${formatSize(stored)} of ${formatSizeLimit(maxStored)} are used (${percent} %), ${formatSize(uploads)} of them by uploads under way`
  const capState = fullness(stored, { maxStored })
  if (capState === 'full') return failing(`${usageText}. New uploads are refused.`, remedy)
  const sizeWarning = fileSizeWarning(maxStored, limits)
  const rejectedSizes = sizeWarning === null ? findRejectedSizes(availableBytes, limits) : null
  if (rejectedSizes !== null)
    return {
      status: rejectedSizes.status,
      message: `${usageText}: ${rejectedSizes.text}.`,
      cure: remedy,
    }
  if (capState === 'warning') {
    const remainingSpaceText = formatSize(roundSizeDown(maxStored - stored))
    return warning(
      `${usageText}. An upload larger than the ${remainingSpaceText} that are left is refused.`,
      remedy,
    )
  }
  if (sizeWarning === null) return ok(`${usageText}.`)
  const tooLargeRemedy =
    'Raise the cap, or lower the size of a file: both in the Admin Center under Limits.'
  return warning(`${usageText}. ${sizeWarning}`, tooLargeRemedy)
}
