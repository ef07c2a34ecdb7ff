import type { CheckResult } from '../../../shared/contract/checks.ts'
import { withTimeout } from '../../timeout.ts'
import { type Check, type CheckDeps, describeError, failing, type RequestInfo } from './check.ts'
import { checks } from './checks.ts'

const checkTimeoutMs = 10_000

/**
 * Runs all checks in parallel. If a check throws or times out, its line shows the error.
 * @returns the lines of all checks, in the order of `list`.
 */
export async function runChecks(
  deps: CheckDeps,
  request: RequestInfo,
  {
    list = checks,
    timeoutMs = checkTimeoutMs,
  }: { list?: readonly Check[]; timeoutMs?: number } = {},
): Promise<CheckResult[]> {
  const lines = await Promise.all(list.map((check) => runCheck(deps, request, check, timeoutMs)))
  return lines.flat()
}

async function runCheck(
  deps: CheckDeps,
  request: RequestInfo,
  { name, run }: Check,
  timeoutMs: number,
): Promise<CheckResult[]> {
  try {
    const findings = await withTimeout(Promise.resolve(run(deps, request)), timeoutMs)
    return findings.map(({ about, ...finding }) => ({
      name: about === undefined ? name : `${name}: ${about}`,
      ...finding,
    }))
  } catch (error) {
    deps.log.warn({ err: error, check: name }, 'a check failed to run')
    const message = `This could not be checked: ${describeError(error)}.`
    const remedy =
      'Check again. If it still fails, search the log of the server for "a check failed to run".'
    return [{ name, ...failing(message, remedy) }]
  }
}

interface Run {
  request: string
  lines: Promise<CheckResult[]>
  /** Null while this run waits for the previous one to end. */
  beganAt: number | null
}

/**
 * Runs the checks, one run at a time, because each run writes to storage and connects to the mail
 * server.
 */
export class ChecksRunner {
  readonly #deps: CheckDeps
  readonly #list: readonly Check[]
  #last: Run | undefined

  constructor(deps: CheckDeps, list: readonly Check[] = checks) {
    this.#deps = deps
    this.#list = list
  }

  /**
   * Returns the lines of all checks for a request. They come from a run that began after this call
   * or at most `maxAgeMs` before it.
   */
  read(request: RequestInfo, maxAgeMs = 0): Promise<CheckResult[]> {
    const key = JSON.stringify(request)
    const lastRun = this.#last
    if (lastRun?.request === key && this.#isRecent(lastRun, maxAgeMs)) return lastRun.lines
    const run: Run = { request: key, lines: Promise.resolve([]), beganAt: null }
    run.lines = Promise.resolve(lastRun?.lines).then(() => {
      run.beganAt = this.#deps.clock().getTime()
      return runChecks(this.#deps, request, { list: this.#list })
    })
    this.#last = run
    return run.lines
  }

  #isRecent({ beganAt }: Run, maxAgeMs: number): boolean {
    if (beganAt === null) return true
    const ageMs = this.#deps.clock().getTime() - beganAt
    // The age is negative if the clock was set back.
    return ageMs >= 0 && ageMs < maxAgeMs
  }
}
