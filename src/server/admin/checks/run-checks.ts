import type { CheckLine } from '../../../shared/contract/checks.ts'
import { minuteInMs } from '../../../shared/rules/time-units.ts'
import { inTime } from '../../http/in-time.ts'
import { lastLineOf } from '../audit-queries.ts'
import { type Check, type CheckDeps, failing, reasonOf, type Visit } from './check.ts'
import { checks } from './checks.ts'

/** How long one check may take. */
const limitMs = 10_000

/**
 * The Admin Center gets results that are up to this many milliseconds old. Otherwise a page that
 * stays open would repeat the checks all the time, and some of them write to storage.
 */
const keptMs = 5_000

/**
 * Results with a failing line are reused for at most this many milliseconds, whatever age the caller
 * accepts. So a fault that has passed is shown for a minute, not for as long as good results are.
 */
const failingKeptMs = minuteInMs

/**
 * Runs all checks in parallel, and returns their lines in the order of `list`. It never rejects. If
 * a check throws or takes longer than `limit`, its line says that the check failed.
 */
export async function runChecks(
  deps: CheckDeps,
  visit: Visit,
  { list = checks, limit = limitMs }: { list?: readonly Check[]; limit?: number } = {},
): Promise<CheckLine[]> {
  const lines = await Promise.all(list.map((check) => runCheck(deps, visit, check, limit)))
  return lines.flat()
}

async function runCheck(
  deps: CheckDeps,
  visit: Visit,
  { name, look }: Check,
  limit: number,
): Promise<CheckLine[]> {
  try {
    const found = await inTime(Promise.resolve(look(deps, visit)), limit)
    return found.map(({ about, ...finding }) => ({
      name: about === undefined ? name : `${name}: ${about}`,
      ...finding,
    }))
  } catch (error) {
    deps.log.warn({ err: error, check: name }, 'a check could not be made')
    const message = `This could not be checked: ${reasonOf(error)}.`
    const cure =
      'Check again. If it stays so, the log has more: look for "a check could not be made".'
    return [{ name, ...failing(message, cure) }]
  }
}

interface Kept {
  visit: string
  at: number
  lines: Promise<CheckLine[]>
  /** Whether a line is failing. It is false while the checks run. */
  isFailing: boolean
}

/**
 * Returns a function that returns the lines of all checks. For equal visits, it runs the checks only
 * if the last lines are older than `mostAgeMs`, by default 5 seconds, or if one of them is failing
 * and they are older than a minute. After an act of the administrator, such as a takedown that freed
 * space, it runs them again at once. Calls during a run share its result.
 */
export function keepChecks(
  deps: CheckDeps,
): (visit: Visit, administrator: string, mostAgeMs?: number) => Promise<CheckLine[]> {
  let kept: Kept | undefined
  return async (visit, administrator, mostAgeMs = keptMs) => {
    // If the database cannot be reached, the checks must still run, because one of them reports
    // that.
    const lastAct = await lastLineOf(deps.db, administrator).catch(() => null)
    const now = deps.clock().getTime()
    const key = JSON.stringify([visit, lastAct])
    // If somebody has set the clock back, the age is negative. The checks then run again.
    const age = kept ? now - kept.at : 0
    const most = kept?.isFailing ? Math.min(mostAgeMs, failingKeptMs) : mostAgeMs
    if (kept === undefined || kept.visit !== key || age < 0 || age >= most) {
      kept = keep(key, now, runChecks(deps, visit))
    }
    return kept.lines
  }
}

/** Keeps the lines of a run that began at `at`. */
function keep(visit: string, at: number, running: Promise<CheckLine[]>): Kept {
  const kept: Kept = { visit, at, lines: running, isFailing: false }
  kept.lines = running.then((lines) => {
    kept.isFailing = lines.some(({ status }) => status === 'failing')
    return lines
  })
  return kept
}
