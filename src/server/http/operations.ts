import { sql } from 'drizzle-orm'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { apiDocsPage } from './api-docs.ts'
import { inTime } from './in-time.ts'
import type { Handlers } from './mount.ts'
import { openApiDocument } from './openapi.ts'

/** Who cannot say so by then is not ready. */
const readyWithinMs = 5000

/** What operators and integrators ask for: is it up, can it serve, what does it speak. */
export const operationsRoutes = ({
  db,
  stores,
}: Pick<Deps, 'db' | 'stores'>): Handlers<'health' | 'ready' | 'openApi' | 'docs'> => {
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

    docs({ context }) {
      context.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      return context.html(apiDocsPage())
    },
  }
}
