import type { Context } from 'hono'
import { isPreviewRobot } from '../../shared/rules/preview-robot.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { HttpEnv } from '../http/env.ts'
import type { Handlers } from '../http/mount.ts'
import { openLink } from './open-link.ts'
import type { LinkPages } from './page-template.ts'
import { prepareFindLink } from './queries.ts'
import { sendDownload } from './send-download.ts'

type DownloadEndpoint = 'download' | 'openLink' | 'openDownloadPage' | 'linkDetails'

/** What anyone with a link can reach: its page, its details and its bytes (design §4). */
export const downloadRoutes = (
  deps: Pick<Deps, 'clock' | 'db' | 'storage'>,
  pages: LinkPages,
): Handlers<DownloadEndpoint> => {
  const links = { ...deps, findLink: prepareFindLink(deps.db) }

  /** Reading the page changes no counter; a dead link's page is a 404. */
  const showPage = async (code: string, context: Context<HttpEnv>): Promise<Response> => {
    const link = await openLink(links, code)
    return link
      ? context.body(pages.alive(link, deps.clock()), 200, pages.headers)
      : context.body(pages.dead, 404, pages.headers)
  }

  return {
    download: ({ params, context }) => sendDownload(links, params.code, context),

    openLink: ({ params, context }) =>
      wantsPage(context.req.raw.headers)
        ? showPage(params.code, context)
        : sendDownload(links, params.code, context),

    openDownloadPage: ({ params, context }) => showPage(params.code, context),

    async linkDetails({ params }) {
      const link = await openLink(links, params.code)
      if (!link) throw new AppError('LINK_NOT_FOUND')
      return {
        shortCode: link.shortCode,
        originalName: link.originalName,
        mimeType: link.mimeType,
        size: link.size,
        createdAt: link.createdAt.toISOString(),
        expiresAt: link.expiresAt.toISOString(),
        maxLifetimeAt: link.maxLifetimeAt.toISOString(),
        branding: null,
      }
    },
  }
}

/** Browsers ask for HTML by name; robots that draw a preview take anything and need the page. */
const wantsPage = (headers: Headers): boolean =>
  headers.get('accept')?.includes('text/html') === true ||
  isPreviewRobot(headers.get('user-agent') ?? undefined)
