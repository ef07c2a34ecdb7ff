import type { z } from 'zod'
import type { linkFile } from '../../shared/contract/links.ts'
import {
  type FileCondition,
  type FilePlaceholder,
  fileConditions,
  filePlaceholders,
  type PageCondition,
  type PagePlaceholder,
  pageConditions,
  pagePlaceholders,
} from '../../shared/placeholders.ts'
import { fileKind, fileKinds, kindLabel } from '../../shared/rules/files/file-kind.ts'
import { formatSize } from '../../shared/rules/format/file-size.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { timestampText } from '../../shared/rules/format/timestamp-text.ts'
import { type LifelineDates, lifeline, lifelineBar } from '../../shared/rules/links/lifeline.ts'
import { activeLinkLabel, linkName } from '../../shared/rules/links/link-status.ts'
import { tierTraits } from '../../shared/rules/tiers/tier.ts'
import { effectiveTier } from '../../shared/rules/tiers/trial.ts'
import type { BrandRow } from '../branding/queries.ts'
import { allowStyle, makeTemplate, pageHeaders, readBuilt } from '../http/built-pages.ts'
import { accentStyle, brandConditions, brandValues } from '../links/page-brand.ts'
import type { Link } from './queries.ts'

/** What the page of a locked link shows. */
interface LockedPageLink {
  shortCode: string
  expiresAt: Date
  /** False until the first file is there, because `expiresAt` is only set then. */
  hasExpiry: boolean
}

/** A file as shown on its link's page. */
export type PageFile = z.input<typeof linkFile>

/** What the page of an active link shows. */
export interface PageLink extends LockedPageLink {
  createdAt: Date
  maxLifetimeAt: Date
  title: string | null
  message: string | null
  /** Null if the number of downloads isn't limited. */
  remainingDownloads: number | null
  /** At least one. */
  files: readonly PageFile[]
  /** True if everything can be downloaded. */
  isComplete: boolean
}

/** How a file's owner affects the link's page. */
export interface OwnerPageOptions {
  /** The brand that replaces ours, or null if the owner has none. */
  brand: BrandRow | null
  /** True if the lifeline shows the time that a renewal could add. */
  canRenew: boolean
}

type Headers = Readonly<Record<string, string>>

interface RenderedPage {
  html: string
  headers: Headers
}

/** Where and when a page is shown. */
export interface PageContext {
  owner: OwnerPageOptions
  /** The origin of the page's URLs. */
  origin: string
  now: Date
}

/** The pages behind short links, as complete HTML documents. All values are escaped. */
export interface LinkPages {
  /** Renders the page for an active link. */
  active: (link: PageLink, context: PageContext) => RenderedPage
  /**
   * Renders the page that asks for a link's password and reveals nothing about its files.
   * @param error why the password was rejected.
   */
  locked: (link: LockedPageLink, context: PageContext, error?: string) => RenderedPage
  /** The page for a link that doesn't exist or has ended. Always shows Mayfly's own brand. */
  notFound: string
  /**
   * The headers for `notFound`, and for pages without a brand color. They disable caching, because
   * the pages change over time.
   */
  headers: Headers
}

/**
 * Reads and compiles the built pages.
 * @param options.connect object storage origins for `connect-src`, because a signed-in user's
 * uploads continue on these pages.
 * @throws {StartupError} if the pages are missing or from another version.
 */
export function loadLinkPages(options: {
  distDir: string
  appUrl: URL
  connect?: readonly string[]
}): LinkPages {
  const file = 'download.html'
  const html = readBuilt(options.distDir, file)
  const rowFile = 'download-file-row.html'
  const notFound = readBuilt(options.distDir, 'download-invalid.html')
  const conditions: readonly PageCondition[] = [...fileKinds, ...pageConditions]
  const template = makeTemplate<PagePlaceholder, PageCondition>({
    file,
    html,
    placeholders: pagePlaceholders,
    conditions,
  })
  const rowTemplate = makeTemplate<FilePlaceholder, FileCondition>({
    file: rowFile,
    html: readBuilt(options.distDir, rowFile),
    placeholders: filePlaceholders,
    conditions: fileConditions,
  })
  const headers: Headers = {
    ...pageHeaders({
      html: template(['plain']).text + notFound,
      appUrl: options.appUrl,
      connect: options.connect ?? [],
      // With `no-referrer`, browsers would submit the form with a null origin, which the server
      // rejects. `same-origin` avoids that and still hides the link from other sites.
      referrer: 'same-origin',
    }),
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex',
    vary: 'accept',
  }

  const render = (
    link: LockedPageLink & LifelineDates,
    { conditions, values }: PageContent,
    { owner, origin, now }: PageContext,
    { rows = '', error = '' }: { rows?: string; error?: string | undefined },
  ): RenderedPage => {
    const { brand, canRenew } = owner
    const style = accentStyle(brand)
    const { fill } = template([
      ...conditions,
      ...(link.hasExpiry ? (['hasExpiry'] as const) : []),
      ...brandConditions(brand),
    ])
    const html = fill({
      ...values,
      ...brandValues(brand),
      ...timeValues(link, canRenew, now),
      files: { html: rows },
      error,
      origin,
      code: encodeURIComponent(link.shortCode),
      accentStyle: style,
    })
    return { html, headers: style === '' ? headers : allowStyle(headers, style) }
  }

  return {
    active: (link, context) => {
      const rows = link.files.length > 1 ? renderRows(link) : ''
      return render(link, describeContent(link), context, { rows })
    },
    locked: (link, context, error) => {
      const dates = { createdAt: context.now, maxLifetimeAt: link.expiresAt }
      const content: PageContent = { conditions: ['locked'], values: lockedValues }
      return render({ ...link, ...dates }, content, context, { error })
    },
    notFound,
    headers,
  }

  function renderRows({ shortCode, files }: PageLink): string {
    const code = encodeURIComponent(shortCode)
    return files
      .map((file) => {
        const { fill } = rowTemplate([file.state])
        return fill({ code, id: file.id, name: file.name, detail: describeFile(file) })
      })
      .join('')
  }
}

