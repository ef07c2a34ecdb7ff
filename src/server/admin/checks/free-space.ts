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
  const cure = cureOf({ size, floor, minFreeSpace, leastFree: cap.leastFree, dataDir })
  if (free > floor) return [warning(`Only ${disk}. ${ahead}.`, cure)]
  if (free < breathingSpace) {
    const now = holdsDatabase ? 'the database and mail may stop' : 'mail and logs may stop'
    return [failing(`The disk is full. ${disk}: ${effect}, and ${now} at any moment.`, cure)]
  }
  const least = `less than the ${formatSizeLimit(floor)} that must stay free`
  return [failing(`Only ${disk}, ${least}: ${effect}.`, cure)]
}

interface Floor {
  /** The bytes of the whole disk. */
  size: number
  /** How many bytes must stay free. */
  floor: number
  /** The setting MIN_FREE_SPACE; null if it is not set. */
  minFreeSpace: number | null
  /** The setting "Free space to leave" of the administrator, in bytes. */
  leastFree: number
  dataDir: string
}

/** Says what the administrator can do about too little free space, and which setting counts. */
function cureOf({ size, floor, minFreeSpace, leastFree, dataDir }: Floor): string {
  const isSet = minFreeSpace === null ? 'is not set and counts as' : 'is'
  const ofServer = formatSizeLimit(spaceToLeave(size, { minFree: minFreeSpace, leastFree: 0 }))
  const both = `MIN_FREE_SPACE ${isSet} ${ofServer}, "Free space to leave" under Limits is ${formatSizeLimit(leastFree)}: the larger counts.`
  if (floor >= size) {
    return `No removal can help: ${formatSizeLimit(floor)} must stay free, and the whole disk has ${formatSize(size)}. ${both} Make the larger one less than the disk (MIN_FREE_SPACE needs a restart of the server), or enlarge the disk.`
  }
  return `In the Admin Center: take files down under Reports, delete a user who stores much under Users, or run "Clean up expired files" under Maintenance. Or remove what is not Mayfly's from the disk of ${quoted(dataDir)}, or enlarge the disk. No restart is needed for that. ${both}`
}

function effectOf(takesUploads: boolean, holdsDatabase: boolean): string {
  if (takesUploads) return 'uploads are refused'
  return holdsDatabase ? 'the database may need more soon' : 'mail and logs may need more soon'
}
