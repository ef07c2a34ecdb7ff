import type { IncomingMessage } from 'node:http'
import { isFromProxy } from '../../http/missed-proxy.ts'
import type { Handlers } from '../../http/mount.ts'
import type { CheckDeps, Visit } from './check.ts'
import { keepChecks } from './run-checks.ts'

/** The call that runs the checks. The server counts as started when this is called. */
export function checkRoutes(deps: Omit<CheckDeps, 'startedAt'>): Handlers<'adminChecks'> {
  const readChecks = keepChecks({ ...deps, startedAt: deps.clock() })
  return {
    adminChecks: ({ context }) => readChecks(visitOf(context.env.incoming)),
  }
}

function visitOf(request: IncomingMessage): Visit {
  const { headers } = request
  // Several proxies write one after the other. The first one spoke with the browser.
  const [scheme] = String(headers['x-forwarded-proto'] ?? '').split(',')
  return {
    host: headers.host ?? '',
    scheme: scheme === 'http' || scheme === 'https' ? scheme : null,
    isForwarded: headers['x-forwarded-for'] !== undefined,
    isProxied: isFromProxy(request),
  }
}
