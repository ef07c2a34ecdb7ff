import { ifEnd, ifStart, type PageSlot, pageSlots, slot } from '../../shared/page-slots.ts'
import { type FileKind, fileKind, fileKinds, kindLabel } from '../../shared/rules/file-kind.ts'
import { formatSize } from '../../shared/rules/file-size.ts'
import { lifeline } from '../../shared/rules/lifeline.ts'
import { lifelineBar } from '../../shared/rules/lifeline-bar.ts'
import { openLinkLabel } from '../../shared/rules/link-status.ts'
import { momentText } from '../../shared/rules/moment-text.ts'
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

/** The pages behind short links, as complete HTML documents. */
export interface LinkPages {
  /**
   * Returns the page of a link that is active at `now`. The link that the page shows begins with
   * `origin`. Every value is escaped as text.
   */
  alive: (link: PageLink, origin: string, now: Date) => string
  /** The page of a link that does not exist or has ended. */
  dead: string
  /** The headers of both pages. No cache may keep the pages, because they change with time. */
  headers: Record<string, string>
}

/**
 * Reads the pages that the build rendered (download.html, download-invalid.html in `distDir`). It
 * splits them once, so that each view only has to join texts.
 * @param options.connect other origins that these pages send requests to, such as the object
 * storage. The pages also show the uploads of a signed-in user.
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
  const fillsOf = (others: readonly Condition[]) =>
    new Map(fileKinds.map((kind) => [kind, compile(onlyWhere(html, [kind, ...others]))]))
  const withSum = fillsOf(['sha256'])
  const withoutSum = fillsOf([])
  return {
    alive: (link, origin, now) => {
      const kind = fileKind(link)
      const fill = (link.sha256 === null ? withoutSum : withSum).get(kind)
      return fill?.(pageValues(link, kind, origin, now)) ?? dead
    },
    dead,
    headers: {
      ...pageHeaders({
        html: html + dead,
        appUrl: options.appUrl,
        connect: options.connect ?? [],
        referrer: 'no-referrer',
      }),
      'cache-control': 'no-store',
      vary: 'accept',
    },
  }
}

function pageValues(
  link: PageLink,
  kind: FileKind,
  origin: string,
  now: Date,
): Record<PageSlot, string> {
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

type Condition = FileKind | 'sha256'
const conditions: readonly Condition[] = [...fileKinds, 'sha256']

/**
 * Keeps the sections of the template whose condition is in `holding`, and removes the other
 * sections.
 */
function onlyWhere(html: string, holding: readonly Condition[]): string {
  return conditions.reduce((rest, condition) => {
    const start = rest.indexOf(ifStart(condition))
    const end = rest.indexOf(ifEnd(condition))
    if (start < 0 || end < start) throw builtForAnother(`nothing for ${condition}`)
    const inner = rest.slice(start + ifStart(condition).length, end)
    const kept = holding.includes(condition) ? inner : ''
    return rest.slice(0, start) + kept + rest.slice(end + ifEnd(condition).length)
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
