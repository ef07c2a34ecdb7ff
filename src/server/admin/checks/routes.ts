import type { IncomingMessage } from 'node:http'
import type { BlockList } from 'node:net'
import { minuteInMs } from '../../../shared/rules/format/units.ts'
import { countOpenReports } from '../../abuse/report-queries.ts'
import { isFromProxy, isTrusted, peerAddress } from '../../http/client-address.ts'
import type { Handlers } from '../../http/mount.ts'
import { lastLineOf } from '../audit-queries.ts'
import type { CheckDeps, Visit } from './check.ts'
import { type ChecksCall, ChecksRunner } from './run-checks.ts'

/**
 * While no line is failing, the count of failing lines needs no run of the checks for this many
 * milliseconds. Pages of the administrator ask for the count every minute, and a run writes to
 * storage.
 */
const waitingKeptMs = 10 * minuteInMs

/**
 * Returns the handlers of the calls that run the checks. It must be called when the server starts,
 * because the checks treat the moment of this call as the start of the server.
 */
export function checkRoutes(
  deps: Omit<CheckDeps, 'startedAt'>,
): Handlers<'adminChecks' | 'adminWaiting'> {
  const runner = new ChecksRunner({ ...deps, startedAt: deps.clock() })
  const readChecks = async (
    request: IncomingMessage,
    administrator: string,
    wish: Pick<ChecksCall, 'mostAgeMs' | 'isFresh'>,
  ) => {
    // If the database cannot be reached, the checks must still run, because one of them reports
    // that.
    const lastAct = await lastLineOf(deps.db, administrator).catch(() => null)
    return runner.read({ visit: visitOf(request, deps.config.trustedProxies), lastAct, ...wish })
  }
  return {
    adminChecks: ({ context, query, user }) =>
      readChecks(context.env.incoming, user.id, { isFresh: query.fresh === 'true' }),

    async adminWaiting({ context, user }) {
      const [lines, reports] = await Promise.all([
        readChecks(context.env.incoming, user.id, { mostAgeMs: waitingKeptMs }),
        countOpenReports(deps.db),
      ])
      const failing = lines.filter(({ status }) => status === 'failing')
      return { failingChecks: failing.length, openReports: reports.count }
    },
  }
}

function visitOf(request: IncomingMessage, trustedProxies: BlockList | null): Visit {
  const { headers } = request
  // If there are several proxies, each adds its value at the end. The first proxy is the one that
  // the browser spoke to.
  const [scheme] = String(headers['x-forwarded-proto'] ?? '').split(',')
  return {
    host: headers.host ?? '',
    scheme: scheme === 'http' || scheme === 'https' ? scheme : null,
    isForwarded: headers['x-forwarded-for'] !== undefined,
    isProxied: isFromProxy(request),
    isTrusted: isTrusted(peerAddress(request), trustedProxies),
  }
}
