import type { CheckLine } from '../../../shared/contract/checks.ts'
import { minuteInMs } from '../../../shared/rules/format/units.ts'
import { withTimeout } from '../../timeout.ts'
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
 * Results with a failing line are reused for at most this many milliseconds, whatever age the
 * caller accepts. So a fault that has passed is shown for a minute, not for as long as good results
 * are.
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
    const found = await withTimeout(Promise.resolve(look(deps, visit)), limit)
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

/** A call that asks for the results of the checks. */
export interface ChecksCall {
  visit: Visit
  /** The newest act of the administrator, as the audit log numbers it. */
  lastAct: number | null
  /** The largest age of the results in milliseconds, by default 5 seconds. */
  mostAgeMs?: number
  /** If true, the checks must begin after this call. */
  isFresh?: boolean
}

/** A run of the checks for calls of equal visits. */
interface Run {
  visit: string
  lastAct: number | null
  lines: Promise<CheckLine[]>
}

/** A run that has begun. */
interface BegunRun extends Run {
  beganAt: number
  isRunning: boolean
  /** Whether a line is failing. It is false while the checks run. */
  isFailing: boolean
}

/**
 * Runs the checks for all calls that ask for their results. Only one run goes on at a time, however
 * many calls there are. Results are used again for equal visits while they are young enough. After
 * an act of the administrator, such as a takedown that freed space, they are not used again.
 */
export class ChecksRunner {
  readonly #deps: CheckDeps
  readonly #list: readonly Check[]
  /** The newest run that has begun. */
  #last: BegunRun | undefined
  /** The runs that have not begun, by their visits. */
  readonly #waiting = new Map<string, Run>()
  /** Resolves when all runs have ended. */
  #end: Promise<unknown> = Promise.resolve()

  constructor(deps: CheckDeps, list: readonly Check[] = checks) {
    this.#deps = deps
    this.#list = list
  }

  /**
   * Returns the lines of all checks. Calls of equal visits that need a new run while another run
   * goes on share the next one, which begins after all of these calls. It never rejects.
   */
  read(call: ChecksCall): Promise<CheckLine[]> {
    const visit = JSON.stringify(call.visit)
    const last = this.#last
    if (last?.visit === visit && this.#suits(last, call)) return last.lines
    const waiting = this.#waiting.get(visit)
    if (waiting) {
      waiting.lastAct = call.lastAct
      return waiting.lines
    }
    const lines = this.#end.then(() => this.#run(call.visit, next))
    const next: Run = { visit, lastAct: call.lastAct, lines }
    this.#waiting.set(visit, next)
    this.#end = lines
    return lines
  }

  /** Tells whether the results of a run of the same visit answer a call. */
  #suits(last: BegunRun, { lastAct, mostAgeMs = keptMs, isFresh }: ChecksCall): boolean {
    if (isFresh || last.lastAct !== lastAct) return false
    if (last.isRunning) return true
    const age = this.#deps.clock().getTime() - last.beganAt
    const most = last.isFailing ? Math.min(mostAgeMs, failingKeptMs) : mostAgeMs
    // If somebody has set the clock back, the age is negative. The checks then run again.
    return age >= 0 && age < most
  }

  async #run(visit: Visit, next: Run): Promise<CheckLine[]> {
    this.#waiting.delete(next.visit)
    const beganAt = this.#deps.clock().getTime()
    const begun: BegunRun = { ...next, beganAt, isRunning: true, isFailing: false }
    this.#last = begun
    const lines = await runChecks(this.#deps, visit, { list: this.#list })
    begun.isRunning = false
    begun.isFailing = lines.some(({ status }) => status === 'failing')
    return lines
  }
}
