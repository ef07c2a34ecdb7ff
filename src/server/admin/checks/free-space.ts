import { formatSize, formatSizeLimit } from '../../../shared/rules/file-size.ts'
import { readFreeSpace, spaceToLeave } from '../../space/free-space.ts'
import { breathingSpace } from '../../space/space-reserve.ts'
import { type CheckDeps, type Finding, failing, ok, quoted, warning } from './check.ts'

/**
 * Compares the free space of the disk with the space that uploads must leave free (decision 026).
 */
export async function checkFreeSpace({
  config,
  settings,
  stores,
}: Pick<CheckDeps, 'config' | 'settings' | 'stores'>): Promise<Finding[]> {
  const { dataDir, databaseUrl, minFreeSpace } = config
  const { free, size } = await readFreeSpace(dataDir)
  const { cap } = await settings.current()
  const takesUploads = stores.current.name === 'disk'
  const holdsDatabase = databaseUrl === null
  const wanted = spaceToLeave(size, { minFree: minFreeSpace, leastFree: cap.leastFree })
  const floor = Math.max(wanted, holdsDatabase ? breathingSpace : 0)
  const disk = `${formatSize(free)} of ${formatSize(size)} are free on the disk of DATA_DIR`
  const effect = effectOf(takesUploads, holdsDatabase)
  const ahead = takesUploads
    ? `An upload that would leave less than ${formatSizeLimit(floor)} is refused`
    : `At ${formatSizeLimit(floor)} ${effect}`
  if (free > 2 * floor) {
    return [ok(floor > 0 ? `${disk}. ${ahead}.` : `${disk}.`)]
  }
  const cure = `Remove what is not Mayfly's from the disk of ${quoted(dataDir)}, let people delete files, or enlarge the disk. No restart is needed. How much must stay free is the larger of MIN_FREE_SPACE and of the free space to leave under Limits (now ${formatSizeLimit(floor)}).`
  return [
    free > floor
      ? warning(`Only ${disk}. ${ahead}.`, cure)
      : failing(
          `Only ${disk}, less than the ${formatSizeLimit(floor)} that must stay free: ${effect}.`,
          cure,
        ),
  ]
}

function effectOf(takesUploads: boolean, holdsDatabase: boolean): string {
  if (takesUploads) return 'uploads are refused'
  return holdsDatabase ? 'the database may need more soon' : 'letters and logs may need more soon'
}
