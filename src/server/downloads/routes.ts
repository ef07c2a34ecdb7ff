import { isPreviewBot } from '../../shared/rules/links/preview-bot.ts'
import { toBrand } from '../branding/queries.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { Handlers } from '../http/mount.ts'
import { type LinkPages, ownerPageOptions } from './page-template.ts'
import { makeDownloadCounter, prepareOpenLink, prepareWriteCount } from './queries.ts'
import { sendDownload } from './send-download.ts'

type DownloadEndpoint = 'download' | 'openLink' | 'openDownloadPage' | 'linkDetails'

/** Public routes for a link's page, details and bytes (design §4). */
export function downloadRoutes(
  deps: Pick<Deps, 'clock' | 'db' | 'stores'>,
  pages: LinkPages,
): Handlers<DownloadEndpoint> {
  const links = {
    ...deps,
    openLink: prepareOpenLink(deps),
    countDownload: makeDownloadCounter(prepareWriteCount(deps.db)),
  }

  const showPage = async (code: string, origin: string): Promise<Response> => {
    const link = await links.openLink(code)
    // A plain Response, because Hono's helpers would parse these constant headers on every request.
    if (!link) return new Response(pages.notFound, { status: 404, headers: pages.headers })
    const now = deps.clock()
    const { html, headers } = pages.active(link, ownerPageOptions(link, now), origin, now)
    return new Response(html, { headers })
  }

  return {
    download: ({ params, context }) => sendDownload(links, params.code, context),

    openLink: ({ params, publicOrigin, context }) =>
      isPageRequest(context.req.raw.headers)
        ? showPage(params.code, publicOrigin)
        : sendDownload(links, params.code, context),

    openDownloadPage: ({ params, publicOrigin }) => showPage(params.code, publicOrigin),

    async linkDetails({ params, publicOrigin }) {
      const link = await links.openLink(params.code)
      if (!link) throw new AppError('LINK_NOT_FOUND')
      const { brand } = ownerPageOptions(link, deps.clock())
      return {
        ...link,
        branding: brand && toBrand(brand, publicOrigin),
      }
    },
  }
}

/**
 * True for clients that need the page: browsers, which accept HTML explicitly, and preview bots.
 */
function isPageRequest(headers: Headers): boolean {
  return (
    headers.get('accept')?.includes('text/html') === true ||
    isPreviewBot(headers.get('user-agent') ?? undefined)
  )
}
