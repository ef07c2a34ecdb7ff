import {
  ifEnd,
  ifStart,
  type PageCondition,
  type PageSlot,
  pageConditions,
  pageSlots,
  slot,
} from '../../shared/page-slots.ts'
import { type AccentPair, accentPairs } from '../../shared/rules/accent.ts'
import { type FileKind, fileKind, fileKinds, kindLabel } from '../../shared/rules/file-kind.ts'
import { formatSize } from '../../shared/rules/file-size.ts'
import { lifeline } from '../../shared/rules/lifeline.ts'
import { lifelineBar } from '../../shared/rules/lifeline-bar.ts'
import { openLinkLabel } from '../../shared/rules/link-status.ts'
import { momentText } from '../../shared/rules/moment-text.ts'
import { type BrandRow, logoPath } from '../branding/queries.ts'
import { readBuilt } from '../http/dist.ts'
import { pageHeaders } from '../http/page-headers.ts'
import { StartFault } from '../start-fault.ts'

/** What the page of an active link shows. */
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
  /** The SHA-256 of the file in hexadecimal; null where it is not known. */
  sha256: string | null
}

type Headers = Readonly<Record<string, string>>

/** The pages behind short links, as complete HTML documents. */
export interface LinkPages {
  /**
   * Returns the page of a link that is active at `now`, and its headers. It shows this brand in
   * place of ours. The addresses on the page begin with `origin`. Every value is escaped as text.
   */
  alive: (
    link: PageLink,
    brand: BrandRow | null,
    origin: string,
    now: Date,
  ) => { html: string; headers: Headers }
  /** The page of a link that does not exist or has ended. It always shows our own brand. */
  dead: string
  /**
   * The headers of that page, and of each page whose brand has no colour. No cache may keep the
   * pages, because they change with time.
   */
  headers: Headers
}

/**
 * Reads the pages that the build rendered (download.html, download-invalid.html in `distDir`). It
 * splits them once, so that each view only has to join texts.
 * @param options.connect the origins that the content security policy of these pages allows requests
 * to, beside our own: those of object storage. An upload of a signed-in user goes on in these pages.
 * @throws {StartFault} when the pages are missing or were built for another version of the server.
 */
export function loadLinkPages(options: {
  distDir: string
  appUrl: URL
  connect?: readonly string[]
}): LinkPages {
  const html = readBuilt(options.distDir, 'download.html')
  const dead = readBuilt(options.distDir, 'download-invalid.html')
  checkSlots(html)
  const template = makeTemplate(html)
  const headersOf = (page: string): Headers => ({
    ...pageHeaders({
      html: page,
      appUrl: options.appUrl,
      connect: options.connect ?? [],
      referrer: 'no-referrer',
    }),
    'cache-control': 'no-store',
    vary: 'accept',
  })
  const ours = template(['plain']).text + dead
  const headers = headersOf(ours)
  const accents = remember((accent: string) => {
    const style = accentStyle(accent)
    return { style, headers: headersOf(`${ours}<style>${style}</style>`) }
  })
  return {
    alive: (link, brand, origin, now) => {
      const kind = fileKind(link)
      const accent = brand?.accent ? accents(brand.accent) : null
      const { fill } = template(conditionsOf(link, kind, brand))
      const values = {
        ...pageValues(link, kind, origin, now),
        ...brandValues(brand),
        accentStyle: accent?.style ?? '',
      }
      return { html: fill(values), headers: accent?.headers ?? headers }
    },
    dead,
    headers,
  }
}

function conditionsOf(
  { sha256 }: PageLink,
  kind: FileKind,
  brand: BrandRow | null,
): PageCondition[] {
  return [
    kind,
    ...(sha256 === null ? [] : (['sha256'] as const)),
    ...(brand ? (['branded'] as const) : (['plain'] as const)),
    ...(brand?.name ? (['brandName'] as const) : []),
    ...(brand?.message ? (['brandMessage'] as const) : []),
    ...(brand?.accent ? (['accent'] as const) : []),
    ...(brand?.logoKey ? (['logo'] as const) : []),
  ]
}

type BrandSlot = keyof ReturnType<typeof brandValues> | 'accentStyle'

/** Pages show a logo in a box of this size, in CSS pixels: see .brand in the style sheet. */
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
    // If the name is shown beside the logo, screen readers need not read it twice.
    logoAlt: name ? '' : 'The logo of the sender',
  }
}

/**
 * Returns the CSS rules that give a page this colour. The colour is changed where that makes text
 * readable, in both themes.
 */
function accentStyle(chosen: string): string {
  const { light, dark } = accentPairs(chosen)
  const rule = (selector: string, { accent, onAccent }: AccentPair) =>
    `${selector}{--accent:${accent};--on-accent:${onAccent}}`
  return rule(':root', light) + rule('[data-theme=dark]', dark)
}

