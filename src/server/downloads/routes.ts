import type { Context } from 'hono'
import { isPreviewBot } from '../../shared/rules/links/preview-bot.ts'
import { toBrand } from '../branding/queries.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { HttpEnv } from '../http/env.ts'
import type { Handlers } from '../http/mount.ts'
import type { Session } from '../http/session.ts'
import { makeDownloadAdmission } from '../links/limited-downloads.ts'
import { isUsedUp } from '../links/queries.ts'
import { listUploadEntries, toEntry } from '../links/read-links.ts'
import { isUnlocked, unlock } from '../links/unlock.ts'
import { type LinkPages, ownerPageOptions } from './page-template.ts'
import { type Link, makeDownloadCounter, prepareOpenLink, prepareWriteCount } from './queries.ts'
import { sendDownload } from './send-download.ts'

type DownloadEndpoint =
  | 'download'
  | 'downloadFile'
  | 'openLink'
  | 'openDownloadPage'
  | 'linkDetails'
  | 'unlockLink'

/** Public routes for a link's page, details and bytes (design §4). */
export function downloadRoutes(
  deps: Pick<
    Deps,
    'clock' | 'config' | 'db' | 'passwords' | 'rateLimits' | 'secret' | 'stores' | 'transfers'
  >,
  pages: LinkPages,
  readSession: (context: Context<HttpEnv>) => Promise<Session | null>,
): Handlers<DownloadEndpoint> {
  const writeCount = prepareWriteCount(deps.db)
  const downloadDeps = {
    ...deps,
    openLink: prepareOpenLink(deps),
    countDownload: makeDownloadCounter(writeCount),
    admitDownload: makeDownloadAdmission(deps, writeCount),
  }

  /** Finds an active link that has downloads left. */
  const findLink = async (code: string): Promise<Link | null> => {
    const link = await downloadDeps.openLink(code)
    return link && !isUsedUp(link) ? link : null
  }

  const showPage = async (code: string, origin: string): Promise<Response> => {
    const link = await findLink(code)
    // A plain Response, because Hono's helpers would parse these constant headers on every request.
    const [file, ...otherFiles] = link?.files ?? []
    if (!link || !file || otherFiles.length > 0)
      return new Response(pages.notFound, { status: 404, headers: pages.headers })
    const now = deps.clock()
    const view = { ...link, ...file, purgingAt: null }
    const { html, headers } = pages.active(view, ownerPageOptions(link, now), origin, now)
    return new Response(html, { headers })
  }

  return {
    download: ({ params, context }) => sendDownload(downloadDeps, params, context),

    downloadFile: ({ params, context }) => sendDownload(downloadDeps, params, context),

    openLink: ({ params, publicOrigin, context }) =>
      isPageRequest(context.req.raw.headers)
        ? showPage(params.code, publicOrigin)
        : sendDownload(downloadDeps, params, context),

    openDownloadPage: ({ params, publicOrigin }) => showPage(params.code, publicOrigin),

    async linkDetails({ params, publicOrigin, context }) {
      const link = await findLink(params.code)
      if (!link) throw new AppError('LINK_NOT_FOUND')
      const { brand } = ownerPageOptions(link, deps.clock())
      const branding = brand && toBrand(brand, publicOrigin)
      const isOwner = (await readSession(context))?.user.id === link.ownerId
      if (!isOwner && !isUnlocked(deps, link, context)) {
        return { needsPassword: true as const, expiresAt: link.expiresAt, branding }
      }
      return { ...(await describeLink(deps, link, isOwner)), branding }
    },

    async unlockLink({ params, body, context }) {
      const link = await findLink(params.code)
      if (!link) throw new AppError('LINK_NOT_FOUND')
      await unlock(deps, link, body.password, context)
      return context.body(null, 204)
    },
  }
}

/** Returns what visitors see of an unlocked link, with the number of downloads for its owner. */
async function describeLink(
  { db, stores }: Pick<Deps, 'db' | 'stores'>,
  link: Link,
  isOwner: boolean,
) {
  const entries = [
    ...link.files.map(toEntry),
    ...(link.isUploading ? await listUploadEntries({ db, stores }, link.id) : []),
  ].sort((a, b) => a.position - b.position)
  const [onlyFile, ...otherEntries] = entries
  const { maxDownloads, downloadCount, isUploading, passwordHash, ...fields } = link
  return {
    ...fields,
    ...(otherEntries.length === 0 && { ...onlyFile, originalName: onlyFile?.name }),
    createdAt: link.createdAt,
    state: isUploading ? ('uploading' as const) : ('ready' as const),
    hasPassword: passwordHash !== null,
    maxDownloads,
    remainingDownloads: maxDownloads === null ? null : maxDownloads - downloadCount,
    ...(isOwner && { downloadCount }),
    totalSize: entries.reduce((sum, { size }) => sum + size, 0),
    files: entries,
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
