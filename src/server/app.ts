import { Hono } from 'hono'
import { compress } from 'hono/compress'
import type { ReportPages } from './abuse/report-pages.ts'
import { abuseRoutes } from './abuse/routes.ts'
import { accountDeletionRoutes } from './account-deletion/routes.ts'
import { adminActionRoutes } from './admin/action-routes.ts'
import { checkRoutes } from './admin/checks/routes.ts'
import { limitRoutes } from './admin/limit-routes.ts'
import { adminRoutes } from './admin/routes.ts'
import { analyticsRoutes } from './analytics/routes.ts'
import { googleRoutes } from './auth/google/routes.ts'
import { ownAccountRoutes } from './auth/own-account-routes.ts'
import { authRoutes } from './auth/routes.ts'
import { createSessionReader } from './auth/sessions.ts'
import { brandingRoutes } from './branding/routes.ts'
import type { Deps } from './deps.ts'
import type { LinkPages } from './downloads/page-template.ts'
import { downloadRoutes } from './downloads/routes.ts'
import { AppError } from './errors.ts'
import { feedbackRoutes } from './feedback/routes.ts'
import { fileRoutes } from './files/routes.ts'
import type { HttpEnv } from './http/env.ts'
import { errorResponse, makeErrorHandler } from './http/error-handler.ts'
import { createServedHosts, loopbackRedirect, sameOrigin } from './http/hosts.ts'
import { mount } from './http/mount.ts'
import { operationsRoutes } from './http/operations.ts'
import { requestContext } from './http/request-context.ts'
import type { WebFiles } from './http/web-files.ts'
import { createKeyReader } from './keys/read-key.ts'
import { keyRoutes } from './keys/routes.ts'
import type { OptOutPages } from './link-emails/opt-out-pages.ts'
import { linkEmailRoutes } from './link-emails/routes.ts'
import { linkRoutes } from './links/routes.ts'
import { createValueReader } from './public-pages/page-values.ts'
import type { PublicPages } from './public-pages/public-pages.ts'
import { makePageResponder, publicPageRoutes } from './public-pages/routes.ts'
import { signInPageRoutes } from './public-pages/sign-in-routes.ts'
import type { RequestPages } from './requests/request-pages.ts'
import { requestRoutes } from './requests/routes.ts'
import { createSenderReader } from './requests/upload-token.ts'
import { settingRoutes } from './settings/routes.ts'
import { tierRoutes } from './tiers/routes.ts'
import { uploadRoutes } from './uploads/routes.ts'

export interface WebApp {
  pages: LinkPages
  reports: ReportPages
  requestPages: RequestPages
  optOutPages: OptOutPages
  publicPages: PublicPages
  files: WebFiles
}

/**
 * Builds the HTTP app, which serves everything except transfers of file bytes (see `listen.ts`).
 * Routes are tried in this order: API endpoints, web assets and public pages, including the page
 * for unknown paths. Anything else gets a 404 as JSON.
 */
export function buildApp(deps: Deps, web: WebApp): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  const readPublicValues = createValueReader(deps)
  const showPage = makePageResponder(web.publicPages, readPublicValues)
  app.onError(makeErrorHandler(showPage))
  const { appUrl, trustedProxies } = deps.config
  const hosts = createServedHosts(deps.config)
  app.use(requestContext(deps, { trustedProxies, hosts }))
  app.use(loopbackRedirect(appUrl))
  app.use('/api/files', compress())
  const readSession = createSessionReader(deps)
  app.route(
    '/',
    mount(
      {
        ...operationsRoutes(deps, showPage),
        ...authRoutes(deps),
        ...tierRoutes(deps),
        ...ownAccountRoutes(deps),
        ...accountDeletionRoutes(deps),
        ...keyRoutes(deps),
        ...googleRoutes(deps, { session: readSession }),
        ...settingRoutes(deps),
        ...uploadRoutes(deps),
        ...fileRoutes(deps),
        ...brandingRoutes(deps),
        ...analyticsRoutes(deps),
        ...linkRoutes(deps),
        ...linkEmailRoutes(deps, web.optOutPages),
        ...downloadRoutes(deps, web.pages, readSession),
        ...requestRoutes(deps, web.requestPages, readSession),
        ...feedbackRoutes(deps, showPage),
        ...abuseRoutes({ ...deps, readSession }, web.reports),
        ...adminRoutes(deps),
        ...adminActionRoutes(deps),
        ...limitRoutes(deps),
        ...checkRoutes(deps),
      },
      {
        sameOrigin: sameOrigin(hosts, appUrl),
        session: readSession,
        sender: createSenderReader(deps),
        keyCaller: createKeyReader(deps),
        shedLoad: deps.shedLoad,
      },
    ),
  )
  app.all('/api/*', () => {
    throw new AppError('NOT_FOUND')
  })
  app.get('*', web.files)
  const signInWeb = { pages: web.publicPages, values: readPublicValues, showPage, readSession }
  app.route('/', signInPageRoutes(deps, signInWeb))
  app.route('/', publicPageRoutes(web.publicPages, readPublicValues, appUrl))
  app.notFound((c) => errorResponse(new AppError('NOT_FOUND'), c))
  return app
}
