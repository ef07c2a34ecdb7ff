import { isPreviewRobot } from '../../shared/rules/preview-robot.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { Handlers } from '../http/mount.ts'
import { openLink } from './open-link.ts'
import type { LinkPages } from './page-template.ts'
import { prepareFindLink } from './queries.ts'
import { sendDownload } from './send-download.ts'

type DownloadEndpoint = 'download' | 'openLink' | 'openDownloadPage' | 'linkDetails'

/** What anyone with a link can reach: its page, its details and its bytes (design §4). */
export function downloadRoutes(
  deps: Pick<Deps, 'clock' | 'db' | 'stores'>,
  pages: LinkPages,
): Handlers<DownloadEndpoint> {
  const links = { ...deps, findLink: prepareFindLink(deps.db) }

  /** Reading the page changes no counter; a dead link's page is a 404. */
  const showPage = async (code: string, origin: string): Promise<Response> => {
    const link = await openLink(links, code)
    const { headers } = pages
    // Not made by the context, which would parse headers that are the same every time.
    return link
      ? new Response(pages.alive(link, origin, deps.clock()), { headers })
      : new Response(pages.dead, { status: 404, headers })
  }

  return {
    download: ({ params, context }) => sendDownload(links, params.code, context),

    openLink: ({ params, publicOrigin, context }) =>
      wantsPage(context.req.raw.headers)
        ? showPage(params.code, publicOrigin)
        : sendDownload(links, params.code, context),

    openDownloadPage: ({ params, publicOrigin }) => showPage(params.code, publicOrigin),

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
        sha256: link.sha256,
        branding: null,
      }
    },
  }
}

/** Browsers ask for HTML by name; robots that draw a preview take anything and need the page. */
function wantsPage(headers: Headers): boolean {
  return (
    headers.get('accept')?.includes('text/html') === true ||
    isPreviewRobot(headers.get('user-agent') ?? undefined)
  )
}
