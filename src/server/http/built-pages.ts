import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { placeholderMark, sectionEnd, sectionStart } from '../../shared/template-marks.ts'
import { codeOf, StartupError } from '../errors.ts'

/** A page that the build rendered, and the placeholders and conditions that its template has. */
export interface BuiltTemplate<Name extends string, Condition extends string> {
  /** The name of the file. Error messages contain it. */
  file: string
  html: string
  placeholders: readonly Name[]
  conditions: readonly Condition[]
  /** True if the template may leave out some placeholders and sections. */
  mayLackSome?: boolean
}

/** A template that is prepared, so that filling it only joins texts. */
export interface Page<Name extends string> {
  /** The template without the sections whose conditions are false. */
  text: string
  /** Puts values into the placeholders. It escapes every value as text. */
  fill: (values: Readonly<Record<Name, string>>) => string
}

/**
 * Returns a function that returns the page for a set of true conditions. It prepares each set once,
 * when it is first needed.
 * @throws {StartupError} when a placeholder is unknown, when a section has no start or no end, or,
 * without `mayLackSome`, when a placeholder or a section is missing.
 */
export function makeTemplate<Name extends string, Condition extends string>(
  built: BuiltTemplate<Name, Condition>,
): (holding: readonly Condition[]) => Page<Name> {
  if (built.mayLackSome !== true) requireAll(built)
  // Prepares the template once with all conditions true. So a section that is not closed is found
  // when the server starts.
  compile(onlyWhere(built, built.conditions), built)
  const pages = new Map<string, Page<Name>>()
  return (holding) => {
    const key = holding.join()
    const known = pages.get(key)
    if (known) return known
    const text = onlyWhere(built, holding)
    const page = { text, fill: compile(text, built) }
    pages.set(key, page)
    return page
  }
}

function requireAll({ file, html, placeholders, conditions }: BuiltTemplate<string, string>) {
  for (const name of placeholders) {
    if (!html.includes(placeholderMark(name)))
      throw builtForAnother(file, `no ${placeholderMark(name)}`)
  }
  for (const condition of conditions) {
    if (!html.includes(sectionStart(condition))) {
      throw builtForAnother(file, `nothing for ${condition}`)
    }
  }
}

/** Keeps the sections whose conditions are in `holding`, and removes the others. */
function onlyWhere<Condition extends string>(
  { file, html, conditions }: BuiltTemplate<string, Condition>,
  holding: readonly Condition[],
): string {
  return conditions.reduce((rest, condition) => {
    const [before = '', ...sections] = rest.split(sectionStart(condition))
    if (before.includes(sectionEnd(condition)))
      throw builtForAnother(file, `no start of ${condition}`)
    return sections.reduce((page, section) => {
      const [inner = '', after, ...others] = section.split(sectionEnd(condition))
      if (after === undefined || others.length > 0) {
        throw builtForAnother(file, `no end of ${condition}`)
      }
      return page + (holding.includes(condition) ? inner : '') + after
    }, before)
  }, html)
}

/**
 * Splits a template once at its placeholders, which look like {{name}}. The returned function puts
 * the values between the parts. It does not look for placeholders in the values. So a file that is
 * called {{name}} keeps its name on the page.
 */
function compile<Name extends string>(
  html: string,
  { file, placeholders }: BuiltTemplate<Name, string>,
) {
  const [head = '', ...rest] = html.split(/\{\{(.*?)\}\}/)
  const parts: { name: Name; text: string }[] = []
  for (let at = 0; at < rest.length; at += 2) {
    const name = placeholders.find((known) => known === rest[at])
    if (name === undefined) throw builtForAnother(file, `{{${rest[at]}}}`)
    parts.push({ name, text: rest[at + 1] ?? '' })
  }
  return (values: Readonly<Record<Name, string>>): string => {
    let page = head
    for (const { name, text } of parts) page += escapeHtml(values[name]) + text
    return page
  }
}

function builtForAnother(file: string, what: string) {
  return new StartupError(`The web was built for another version (${file}: ${what}): npm run build`)
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // An HTML parser turns a bare carriage return into a line feed, so it is escaped.
  '\r': '&#13;',
}

/** Escapes a text for HTML, both inside an element and in a double-quoted attribute. */
function escapeHtml(text: string): string {
  return /[&<>"'\r]/.test(text) ? text.replace(/[&<>"'\r]/g, (sign) => entities[sign] ?? '') : text
}

function sha256(text: string) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

function inline(html: string, element: 'script' | 'style') {
  return new Set(
    [...html.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'))].map(([, text]) =>
      sha256(text ?? ''),
    ),
  )
}

/**
 * Returns the headers that protect a page whose HTML is known when the server starts. Scripts and
 * styles run only from our own files, or inline if their hash is in the built HTML. So a script
 * that somebody types as the name of a file never runs.
 * @param html the page as built; inline scripts and styles must be in <script> and <style> tags
 * without attributes.
 * @param appUrl the public origin; with https, browsers are told to use https only.
 * @param pictures other origins whose pictures the page shows.
 * @param connect other origins that the page's scripts may send requests to.
 * @param referrer to whom the browser tells the page's address.
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
      ["script-src 'self'", ...inline(page.html, 'script')].join(' '),
      ["style-src 'self'", ...inline(page.html, 'style')].join(' '),
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

/**
 * Reads a file of the built web as text.
 * @throws {StartupError} when the file is missing.
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
