import {
  type PageCondition,
  type PagePlaceholder,
  pageConditions,
  pagePlaceholders,
} from '../../shared/placeholders.ts'
import { type AccentPair, accentPairs } from '../../shared/rules/accounts/accent.ts'
import {
  type FileKind,
  fileKind,
  fileKinds,
  kindLabel,
} from '../../shared/rules/files/file-kind.ts'
import { formatSize } from '../../shared/rules/format/file-size.ts'
import { timestampText } from '../../shared/rules/format/timestamp-text.ts'
import { lifeline, lifelineBar } from '../../shared/rules/links/lifeline.ts'
import { activeLinkLabel } from '../../shared/rules/links/link-status.ts'
import { tierTraits } from '../../shared/rules/tiers/tier.ts'
import { effectiveTier } from '../../shared/rules/tiers/trial.ts'
import { type BrandRow, logoPath } from '../branding/queries.ts'
import { allowStyle, makeTemplate, pageHeaders, readBuilt } from '../http/built-pages.ts'
import type { Link } from './queries.ts'

/** The values shown on an active link's page. */
export interface PageLink {
  shortCode: string
  originalName: string
  mimeType: string
  /** In bytes. */
  size: number
  createdAt: Date
  expiresAt: Date
  maxLifetimeAt: Date
  purgingAt: Date | null
  /** In hexadecimal; null if unknown. */
  sha256: string | null
}

/** How a file's owner affects the link's page. */
export interface OwnerPageOptions {
  /** The brand that replaces ours, or null if the owner has none. */
  brand: BrandRow | null
  /** True if the lifeline shows the time that a renewal could add. */
  canRenew: boolean
}

type Headers = Readonly<Record<string, string>>

/** The pages behind short links, as complete HTML documents. */
export interface LinkPages {
  /**
   * Renders the page for a link that is active at `now`, with URLs under `origin`. Escapes all
   * values.
   */
  active: (
    link: PageLink,
    owner: OwnerPageOptions,
    origin: string,
    now: Date,
  ) => { html: string; headers: Headers }
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
  const notFound = readBuilt(options.distDir, 'download-invalid.html')
  const conditions: readonly PageCondition[] = [...fileKinds, ...pageConditions]
  const template = makeTemplate<PagePlaceholder, PageCondition>({
    file,
    html,
    placeholders: pagePlaceholders,
    conditions,
  })
  const headers: Headers = {
    ...pageHeaders({
      html: template(['plain']).text + notFound,
      appUrl: options.appUrl,
      connect: options.connect ?? [],
      referrer: 'no-referrer',
    }),
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex',
    vary: 'accept',
  }
  return {
    active: (link, { brand, canRenew }, origin, now) => {
      const kind = fileKind(link)
      const { fill } = template(conditionsOf(link, kind, brand))
      const style = brand?.accent ? accentStyle(brand.accent) : ''
      const html = fill({
        ...pageValues(link, { kind, canRenew, origin, now }),
        ...brandValues(brand),
        accentStyle: style,
      })
      return { html, headers: style === '' ? headers : allowStyle(headers, style) }
    },
    notFound,
    headers,
  }
}

function conditionsOf(
  { sha256, originalName }: PageLink,
  kind: FileKind,
  brand: BrandRow | null,
): PageCondition[] {
  return [
    kind,
    ...(isLong(originalName) ? (['longName'] as const) : []),
    ...(sha256 === null ? [] : (['sha256'] as const)),
    ...(brand ? (['branded'] as const) : (['plain'] as const)),
    ...(brand?.name ? (['brandName'] as const) : []),
    ...(brand?.message ? (['brandMessage'] as const) : []),
    ...(brand?.accent ? (['accent'] as const) : []),
    ...(brand?.logoKey ? (['logo'] as const) : []),
  ]
}

/** Longer file names are shown in a smaller font. */
const maxLargeNameLength = 80

/** Counts code points, because an emoji can take two UTF-16 code units. */
function isLong(name: string): boolean {
  return name.length > maxLargeNameLength && Array.from(name).length > maxLargeNameLength
}

type BrandPlaceholder = keyof ReturnType<typeof brandValues> | 'accentStyle'

/** A logo's maximum size in CSS pixels, as in the style sheet's `.brand` rule. */
const logoBox = { width: 160, height: 36 }

function brandValues(brand: BrandRow | null) {
  const { name = '', message = '', logoKey, logoWidth, logoHeight } = brand ?? {}
  const [width, height] = [logoWidth ?? 1, logoHeight ?? 1]
  const scale = Math.min(1, logoBox.width / width, logoBox.height / height)
  return {
    site: name || 'Mayfly',
    lead: message ? `${message.replaceAll(/\s+/g, ' ')} · ` : '',
    brandName: name,
    brandMessage: message,
    logoPath: logoKey ? logoPath(logoKey) : '',
    logoWidth: String(Math.max(1, Math.round(width * scale))),
    logoHeight: String(Math.max(1, Math.round(height * scale))),
    // Next to a name, the logo is decorative. Alternative text would make screen readers read the
    // name twice.
    logoAlt: name ? '' : 'The logo of the sender',
  }
}

/** Returns the CSS rules for a brand's accent color, adjusted for contrast in each theme. */
function accentStyle(brandColor: string): string {
  const { light, dark } = accentPairs(brandColor)
  const rule = (selector: string, { accent, onAccent }: AccentPair) =>
    `${selector}{--accent:${accent};--on-accent:${onAccent}}`
  return rule(':root', light) + rule('[data-theme=dark]', dark)
}

function pageValues(
  link: PageLink,
  { kind, canRenew, origin, now }: { kind: FileKind; canRenew: boolean; origin: string; now: Date },
): Omit<Record<PagePlaceholder, string>, BrandPlaceholder> {
  const segments = lifeline(link, now, canRenew)
  const barRectangles = lifelineBar(segments)
  return {
    origin,
    code: encodeURIComponent(link.shortCode),
    name: link.originalName,
    size: formatSize(link.size),
    kind: kindLabel(kind),
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
    sha256: link.sha256 ?? '',
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
