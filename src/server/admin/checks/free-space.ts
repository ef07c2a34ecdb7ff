import { formatSize, formatSizeLimit } from '../../../shared/rules/format/file-size.ts'
import type { DiskSpaceStatus } from '../../space/disk-space.ts'
import { breathingSpace } from '../../space/space-reserve.ts'
import { type CheckDeps, type Finding, failing, ok, shellQuote, warning } from './check.ts'
import { findRejectedSizes } from './rejected-sizes.ts'

/**
 * Compares the free disk space with the minimum that uploads must leave free (decision 026), and
 * with the largest file that each tier allows.
 */
export async function checkFreeSpace({
  config: { dataDir, databaseUrl, minFreeSpace },
  settings,
  space,
  stores,
}: Pick<CheckDeps, 'config' | 'settings' | 'space' | 'stores'>): Promise<Finding[]> {
  const { cap, limits } = await settings.current()
  const diskStatus = await space.readStatus()
  const { free, size, minFree } = diskStatus
  const storesUploads = stores.current.name === 'disk'
  const hasEmbeddedDatabase = databaseUrl === null
  const freeText = `${formatSize(free)} of ${formatSize(size)} are free on the disk of DATA_DIR`
  const effectText = describeEffect(storesUploads, hasEmbeddedDatabase)
  const remedy = remedyFor(diskStatus, { minFreeSpace, leastFree: cap.leastFree, dataDir })
  if (free < breathingSpace) {
    const consequence = hasEmbeddedDatabase
      ? 'the database and mail may stop'
      : 'mail and logs may stop'
    return [
      failing(
        `The disk is full. ${freeText}: ${effectText}, and ${consequence} at any moment.`,
        remedy,
      ),
    ]
  }
  const requirement = `${formatSizeLimit(minFree)} must stay free`
  if (minFree >= size) {
    return [
      failing(
        `Only ${freeText}, and ${requirement}, more than the whole disk has: ${effectText}.`,
        remedy,
      ),
    ]
  }
  if (free <= minFree) {
    return [
      failing(
        `Only ${freeText}, less than the ${formatSizeLimit(minFree)} that must stay free: ${effectText}.`,
        remedy,
      ),
    ]
  }
  const rejectedSizes = storesUploads ? findRejectedSizes(free - minFree, limits) : null
  if (rejectedSizes !== null) {
    const { status, text } = rejectedSizes
    const limitRemedy =
      'Until there is more space, lower "Size of a file" under Limits to what fits, so that nobody is promised more.'
    return [
      {
        status,
        message: `Only ${freeText}, and ${requirement}: ${text}.`,
        cure: `${remedy} ${limitRemedy}`,
      },
    ]
  }
  const upcomingEffectText = storesUploads
    ? `An upload that would leave less than ${formatSizeLimit(minFree)} is refused`
    : `At ${formatSizeLimit(minFree)} ${effectText}`
  if (free <= 2 * minFree) return [warning(`Only ${freeText}. ${upcomingEffectText}.`, remedy)]
  return [ok(minFree > 0 ? `${freeText}. ${upcomingEffectText}.` : `${freeText}.`)]
}

interface MinFreeSpaceSettings {
  /** The environment variable `MIN_FREE_SPACE`, in bytes. Null if it isn't set. */
  minFreeSpace: number | null
  /** The administrator's setting "Minimum free space", in bytes. */
  leastFree: number
  dataDir: string
}

/** Says how to free disk space, and which of the two settings applies. */
function remedyFor(
  { size, minFree, operatorMinFree }: DiskSpaceStatus,
  { minFreeSpace, leastFree, dataDir }: MinFreeSpaceSettings,
): string {
  const operatorState = minFreeSpace === null ? 'is not set and counts as' : 'is'
  const bothSettings = `MIN_FREE_SPACE ${operatorState} ${formatSizeLimit(operatorMinFree)}, "Minimum free space" under Limits is ${formatSizeLimit(leastFree)}: the larger counts.`
  if (minFree >= size) {
    return `No removal can help: ${formatSizeLimit(minFree)} must stay free, and the whole disk has ${formatSize(size)}. ${bothSettings} Make the larger one less than the disk (MIN_FREE_SPACE needs a restart of the server), or enlarge the disk.`
  }
  const databaseNote =
    minFree > Math.max(operatorMinFree, leastFree)
      ? ` The embedded database needs more than both: ${formatSizeLimit(minFree)}.`
      : ''
  return `In the Admin Center: take files down under Reports, delete a user who stores much under Users, or run "Clean up expired files" under Maintenance. Or remove what is not Mayfly's from the disk of ${shellQuote(dataDir)}, or enlarge the disk. No restart is needed for that. ${bothSettings}${databaseNote}`
}

function describeEffect(storesUploads: boolean, hasEmbeddedDatabase: boolean): string {
  if (storesUploads) return 'uploads are refused'
  return hasEmbeddedDatabase
    ? 'the database may need more soon'
    : 'mail and logs may need more soon'
}
