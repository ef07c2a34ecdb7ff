import { differenceFrom } from '../../clock.ts'
import { withTimeout } from '../../timeout.ts'
import {
  type CheckDeps,
  type Finding,
  failing,
  ok,
  partLimitMs,
  reasonOf,
  warning,
} from './check.ts'
import { readDatabaseTime } from './queries.ts'
import { spanText } from './span-text.ts'

const harmlessMs = 15_000
/** Presigned URLs of a bucket live for a minute, so they fail from this difference on. */
const harmfulMs = 60_000

const harms = {
  database: 'emails and jobs come that much too early or late',
  bucket: 'downloads fail, because their addresses live for a minute',
} as const

/** Compares this server's clock with those of the database and the bucket. */
export async function checkClock({
  clock,
  db,
  stores,
}: Pick<CheckDeps, 'clock' | 'db' | 'stores'>): Promise<Finding[]> {
  const from = clock()
  const time = await readDatabaseTime(db)
  const found = [judgeClock('database', differenceFrom(time, from, clock()))]
  for (const store of stores.all) {
    if (store.clockDifferenceMs === undefined) continue
    found.push({ about: 'bucket', ...(await judgeStore(store.clockDifferenceMs())) })
  }
  return found
}

async function judgeStore(difference: Promise<number>): Promise<Finding> {
  try {
    return judgeClock('bucket', await withTimeout(difference, partLimitMs))
  } catch (error) {
    return warning(
      `The clock of the bucket could not be read (${reasonOf(error)}).`,
      'See the check Storage: the bucket does not respond as it should.',
    )
  }
}

/** Builds the finding for a clock that differs from ours by `ms`, in either direction. */
export function judgeClock(whose: keyof typeof harms, ms: number): Finding {
  if (ms < 1000) return ok(`The clocks of this server and of the ${whose} agree.`)
  const message = `The clocks of this server and of the ${whose} are ${spanText(ms)} apart`
  if (ms <= harmlessMs) return ok(`${message}, which is harmless.`)
  const remedy = `Synchronize both machines with a time server: "timedatectl set-ntp true" on Linux with systemd. No restart is needed.`
  return ms < harmfulMs
    ? warning(`${message}. From a minute on, ${harms[whose]}.`, remedy)
    : failing(`${message}: ${harms[whose]}.`, remedy)
}
