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

/** A difference between two clocks of up to this many milliseconds does no harm. */
const harmlessMs = 15_000
/**
 * If the clocks differ by this much or more, no download from a bucket works, because its URL is
 * valid for only a minute. Jobs run by the minute of the database's clock, so from this difference
 * on they run at another minute than the server's clock says.
 */
const harmfulMs = 60_000

/** What a message says after the words that two clocks are so many seconds apart. */
interface Harm {
  /** If they are more than `harmlessMs` apart. */
  warning: string
  /** If they are `harmfulMs` or more apart. */
  failing: string
}

const harms = {
  database: {
    warning: '. Emails and jobs come that much too early or late.',
    failing: ': emails and jobs come that much too early or late.',
  },
  bucket: {
    warning: '. From a minute on, downloads fail, because their addresses live for a minute.',
    failing: ': downloads fail, because their addresses live for a minute.',
  },
} as const satisfies Record<string, Harm>

/** Compares the clock of this server with those of the database and of the bucket. */
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
      'Look at the line Storage: the bucket does not answer as it should.',
    )
  }
}

/**
 * Returns the finding about a clock that is `ms` milliseconds or more ahead of ours or behind it.
 */
export function judgeClock(whose: keyof typeof harms, ms: number): Finding {
  if (ms < 1000) return ok(`The clocks of this server and of the ${whose} agree.`)
  const message = `The clocks of this server and of the ${whose} are ${spanText(ms)} apart`
  if (ms <= harmlessMs) return ok(`${message}, which does no harm.`)
  const remedy = `Let both machines follow a time server: "timedatectl set-ntp true" on Linux with systemd. No restart is needed.`
  return ms < harmfulMs
    ? warning(`${message}${harms[whose].warning}`, remedy)
    : failing(`${message}${harms[whose].failing}`, remedy)
}
