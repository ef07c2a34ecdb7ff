import { differenceFrom } from '../../clock.ts'
import { withTimeout } from '../../timeout.ts'
import {
  type CheckDeps,
  describeError,
  type Finding,
  failing,
  ok,
  stepTimeoutMs,
  warning,
} from './check.ts'
import { readDatabaseTime } from './queries.ts'
import { spanText } from './span-text.ts'

const warnAboveMs = 15_000
/** Presigned URLs are valid for a minute, so they don't work if clocks differ by more than that. */
const failFromMs = 60_000

const consequences = {
  database: 'emails and jobs come that much too early or late',
  bucket: 'downloads fail, because their addresses live for a minute',
} as const

/** Compares this server's clock with the clocks of the database and the bucket. */
export async function checkClock({
  clock,
  db,
  stores,
}: Pick<CheckDeps, 'clock' | 'db' | 'stores'>): Promise<Finding[]> {
  const timeBeforeQuery = clock()
  const databaseTime = await readDatabaseTime(db)
  const findings = [
    clockFinding('database', differenceFrom(databaseTime, timeBeforeQuery, clock())),
  ]
  for (const store of stores.all) {
    if (store.clockDifferenceMs === undefined) continue
    findings.push({ about: 'bucket', ...(await checkBucketClock(store.clockDifferenceMs())) })
  }
  return findings
}

async function checkBucketClock(differencePromise: Promise<number>): Promise<Finding> {
  try {
    return clockFinding('bucket', await withTimeout(differencePromise, stepTimeoutMs))
  } catch (error) {
    return warning(
      `The clock of the bucket could not be read (${describeError(error)}).`,
      'See the check Storage: the bucket does not respond as it should.',
    )
  }
}

/**
 * Creates the finding for a clock that is `differenceMs` ahead of or behind this server's clock.
 */
export function clockFinding(owner: keyof typeof consequences, differenceMs: number): Finding {
  if (differenceMs < 1000) return ok(`The clocks of this server and of the ${owner} agree.`)
  const message = `The clocks of this server and of the ${owner} are ${spanText(differenceMs)} apart`
  if (differenceMs <= warnAboveMs) return ok(`${message}, which is harmless.`)
  const remedy = `Synchronize both machines with a time server: "timedatectl set-ntp true" on Linux with systemd. No restart is needed.`
  return differenceMs < failFromMs
    ? warning(`${message}. From a minute on, ${consequences[owner]}.`, remedy)
    : failing(`${message}: ${consequences[owner]}.`, remedy)
}
