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
