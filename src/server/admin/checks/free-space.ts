import { formatSize, formatSizeLimit } from '../../../shared/rules/format/file-size.ts'
import type { DiskFigures } from '../../space/disk-space.ts'
import { breathingSpace } from '../../space/space-reserve.ts'
import { type CheckDeps, type Finding, failing, ok, quoted, warning } from './check.ts'
import { refusedSizes } from './refused-sizes.ts'

/**
 * Compares the free disk space with the minimum that uploads must leave free (decision 026), and
 * with the largest file of each tier.
 */
export async function checkFreeSpace({
  config: { dataDir, databaseUrl, minFreeSpace },
  settings,
  space,
  stores,
}: Pick<CheckDeps, 'config' | 'settings' | 'space' | 'stores'>): Promise<Finding[]> {
  const { cap, limits } = await settings.current()
  const figures = await space.figures()
  const { free, size, minFree } = figures
  const takesUploads = stores.current.name === 'disk'
  const holdsDatabase = databaseUrl === null
  const disk = `${formatSize(free)} of ${formatSize(size)} are free on the disk of DATA_DIR`
  const effect = effectOf(takesUploads, holdsDatabase)
  const remedy = remedyFor(figures, { minFreeSpace, leastFree: cap.leastFree, dataDir })
  if (free < breathingSpace) {
    const now = holdsDatabase ? 'the database and mail may stop' : 'mail and logs may stop'
    return [failing(`The disk is full. ${disk}: ${effect}, and ${now} at any moment.`, remedy)]
  }
  const least = `${formatSizeLimit(minFree)} must stay free`
  if (minFree >= size) {
    return [failing(`Only ${disk}, and ${least}, more than the whole disk has: ${effect}.`, remedy)]
  }
  if (free <= minFree) {
    return [
      failing(
        `Only ${disk}, less than the ${formatSizeLimit(minFree)} that must stay free: ${effect}.`,
        remedy,
      ),
    ]
  }
  const refused = takesUploads ? refusedSizes(free - minFree, limits) : null
  if (refused !== null) {
    const { status, text } = refused
    const lower =
      'Until there is more space, lower "Size of a file" under Limits to what fits, so that nobody is promised more.'
    return [{ status, message: `Only ${disk}, and ${least}: ${text}.`, cure: `${remedy} ${lower}` }]
  }
  const ahead = takesUploads
    ? `An upload that would leave less than ${formatSizeLimit(minFree)} is refused`
    : `At ${formatSizeLimit(minFree)} ${effect}`
  if (free <= 2 * minFree) return [warning(`Only ${disk}. ${ahead}.`, remedy)]
  return [ok(minFree > 0 ? `${disk}. ${ahead}.` : `${disk}.`)]
}

interface MinFreeSettings {
  /** MIN_FREE_SPACE; null if unset. */
  minFreeSpace: number | null
  /** The administrator's setting "Minimum free space", in bytes. */
  leastFree: number
  dataDir: string
}

/** Describes how to fix low disk space, and which of the two settings applies. */
function remedyFor(
  { size, minFree, operatorMinFree }: DiskFigures,
  { minFreeSpace, leastFree, dataDir }: MinFreeSettings,
): string {
  const isSet = minFreeSpace === null ? 'is not set and counts as' : 'is'
  const both = `MIN_FREE_SPACE ${isSet} ${formatSizeLimit(operatorMinFree)}, "Minimum free space" under Limits is ${formatSizeLimit(leastFree)}: the larger counts.`
  if (minFree >= size) {
    return `No removal can help: ${formatSizeLimit(minFree)} must stay free, and the whole disk has ${formatSize(size)}. ${both} Make the larger one less than the disk (MIN_FREE_SPACE needs a restart of the server), or enlarge the disk.`
  }
  const database =
    minFree > Math.max(operatorMinFree, leastFree)
      ? ` The embedded database needs more than both: ${formatSizeLimit(minFree)}.`
      : ''
  return `In the Admin Center: take files down under Reports, delete a user who stores much under Users, or run "Clean up expired files" under Maintenance. Or remove what is not Mayfly's from the disk of ${quoted(dataDir)}, or enlarge the disk. No restart is needed for that. ${both}${database}`
}

function effectOf(takesUploads: boolean, holdsDatabase: boolean): string {
  if (takesUploads) return 'uploads are refused'
  return holdsDatabase ? 'the database may need more soon' : 'mail and logs may need more soon'
}
