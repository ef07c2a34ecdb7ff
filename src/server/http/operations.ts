import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { sql } from 'drizzle-orm'
import type { Limits } from '../../shared/rules/tiers/tier-limits.ts'
import type { Config } from '../config/config.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { metricsContentType } from '../metrics/metrics.ts'
import { withTimeout } from '../timeout.ts'
import { readAddress } from './client-address.ts'
import type { PageResponder } from './env.ts'
import { isLoopback } from './hosts.ts'
import type { Handlers } from './mount.ts'
import { openApiDocument } from './openapi.ts'
import { compress, sendVariant, type Variants } from './send-variants.ts'

/** How long the database and the store may take to respond to a readiness check. */
const readyTimeoutMs = 5000

const openApiHeaders = {
  'content-type': 'application/json',
  'cache-control': 'no-cache',
  vary: 'Accept-Encoding',
}
/** Brotli compresses the document in 6 ms at this quality, and in 130 ms at the highest quality. */
const openApiQuality = 6

/** Routes for health, readiness, metrics and the API description. */
export function operationsRoutes(
  {
    config,
    db,
    metrics,
    settings,
    stopping,
    stores,
  }: Pick<Deps, 'config' | 'db' | 'metrics' | 'settings' | 'stopping' | 'stores'>,
  showPage: PageResponder,
) {
  let checkPromise: Promise<unknown> | undefined
  const check = () => {
    // The endpoint is public and each check writes a file, so parallel calls share one check.
    checkPromise ??= withTimeout(
      Promise.all([db.execute(sql`select 1`), stores.current.check()]),
      readyTimeoutMs,
    ).finally(() => {
      checkPromise = undefined
    })
    return checkPromise
  }

  const openApi = cacheOpenApi(config.appUrl)
  return {
    health: () => ({ status: 'ok' }),

    async ready() {
      // Fails before this server stops listening, so that load balancers switch to other servers in
      // time.
      if (stopping.aborted) throw new AppError('UNAVAILABLE', { isLogged: false })
      try {
        await check()
      } catch (error) {
        throw new AppError('UNAVAILABLE', { cause: error })
      }
      return { status: 'ok' }
    },

    async metrics({ context }) {
      requireMetricsAccess(context.env.incoming, config)
      const headers = { 'content-type': metricsContentType, 'cache-control': 'no-store' }
      return context.body(await metrics.scrape(), 200, headers)
    },

    async openApi({ publicOrigin, context }) {
      return sendVariant(
        context,
        { headers: openApiHeaders, variants: await openApi(publicOrigin, await settings.limits()) },
        200,
      )
    },

    docs: ({ context }) => showPage(context, 'api-docs'),
  } satisfies Partial<Handlers>
}

/**
 * Returns a function that returns the compressed OpenAPI document, cached until the limits change.
 * The document contains the public origin if it was requested there, and '/' otherwise, so that
 * clients can't fill the cache by varying the host.
 */
function cacheOpenApi(appUrl: URL) {
  const cache = new Map<string, Promise<Variants>>()
  let cachedLimitsJson = ''
  return (origin: string, limits: Limits): Promise<Variants> => {
    if (cachedLimitsJson !== JSON.stringify(limits)) cache.clear()
    cachedLimitsJson = JSON.stringify(limits)
    const serverUrl = origin === appUrl.origin ? origin : '/'
    const toJson = () => JSON.stringify(openApiDocument(serverUrl, appUrl, limits))
    const variantsPromise = cache.get(serverUrl) ?? compress(toJson(), openApiQuality)
    cache.set(serverUrl, variantsPromise)
    return variantsPromise
  }
}

const proxyHeaders = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via']

/**
 * Requires METRICS_TOKEN. Without that setting, only programs on this machine can read the metrics,
 * and only if there is no trusted proxy and no public address: a local proxy could forward a
 * request from outside. The Host header is checked to prevent DNS rebinding.
 * @throws {AppError} UNAUTHORIZED for a missing or wrong token; FORBIDDEN if no token is set and
 * the request may come from another machine.
 */
export function requireMetricsAccess(
  request: IncomingMessage,
  {
    appUrl,
    metricsToken,
    trustedProxies,
  }: Pick<Config, 'appUrl' | 'metricsToken' | 'trustedProxies'>,
): void {
  if (metricsToken !== null) {
    if (hasToken(request, metricsToken)) return
    throw new AppError('UNAUTHORIZED', { headers: { 'www-authenticate': 'Bearer' } })
  }
  const isPublic = trustedProxies !== null || !isLoopback(appUrl.hostname)
  if (!isPublic && isLocal(request)) return
  throw new AppError('FORBIDDEN', {
    message:
      'Set METRICS_TOKEN to read the metrics. Without it, only this machine can read them, and only if neither a proxy nor a public address is configured.',
  })
}

function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const [, sentToken = ''] = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? []
  // Compares digests, because `timingSafeEqual` requires equal lengths.
  return timingSafeEqual(computeDigest(sentToken), computeDigest(token))
}

function computeDigest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function isLocal({ headers, socket }: IncomingMessage): boolean {
  const address = readAddress(socket.remoteAddress ?? '') ?? ''
  const isLoopbackAddress = address === '::1' || address.startsWith('127.')
  return (
    isLoopbackAddress &&
    !proxyHeaders.some((name) => name in headers) &&
    hasLoopbackHost(headers.host)
  )
}

/** Simple clients send no Host header; browsers and proxies always do. */
function hasLoopbackHost(host: string | undefined): boolean {
  if (host === undefined) return true
  const url = URL.parse(`http://${host}`)
  return url !== null && isLoopback(url.hostname)
}
