import { sql } from 'drizzle-orm'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { apiDocsPage } from './api-docs.ts'
import { inTime } from './in-time.ts'
import type { Handlers } from './mount.ts'
import { openApiDocument } from './openapi.ts'
import { pageHeaders } from './page-headers.ts'

/** A store or database that takes longer than this counts as not ready. */
const readyWithinMs = 5000

/**
 * The routes for operators and for programs that use the API: whether the server runs, whether it
 * can serve, and the description of the API.
 */
export function operationsRoutes({
  config,
  db,
  settings,
  stores,
}: Pick<Deps, 'config' | 'db' | 'settings' | 'stores'>): Handlers<
  'health' | 'ready' | 'openApi' | 'docs'
> {
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
      try {
        await check()
      } catch (error) {
        throw new AppError('UNAVAILABLE', { cause: error })
      }
      return { status: 'ok' }
    },

    openApi: async ({ publicOrigin }) => openApiDocument(publicOrigin, await settings.limits()),

    async docs({ context }) {
      const html = String(await apiDocsPage(await settings.limits()))
      const { appUrl } = config
      const headers = pageHeaders({ html, appUrl, connect: [], referrer: 'no-referrer' })
      return context.body(html, 200, headers)
    },
  }
}
