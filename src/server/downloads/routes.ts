import type { Context } from 'hono'
import { downloadsLeft, isUsedUp } from '../../shared/rules/links/link-status.ts'
import { isPreviewBot } from '../../shared/rules/links/preview-bot.ts'
import { toBrand } from '../branding/queries.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { HttpEnv } from '../http/env.ts'
import { formFields, type Handlers } from '../http/mount.ts'
import type { ReadSession } from '../http/session.ts'
import { makeLimitedDownloads } from '../links/limited-downloads.ts'
import { listUploadEntries, toEntry } from '../links/read-links.ts'
import { isUnlocked, isVisible, unlock } from '../links/unlock.ts'
import { type LinkPages, ownerPageOptions } from './page-template.ts'
import { type Link, makeDownloadCounter, prepareOpenLink, prepareWriteCount } from './queries.ts'
import { sendDownload } from './send-download.ts'

/** Public routes for a link's page, details and bytes (design §4). */
export function downloadRoutes(
  deps: Pick<
    Deps,
    'clock' | 'config' | 'db' | 'passwords' | 'rateLimits' | 'secret' | 'stores' | 'transfers'
  >,
  pages: LinkPages,
  readSession: ReadSession,
) {
  const writeCount = prepareWriteCount(deps.db)
  const openLink = prepareOpenLink(deps)
  const openVisibleLink = async (code: string, context: Context<HttpEnv>) => {
    const link = await openLink(code)
    return link && (await isVisible({ readSession }, link, context)) ? link : null
  }
  const downloadDeps = {
    ...deps,
    openLink: openVisibleLink,
    countDownload: makeDownloadCounter(writeCount),
    limitedDownloads: makeLimitedDownloads(deps, writeCount),
    readSession,
  }

  /** Finds an active link that the caller may see and that has downloads left. */
  const findLink = async (code: string, context: Context<HttpEnv>): Promise<Link | null> => {
    const link = await openVisibleLink(code, context)
    return link && !isUsedUp(link) ? link : null
  }

  /** Shows a link's page, or asks for its password. `error` says why a password was rejected. */
  const showPage = async (
    link: Link | null,
    context: Context<HttpEnv>,
    error?: AppError,
  ): Promise<Response> => {
    // A plain Response, because Hono's helpers would parse these constant headers on every request.
    const notFound = () => new Response(pages.notFound, { status: 404, headers: pages.headers })
    if (!link) return notFound()
    const now = deps.clock()
    const owner = ownerPageOptions(link, now)
    const pageContext = { owner, origin: context.get('publicOrigin'), now }
    const hasExpiry = link.readyAt !== null || link.files.length > 0
    if (error || !isUnlocked(deps, link, context)) {
      const { html, headers } = pages.locked({ ...link, hasExpiry }, pageContext, error?.message)
      const { 'retry-after': retryAfter } = error?.headers ?? {}
      const retryHeaders = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
      return new Response(html, {
        status: error?.status ?? 200,
        headers: { ...headers, ...retryHeaders },
      })
    }
    const details = await describeLink(deps, link, false)
    // The last upload was confirmed or ended after the link was read.
    if (details.files.length === 0)
      return showPage(await findLink(link.shortCode, context), context)
    // An archive needs the CRC-32 of every file.
    const isArchiveReady = link.files.length <= 1 || link.files.every(({ crc32 }) => crc32 !== null)
    const isComplete = !link.isUploading && isArchiveReady
    const { html, headers } = pages.active({ ...details, hasExpiry, isComplete }, pageContext)
    return new Response(html, { headers })
  }

  return {
    download: ({ params, context }) => sendDownload(downloadDeps, params, context),

    downloadFile: ({ params, context }) => sendDownload(downloadDeps, params, context),

    openLink: async ({ params, context }) =>
      isPageRequest(context.req.raw.headers)
        ? showPage(await findLink(params.code, context), context)
        : sendDownload(downloadDeps, params, context),

    openDownloadPage: async ({ params, context }) =>
      showPage(await findLink(params.code, context), context),

    async unlockPage({ params, context }) {
      const link = await findLink(params.code, context)
      try {
        if (link) await unlock(deps, link, formFields(context).password ?? '', context)
      } catch (error) {
        if (error instanceof AppError) return showPage(link, context, error)
        throw error
      }
      return link ? context.redirect(`/s/${link.shortCode}`, 303) : showPage(null, context)
    },

    async linkDetails({ params, publicOrigin, context }) {
      const link = await findLink(params.code, context)
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
      const link = await findLink(params.code, context)
      if (!link) throw new AppError('LINK_NOT_FOUND')
      await unlock(deps, link, body.password, context)
      return context.body(null, 204)
    },
  } satisfies Partial<Handlers>
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
  const { downloadCount, isUploading, passwordHash, ...fields } = link
  return {
    ...fields,
    ...(otherEntries.length === 0 && {
      originalName: onlyFile?.name,
      mimeType: onlyFile?.mimeType,
      size: onlyFile?.size,
      sha256: onlyFile?.sha256,
    }),
    state: isUploading ? ('uploading' as const) : ('ready' as const),
    hasPassword: passwordHash !== null,
    remainingDownloads: downloadsLeft(link),
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
