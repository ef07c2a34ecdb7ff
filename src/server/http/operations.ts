import { sql } from 'drizzle-orm'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { metricsType } from '../metrics/metrics.ts'
import { inTime } from './in-time.ts'
import { assertMayReadMetrics } from './metrics-access.ts'
import type { Handlers } from './mount.ts'
import { openApiDocument } from './openapi.ts'
import type { ShowPage } from './show-page.ts'

/** A store or database that takes longer than this counts as not ready. */
const readyWithinMs = 5000

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

  return {
    health: () => ({ status: 'ok' }),

    async ready() {
      // A load balancer that asks turns to other servers before this one stops to listen.
      if (stopping.aborted) throw new AppError('UNAVAILABLE')
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

    openApi: async ({ publicOrigin }) => openApiDocument(publicOrigin, await settings.limits()),

    docs: ({ context }) => showPage(context, 'api-reference'),
  }
}