/** What a locked link's page shows instead of the link's content. */
const lockedValues = {
  name: 'Protected link',
  summary: 'This link needs a password',
  message: '',
  size: '',
  progress: '',
  receivedBytes: '',
  totalBytes: '',
  remaining: '',
  sha256: '',
}

interface PageContent {
  conditions: readonly PageCondition[]
  values: Record<keyof typeof lockedValues, string>
}

function describeContent(link: PageLink): PageContent {
  const { title, message, files, isComplete, remainingDownloads } = link
  const [firstFile] = files
  if (firstFile === undefined) throw new Error('Expected a link with a file.')
  const name = linkName({ title, firstFileName: firstFile.name, fileCount: files.length })
  const isSingle = files.length === 1
  const kind = kindOf(firstFile)
  const totalBytes = files.reduce((sum, { size }) => sum + size, 0)
  const receivedBytes = files.reduce((sum, file) => sum + file.receivedBytes, 0)
  const size = formatSize(totalBytes)
  const sha256 = isSingle ? firstFile.sha256 : null
  return {
    conditions: [
      ...(isSingle ? (['single', kind] as const) : (['list'] as const)),
      isComplete ? 'complete' : 'uploading',
      'unlocked',
      ...(message === null ? [] : (['message'] as const)),
      ...(remainingDownloads === null ? [] : (['limited'] as const)),
      ...(isLong(name) ? (['longName'] as const) : []),
      ...(sha256 === null ? [] : (['sha256'] as const)),
    ],
    values: {
      name,
      summary: isSingle
        ? `${title === null ? '' : `${isolate(firstFile.name)} · `}${size} · ${kindLabel(kind)}`
        : `${formatCount(files.length, 'file')} · ${size}`,
      message: message ?? '',
      size,
      progress: `${formatSize(receivedBytes)} of ${size}`,
      receivedBytes: String(receivedBytes),
      // A `max` of 0 would be ignored.
      totalBytes: String(Math.max(1, totalBytes)),
      remaining:
        remainingDownloads === null ? '' : `${formatCount(remainingDownloads, 'download')} left`,
      sha256: sha256 ?? '',
    },
  }
}

/** Keeps a name in right-to-left script from reordering the text around it. */
function isolate(name: string): string {
  return `\u2068${name}\u2069`
}

function describeFile(file: PageFile): string {
  const size = formatSize(file.size)
  if (file.state === 'ready') return `${size} · ${kindLabel(kindOf(file))}`
  return file.receivedBytes === 0
    ? `Waiting · ${size}`
    : `${formatSize(file.receivedBytes)} of ${size}`
}

function kindOf({ name, mimeType }: PageFile) {
  return fileKind({ mimeType, originalName: name })
}

/** Longer names are shown in a smaller font. */
const maxLargeNameLength = 80

/** Counts code points, because an emoji can take two UTF-16 code units. */
function isLong(name: string): boolean {
  return name.length > maxLargeNameLength && Array.from(name).length > maxLargeNameLength
}

function timeValues(link: LifelineDates, canRenew: boolean, now: Date) {
  const segments = lifeline(link, now, canRenew)
  const barRectangles = lifelineBar(segments)
  return {
    label: activeLinkLabel(link, now),
    tone: segments.tone,
    until: timestampText(link.expiresAt, now),
    expiresAt: link.expiresAt.toISOString(),
    created: String(link.createdAt.getTime()),
    max: String(link.maxLifetimeAt.getTime()),
    now: String(now.getTime()),
    livedWidth: String(barRectangles.lived.width),
    validX: String(barRectangles.valid.x),
    validWidth: String(barRectangles.valid.width),
    renewableX: String(barRectangles.renewable.x),
    renewableWidth: String(barRectangles.renewable.width),
  }
}

/**
 * Returns the owner's brand and whether the owner can renew the link, both according to the tier at
 * `now`.
 */
export function ownerPageOptions(link: Link, now: Date): OwnerPageOptions {
  const { branding, renewal } = tierTraits[effectiveTier(link, now)]
  return { brand: branding ? link.brand : null, canRenew: renewal }
}