/** How many colours are remembered with their rules. Each takes a kilobyte. */
const mostAccents = 500

/** Remembers what `make` returned for each key. When too many are remembered, all are forgotten. */
function remember<Value>(make: (key: string) => Value): (key: string) => Value {
  const made = new Map<string, Value>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    if (made.size >= mostAccents) made.clear()
    const value = make(key)
    made.set(key, value)
    return value
  }
}

function pageValues(
  link: PageLink,
  kind: FileKind,
  origin: string,
  now: Date,
): Omit<Record<PageSlot, string>, BrandSlot> {
  const life = lifeline(link, now, true)
  const bar = lifelineBar(life)
  return {
    origin,
    code: encodeURIComponent(link.shortCode),
    name: link.originalName,
    size: formatSize(link.size),
    kind: kindLabel(kind),
    label: openLinkLabel(link, now),
    tone: life.tone,
    until: momentText(link.expiresAt),
    expiresAt: link.expiresAt.toISOString(),
    created: String(link.createdAt.getTime()),
    max: String(link.maxLifetimeAt.getTime()),
    now: String(now.getTime()),
    livedWidth: String(bar.lived.width),
    validX: String(bar.valid.x),
    validWidth: String(bar.valid.width),
    renewableX: String(bar.renewable.x),
    renewableWidth: String(bar.renewable.width),
    sha256: link.sha256 ?? '',
  }
}

interface Page {
  /** The template without the sections whose condition is false. */
  text: string
  fill: (values: Record<PageSlot, string>) => string
}

/**
 * Returns the function that makes the page in which these conditions are true. Each combination of
 * conditions is prepared once, when it is first needed. So each view only has to join texts.
 * @throws {StartFault} when a section is missing or not closed.
 */
function makeTemplate(html: string): (holding: readonly PageCondition[]) => Page {
  const conditions: readonly PageCondition[] = [...fileKinds, ...pageConditions]
  // Here all conditions are true. So a section that is not closed is found at the start of the
  // server.
  compile(onlyWhere(html, conditions, conditions))
  const pages = new Map<string, Page>()
  return (holding) => {
    const key = holding.join()
    const known = pages.get(key)
    if (known) return known
    const text = onlyWhere(html, conditions, holding)
    const page = { text, fill: compile(text) }
    pages.set(key, page)
    return page
  }
}

/** Keeps the sections of the template whose condition is in `holding`, and removes the others. */
function onlyWhere(
  html: string,
  conditions: readonly PageCondition[],
  holding: readonly PageCondition[],
): string {
  return conditions.reduce((rest, condition) => {
    const [before = '', ...sections] = rest.split(ifStart(condition))
    if (sections.length === 0) throw builtForAnother(`nothing for ${condition}`)
    if (before.includes(ifEnd(condition))) throw builtForAnother(`no start of ${condition}`)
    return sections.reduce((page, section) => {
      const [inner = '', after, ...others] = section.split(ifEnd(condition))
      if (after === undefined || others.length > 0) throw builtForAnother(`no end of ${condition}`)
      return page + (holding.includes(condition) ? inner : '') + after
    }, before)
  }, html)
}

function checkSlots(html: string) {
  for (const name of pageSlots) {
    if (!html.includes(slot(name))) throw builtForAnother(`no ${slot(name)}`)
  }
}

function isSlot(name: string): name is PageSlot {
  return pageSlots.some((known) => known === name)
}

/**
 * Splits a template once at its slots, the gaps such as {{name}} that values fill. The returned
 * function only joins texts. It does not look for slots in the values, so a file that is called
 * {{name}} keeps its name.
 */
function compile(html: string) {
  const [head = '', ...rest] = html.split(/\{\{(.*?)\}\}/)
  const parts: { name: PageSlot; text: string }[] = []
  for (let at = 0; at < rest.length; at += 2) {
    const name = rest[at] ?? ''
    if (!isSlot(name)) throw builtForAnother(`{{${name}}}`)
    parts.push({ name, text: rest[at + 1] ?? '' })
  }
  return (values: Record<PageSlot, string>): string => {
    let page = head
    for (const { name, text } of parts) page += escapeHtml(values[name]) + text
    return page
  }
}

function builtForAnother(what: string) {
  return new StartFault(
    `The web was built for another version (download.html: ${what}): npm run build`,
  )
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // An HTML parser would turn a bare carriage return into a line feed.
  '\r': '&#13;',
}

/** Escapes any text for HTML, in an element or between double quotes. */
function escapeHtml(text: string): string {
  return /[&<>"'\r]/.test(text) ? text.replace(/[&<>"'\r]/g, (sign) => entities[sign] ?? '') : text
}
