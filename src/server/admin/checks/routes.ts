import type { IncomingMessage } from 'node:http'
import { isFromProxy } from '../../http/missed-proxy.ts'
import type { Handlers } from '../../http/mount.ts'
import type { CheckDeps, Visit } from './check.ts'
import { keepChecks } from './run-checks.ts'

/**
 * The call that runs the checks. Call this function when the server starts: the checks take this
 * moment as the start of the server.
 */
export function checkRoutes(deps: Omit<CheckDeps, 'startedAt'>): Handlers<'adminChecks'> {
  const readChecks = keepChecks({ ...deps, startedAt: deps.clock() })
  return {
    adminChecks: ({ context, user }) => readChecks(visitOf(context.env.incoming), user.id),
  }
}

function visitOf(request: IncomingMessage): Visit {
  const { headers } = request
  // If there are several proxies, each adds its value at the end. The first proxy is the one that
  // the browser spoke to.
  const [scheme] = String(headers['x-forwarded-proto'] ?? '').split(',')
  return {
    host: headers.host ?? '',
    scheme: scheme === 'http' || scheme === 'https' ? scheme : null,
    isForwarded: headers['x-forwarded-for'] !== undefined,
    isProxied: isFromProxy(request),
  }
}
