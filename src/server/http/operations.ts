import { sql } from 'drizzle-orm'
import type { Limits } from '../../shared/rules/tiers/tier-limits.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { metricsType } from '../metrics/metrics.ts'
import { inTime } from './in-time.ts'
import { assertMayReadMetrics } from './metrics-access.ts'
import type { Handlers } from './mount.ts'
import { openApiDocument } from './openapi.ts'
import { compressed, sendVariant, type Variants } from './send-variants.ts'
import type { ShowPage } from './show-page.ts'

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
    checking ??= inTime(look(), readyWithinMs).finally(() => {
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

    docs: ({ context }) => showPage(context, 'api-reference'),
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
