import type { IncomingMessage } from 'node:http'
import type { BlockList } from 'node:net'
import type { CheckResult } from '../../../shared/contract/checks.ts'
import { minuteInMs } from '../../../shared/rules/format/units.ts'
import { countOpenReports } from '../../abuse/report-queries.ts'
import { isFromProxy, isTrusted, peerAddress } from '../../http/client-address.ts'
import type { Handlers } from '../../http/mount.ts'
import type { CheckDeps, RequestInfo } from './check.ts'
import { runChecks } from './run-checks.ts'

/**
 * How long the number of failing checks is cached. The administrator's pages request it every
 * minute.
 */
const countMaxAgeMs = 10 * minuteInMs

/** Creates the handlers that run the checks. The time of this call counts as the server's start. */
export function checkRoutes(deps: Omit<CheckDeps, 'startedAt'>) {
  const { clock, config, db } = deps
  const checkDeps = { ...deps, startedAt: clock() }
  let lastRun: { startedAt: number; lines: Promise<CheckResult[]> } | undefined
  const run = (request: IncomingMessage) => {
    const lines = runChecks(checkDeps, requestInfo(request, config.trustedProxies))
    lastRun = { startedAt: clock().getTime(), lines }
    return lines
  }
  const runIfOutdated = (request: IncomingMessage) => {
    // The age is negative if the clock was set back.
    const ageMs = clock().getTime() - (lastRun?.startedAt ?? 0)
    return lastRun && ageMs >= 0 && ageMs < countMaxAgeMs ? lastRun.lines : run(request)
  }
  return {
    adminChecks: ({ context }) => run(context.env.incoming),

    async adminWaiting({ context }) {
      const [lines, reports] = await Promise.all([
        runIfOutdated(context.env.incoming),
        countOpenReports(db),
      ])
      const failing = lines.filter(({ status }) => status === 'failing')
      return { failingChecks: failing.length, openReports: reports.count }
    },
  } satisfies Partial<Handlers>
}

function requestInfo(request: IncomingMessage, trustedProxies: BlockList | null): RequestInfo {
  const { headers } = request
  // Each proxy appends its own value, so the first one is the scheme that the browser used.
  const [scheme] = String(headers['x-forwarded-proto'] ?? '').split(',')
  return {
    host: headers.host ?? '',
    scheme: scheme === 'http' || scheme === 'https' ? scheme : null,
    isForwarded: headers['x-forwarded-for'] !== undefined,
    isProxied: isFromProxy(request),
    isTrusted: isTrusted(peerAddress(request), trustedProxies),
  }
}
