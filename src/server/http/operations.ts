import { sql } from 'drizzle-orm'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { apiDocsPage } from './api-docs.ts'
import { inTime } from './in-time.ts'
import type { Handlers } from './mount.ts'
import { openApiDocument } from './openapi.ts'
import { pageHeaders } from './page-headers.ts'

/** Who cannot say so by then is not ready. */
const readyWithinMs = 5000

/** What operators and integrators ask for: is it up, can it serve, what does it speak. */
export function operationsRoutes({
  config,
  db,
  stores,
}: Pick<Deps, 'config' | 'db' | 'stores'>): Handlers<'health' | 'ready' | 'openApi' | 'docs'> {
  let checking: Promise<unknown> | undefined
  const check = () => {
    // Anybody may ask and each check writes a file, so those who ask meanwhile share one. One that
    // hangs is not waited for: what is asked after it may be well again.
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

    openApi: ({ publicOrigin }) => openApiDocument(publicOrigin),

    async docs({ context }) {
      const html = String(await apiDocsPage())
      const { appUrl } = config
      const headers = pageHeaders({ html, appUrl, connect: [], referrer: 'no-referrer' })
      return context.body(html, 200, headers)
    },
  }
}
