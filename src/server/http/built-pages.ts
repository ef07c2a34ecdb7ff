import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { placeholder, sectionEnd, sectionStart } from '../../shared/placeholders.ts'
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

/** A compiled template. Filling it only concatenates strings. */
export interface Page<Name extends string> {
  /** The template's text, without sections whose condition is false. */
  text: string
  /** Fills the placeholders. All text is escaped. */
  fill: (values: Readonly<Record<Name, string | Markup>>) => string
}

/**
 * Returns a function that compiles the page for the conditions that are true, and caches the page
 * for each set of conditions.
 * @throws {StartupError} for an unknown placeholder, an incomplete section or, without `isPartial`,
 * a missing placeholder or section.
 */
export function makeTemplate<Name extends string, Condition extends string>(
  built: BuiltTemplate<Name, Condition>,
): (trueConditions: readonly Condition[]) => Page<Name> {
  if (built.isPartial !== true) requireMarkers(built)
  // Detects unclosed sections at startup.
  compile(selectSections(built, built.conditions), built)
  const pages = new Map<string, Page<Name>>()
  return (trueConditions) => {
    const key = trueConditions.join()
    const cachedPage = pages.get(key)
    if (cachedPage) return cachedPage
    const text = selectSections(built, trueConditions)
    const page = { text, fill: compile(text, built) }
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

function selectSections<Condition extends string>(
  { file, html, conditions }: BuiltTemplate<string, Condition>,
  trueConditions: readonly Condition[],
): string {
  return conditions.reduce((rest, condition) => {
    const [before = '', ...sections] = rest.split(sectionStart(condition))
    if (before.includes(sectionEnd(condition)))
      throw createMismatchError(file, `no start of ${condition}`)
    return sections.reduce((page, section) => {
      const [content = '', after, ...extraEnds] = section.split(sectionEnd(condition))
      if (after === undefined || extraEnds.length > 0) {
        throw createMismatchError(file, `no end of ${condition}`)
      }
      return page + (trueConditions.includes(condition) ? content : '') + after
    }, before)
  }, html)
}

/**
 * Splits a template at its placeholders, so that filled-in values are never scanned for
 * placeholders.
 */
function compile<Name extends string>(
  html: string,
  { file, placeholders }: BuiltTemplate<Name, string>,
) {
  const [head = '', ...rest] = html.split(/\{\{(.*?)\}\}/)
  const parts: { name: Name; text: string }[] = []
  for (let index = 0; index < rest.length; index += 2) {
    const name = placeholders.find((candidate) => candidate === rest[index])
    if (name === undefined) throw createMismatchError(file, `{{${rest[index]}}}`)
    parts.push({ name, text: rest[index + 1] ?? '' })
  }
  return (values: Readonly<Record<Name, string | Markup>>): string => {
    let page = head
    for (const { name, text } of parts) {
      const value = values[name]
      page += (typeof value === 'string' ? escapeHtml(value) : value.html) + text
    }
    return page
  }
}

function createMismatchError(file: string, problem: string) {
  return new StartupError(
    `The web was built for another version (${file}: ${problem}): npm run build`,
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
      `The web is not built (${join(distDir, file)} is missing): npm run build`,
    )
  }
}
