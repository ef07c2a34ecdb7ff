import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Config } from '../config/config.ts'
import { AppError } from '../errors.ts'
import { readAddress } from './client-address.ts'
import { isLoopback } from './served-hosts.ts'

/** The headers by which proxies tell that they pass a request on. */
const proxyHeaders = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via']

/**
 * Checks whether this request may read the metrics. If a token is set, only a request with this
 * token may. Without a token, only programs on this machine may, and only if the settings name no
 * proxy and no public address. With such a setting, a proxy on this machine may pass on a
 * stranger's request, which then looks like a local one. A request is also refused if its headers
 * show a proxy, or if its `Host` is not this machine (DNS rebinding).
 * @throws {AppError} UNAUTHORIZED where the token is missing or wrong; FORBIDDEN where no token is
 * set and the request may come from elsewhere.
 */
export function assertMayReadMetrics(
  request: IncomingMessage,
  {
    appUrl,
    metricsToken,
    trustedProxies,
  }: Pick<Config, 'appUrl' | 'metricsToken' | 'trustedProxies'>,
): void {
  if (metricsToken !== null) {
    if (bears(request, metricsToken)) return
    throw new AppError('UNAUTHORIZED', { headers: { 'www-authenticate': 'Bearer' } })
  }
  const isPublic = trustedProxies !== null || !isLoopback(appUrl.hostname)
  if (!isPublic && comesFromThisMachine(request)) return
  throw new AppError('FORBIDDEN', {
    message:
      'Set METRICS_TOKEN to read the metrics. Without it they are for this machine alone, and only where no proxy and no public address is set.',
  })
}

function bears({ headers }: IncomingMessage, token: string): boolean {
  const [, given = ''] = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? []
  // All digests have the same length. So the comparison tells nothing about the length of the
  // token.
  return timingSafeEqual(digest(given), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function comesFromThisMachine({ headers, socket }: IncomingMessage): boolean {
  const address = readAddress(socket.remoteAddress ?? '') ?? ''
  const isLocal = address === '::1' || address.startsWith('127.')
  return isLocal && !proxyHeaders.some((name) => name in headers) && namesThisMachine(headers.host)
}

/** A simple client may send no Host header. A browser and a proxy always send one. */
function namesThisMachine(host: string | undefined): boolean {
  if (host === undefined) return true
  const url = URL.parse(`http://${host}`)
  return url !== null && isLoopback(url.hostname)
}
