import { Hono } from 'hono'
import { signInPages } from '../../shared/public-pages.ts'
import { nextPath } from '../../shared/rules/accounts/next-path.ts'
import { parseSignInError, signInErrorMessages } from '../../shared/rules/accounts/sign-in-error.ts'
import { trialOfferPath } from '../../shared/rules/tiers/trial.ts'
import type { Deps } from '../deps.ts'
import type { HttpEnv, PageResponder } from '../http/env.ts'
import { nameRoute } from '../http/request-context.ts'
import { hasSignedInHint, type ReadSession } from '../http/session.ts'
import { withTimeout } from '../timeout.ts'
import type { PublicPages } from './public-pages.ts'
import type { ReadValues } from './routes.ts'

const sessionTimeoutMs = 2000

/**
 * Serves the login and the signup (spec §2). Redirects people who are signed in to the page given
 * by the query parameter `next`. While the database is down, everybody gets the forms.
 */
export function signInPageRoutes(
  { config, log }: Pick<Deps, 'config' | 'log'>,
  web: {
    pages: PublicPages
    values: ReadValues
    showPage: PageResponder
    readSession: ReadSession
  },
): Hono<HttpEnv> {
  const { pages, values, showPage, readSession } = web
  const app = new Hono<HttpEnv>()
  for (const path of new Set(Object.values(signInPages).map(({ path }) => path))) {
    app.get(path, async (c) => {
      nameRoute(c.env.outgoing, path)
      const next = nextPath(c.req.query('next'))
      const error = path === '/login' ? parseSignInError(c.req.query('fault') ?? null) : null
      // Signed-in users should see the reason too.
      if (error !== null) {
        return showPage(c, 'login', { status: 200, reason: signInErrorMessages[error] })
      }
      if (hasSignedInHint(c) && (await hasSession(c))) {
        c.header('cache-control', 'no-store')
        return c.redirect(next)
      }
      return pages.send(c, pageName(path, next), await values(), 200)
    })
  }
  return app

  async function hasSession(context: Parameters<ReadSession>[0]) {
    try {
      return (await withTimeout(readSession(context), sessionTimeoutMs)) !== null
    } catch (error) {
      log.warn({ err: error }, 'could not read the session of a visitor to the login')
      return false
    }
  }

  function pageName(path: '/login' | '/signup', next: string) {
    if (path === '/login') return 'login'
    if (config.signup === 'closed') return 'signup-closed'
    return next === trialOfferPath ? 'signup-trial' : 'signup'
  }
}
