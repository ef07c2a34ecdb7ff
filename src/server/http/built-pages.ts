import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { placeholder, sectionStart } from '../../shared/placeholders.ts'
import { codeOf, StartupError } from '../errors.ts'

/** A page rendered by the build, with its placeholders and conditions. */
export interface BuiltTemplate<Name extends string, Condition extends string> {
  /** The file name, for error messages. */
  file: string
  html: string
  placeholders: readonly Name[]
  conditions: readonly Condition[]
  /** True if placeholders and sections may be missing. */
  isPartial?: boolean
}

/** HTML that `fill` inserts as it is. It must come from another template. */
interface Markup {
  html: string
}

/** A template without the sections whose condition is false. */
export interface Page<Name extends string> {
  /** The text, with its placeholders. */
  text: string
  /** Fills the placeholders. All text is escaped. */
  fill: (values: Readonly<Record<Name, string | Markup>>) => string
}

/**
 * A placeholder, if any, with the text up to the next marker. It is on the page if all its
 * conditions are true.
 */
interface TemplatePart<Name extends string, Condition extends string> {
  name: Name | null
  text: string
  conditions: readonly Condition[]
}

/**
 * Returns a function that creates the page for the conditions that are true, and caches the page
 * for each set of conditions.
 * @throws {StartupError} for an unknown placeholder, an incomplete section or, without `isPartial`,
 * a missing placeholder or section.
 */
export function makeTemplate<Name extends string, Condition extends string>(
  built: BuiltTemplate<Name, Condition>,
): (trueConditions: readonly Condition[]) => Page<Name> {
  if (built.isPartial !== true) requireMarkers(built)
  const parts = parse(built)
  const pages = new Map<string, Page<Name>>()
  return (trueConditions) => {
    const key = trueConditions.join()
    const cachedPage = pages.get(key)
    if (cachedPage) return cachedPage
    const page = createPage(
      parts.filter(({ conditions }) =>
        conditions.every((condition) => trueConditions.includes(condition)),
      ),
    )
    pages.set(key, page)
    return page
  }
}

function requireMarkers({ file, html, placeholders, conditions }: BuiltTemplate<string, string>) {
  for (const name of placeholders) {
    if (!html.includes(placeholder(name)))
      throw createMismatchError(file, `no ${placeholder(name)}`)
  }
  for (const condition of conditions) {
    if (!html.includes(sectionStart(condition))) {
      throw createMismatchError(file, `nothing for ${condition}`)
    }
  }
}

/** Splits a template at its placeholders and the starts and ends of its sections. */
function parse<Name extends string, Condition extends string>({
  file,
  html,
  placeholders,
  conditions,
}: BuiltTemplate<Name, Condition>): TemplatePart<Name, Condition>[] {
  const [head = '', ...rest] = html.split(/\{\{([#/]?)(.*?)\}\}/)
  const parts: TemplatePart<Name, Condition>[] = [{ name: null, text: head, conditions: [] }]
  let openSections: readonly Condition[] = []
  for (let index = 0; index < rest.length; index += 3) {
    const [sign, word, text = ''] = rest.slice(index, index + 3)
    const name = sign === '' ? placeholders.find((candidate) => candidate === word) : null
    const started = sign === '#' ? conditions.find((candidate) => candidate === word) : undefined
    const isEnd = sign === '/' && word !== undefined && openSections.at(-1) === word
    if (started !== undefined) openSections = [...openSections, started]
    else if (isEnd) openSections = openSections.slice(0, -1)
    else if (!name) throw createMismatchError(file, `{{${sign}${word}}} in the wrong place`)
    parts.push({ name: name ?? null, text, conditions: openSections })
  }
  const unclosed = openSections.at(-1)
  if (unclosed !== undefined) throw createMismatchError(file, `no end of ${unclosed}`)
  return parts
}

/** Creates a page that never scans the values it fills in for placeholders. */
function createPage<Name extends string>(
  parts: readonly { name: Name | null; text: string }[],
): Page<Name> {
  return {
    text: parts.map(({ name, text }) => (name === null ? '' : placeholder(name)) + text).join(''),
    fill: (values) => {
      let page = ''
      for (const { name, text } of parts) {
        const value = name === null ? '' : values[name]
        page += (typeof value === 'string' ? escapeHtml(value) : value.html) + text
      }
      return page
    },
  }
}

function createMismatchError(file: string, problem: string) {
  return new StartupError(
    `The web was built for another version (${file}: ${problem}): run "npm run build", or install the package again`,
  )
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // HTML parsers turn a bare carriage return into a line feed.
  '\r': '&#13;',
}

/** Escapes text for elements and double-quoted attributes. */
function escapeHtml(text: string): string {
  return /[&<>"'\r]/.test(text)
    ? text.replace(/[&<>"'\r]/g, (character) => entities[character] ?? '')
    : text
}

function sha256(text: string) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

function inlineHashes(html: string, element: 'script' | 'style') {
  return new Set(
    [...html.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'))].map(([, text]) =>
      sha256(text ?? ''),
    ),
  )
}

/**
 * Returns a page's security headers. The content security policy allows our own files and, by hash,
 * the inline scripts and styles in the built HTML.
 * @param html the built HTML; inline scripts and styles must be in tags without attributes.
 * @param appUrl the public origin; https adds HSTS.
 * @param pictures further origins for `img-src`.
 * @param connect further origins for `connect-src`.
 */
export function pageHeaders(page: {
  html: string
  appUrl: URL
  pictures?: readonly string[]
  connect: readonly string[]
  referrer: 'no-referrer' | 'same-origin'
}): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      ["script-src 'self'", ...inlineHashes(page.html, 'script')].join(' '),
      ["style-src 'self'", ...inlineHashes(page.html, 'style')].join(' '),
      ["img-src 'self' data: blob:", ...(page.pictures ?? [])].join(' '),
      "font-src 'self'",
      "manifest-src 'self'",
      ["connect-src 'self'", ...page.connect].join(' '),
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'referrer-policy': page.referrer,
    'x-content-type-options': 'nosniff',
    ...(page.appUrl.protocol === 'https:' && {
      'strict-transport-security': 'max-age=31536000',
    }),
  }
}

/** Returns the headers with a content security policy that also allows this inline style. */
export function allowStyle(
  headers: Readonly<Record<string, string>>,
  style: string,
): Record<string, string> {
  const policy = headers['content-security-policy'] ?? ''
  const extendedPolicy = policy.replace("style-src 'self'", `style-src 'self' ${sha256(style)}`)
  return { ...headers, 'content-security-policy': extendedPolicy }
}

/**
 * Reads a text file from the web build.
 * @throws {StartupError} if the file is missing.
 */
export function readBuilt(distDir: string, file: string): string {
  try {
    return readFileSync(join(distDir, file), 'utf8')
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    throw new StartupError(
      `The web is not built (${join(distDir, file)} is missing): run "npm run build", or install the package again`,
    )
  }
}
