import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { sql } from 'drizzle-orm'
import type { Limits } from '../../shared/rules/tiers/tier-limits.ts'
import type { Config } from '../config/config.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { metricsType } from '../metrics/metrics.ts'
import { withTimeout } from '../timeout.ts'
import { readAddress } from './client-address.ts'
import type { ShowPage } from './env.ts'
import { isLoopback } from './hosts.ts'
import type { Handlers } from './mount.ts'
import { openApiDocument } from './openapi.ts'
import { compressed, sendVariant, type Variants } from './send-variants.ts'

/**
 * How many milliseconds a store or the database may take to answer the check that `/api/ready`
 * makes. One that takes longer counts as not ready.
 */
const readyWithinMs = 5000

const openApiHeaders = {
  'content-type': 'application/json',
  'cache-control': 'no-cache',
  vary: 'Accept-Encoding',
}
/**
 * The quality with which the OpenAPI document is compressed. Brotli takes 6 ms with this quality,
 * and 130 ms with the best one.
 */
const openApiQuality = 6

/**
 * The routes for operators and for programs that use the API: whether the server runs, whether it
 * can serve, and the description of the API.
 */
export function operationsRoutes(
  {
    config,
    db,
    metrics,
    settings,
    stopping,
    stores,
  }: Pick<Deps, 'config' | 'db' | 'metrics' | 'settings' | 'stopping' | 'stores'>,
  showPage: ShowPage,
): Handlers<'health' | 'ready' | 'metrics' | 'openApi' | 'docs'> {
  let checking: Promise<unknown> | undefined
  const check = () => {
    // Anybody may ask, and each check writes a file. So calls during a check share it. A check that
    // takes too long counts as failed, so that the next call checks again.
    const look = () => Promise.all([db.execute(sql`select 1`), stores.current.check()])
    checking ??= withTimeout(look(), readyWithinMs).finally(() => {
      checking = undefined
    })
    return checking
  }

  const openApi = keepOpenApi(config.appUrl)
  return {
    health: () => ({ status: 'ok' }),

    async ready() {
      // Load balancers ask this, and turn to other servers before this one stops listening.
      if (stopping.aborted) throw new AppError('UNAVAILABLE', { isLogged: false })
      try {
        await check()
      } catch (error) {
        throw new AppError('UNAVAILABLE', { cause: error })
      }
      return { status: 'ok' }
    },

    async metrics({ context }) {
      assertMayReadMetrics(context.env.incoming, config)
      const headers = { 'content-type': metricsType, 'cache-control': 'no-store' }
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
  }
}

/**
 * Makes the function that returns the OpenAPI document. It keeps it until the limits change. The
 * document names the public origin. To whoever used another address of this server it names none,
 * so that nobody can make the server write it again for each address.
 */
function keepOpenApi(appUrl: URL) {
  const kept = new Map<string, Promise<Variants>>()
  let keptFor = ''
  return (origin: string, limits: Limits): Promise<Variants> => {
    if (keptFor !== JSON.stringify(limits)) kept.clear()
    keptFor = JSON.stringify(limits)
    const server = origin === appUrl.origin ? origin : '/'
    const text = () => JSON.stringify(openApiDocument(server, appUrl, limits))
    const variants = kept.get(server) ?? compressed(text(), openApiQuality)
    kept.set(server, variants)
    return variants
  }
}

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
