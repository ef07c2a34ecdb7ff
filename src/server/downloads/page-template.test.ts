import { createHash } from 'node:crypto'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { anyText } from '../../../tests/support/any-text.ts'
import {
  attributeOf,
  type Element,
  findElements,
  parsePage,
  textOf,
} from '../../../tests/support/html.ts'
import { fileKinds, kindLabel } from '../../shared/rules/files/file-kind.ts'
import { dayInMs, hourInMs } from '../../shared/rules/format/units.ts'
import type { BrandRow } from '../branding/queries.ts'
import { StartupError } from '../errors.ts'
import {
  loadLinkPages,
  type OwnerPageOptions,
  type PageFile,
  type PageLink,
} from './page-template.ts'

/** Renders the pages built in dist/web and parses the HTML. */
const distDir = resolve('dist/web')
const pages = loadLinkPages({ distDir, appUrl: new URL('https://files.example.org') })

const createdAt = new Date('2025-07-12T10:02:00Z')
function afterCreation(ms: number) {
  return new Date(createdAt.getTime() + ms)
}

const file: PageFile = {
  id: '0189f7a4-0000-7000-8000-000000000000',
  name: 'minutes.pdf',
  mimeType: 'application/pdf',
  size: 1536,
  sha256: null,
  state: 'ready',
  receivedBytes: 1536,
}

const link: PageLink = {
  shortCode: 'abcdefghjk',
  title: null,
  message: null,
  createdAt,
  expiresAt: afterCreation(3 * dayInMs),
  maxLifetimeAt: afterCreation(30 * dayInMs),
  hasExpiry: true,
  remainingDownloads: null,
  files: [file],
  isComplete: true,
}

function contextAt(now: Date, { brand = null, canRenew = true }: Partial<OwnerPageOptions> = {}) {
  return { owner: { brand, canRenew }, origin: 'https://files.example.org', now }
}

/** Renders a link's page and parses its UTF-8 bytes. */
function renderLink(
  changes: Partial<PageLink> = {},
  now = createdAt,
  owner: Partial<OwnerPageOptions> = {},
) {
  const { html } = pages.active({ ...link, ...changes }, contextAt(now, owner))
  return parsePage(new TextDecoder().decode(new TextEncoder().encode(html)))
}

/** Renders the page of a link with one file. */
function renderPage(
  changes: Partial<PageFile> = {},
  now = createdAt,
  owner: Partial<OwnerPageOptions> = {},
) {
  return renderLink({ files: [{ ...file, ...changes }] }, now, owner)
}

describe('a file name', () => {
  const hostileStrings = [
    '<script>alert(1)</script>',
    '</h1></title></section><img src=x onerror=alert(1)>',
    '"><a href="//evil.example">',
    `' onload='x`,
    ...['{{name}}', '{{#pdf}}', '{{/pdf}}', '{{', '}}'],
    ...['<!--', '-->', '<![CDATA[', '</template>', '<plaintext>'],
    ...['&amp;', '&#60;', '&lt', '&', '$&$1$`', '\\'],
    ...['\r', '\r\n', '\n', '\t', ' ', '\u2028', '\u0085', '\uFEFF', '\uFFFF'],
    ...['\u202Egnp.exe', 'تقرير', '😀', '\uD83D', '\uDE00'],
  ]
  // The database cannot store U+0000, so no name contains it.
  const randomText = anyText({ maxLength: 20 }).map((s) => s.replaceAll('\0', ''))
  const names = fc
    .array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...hostileStrings) }, randomText))
    .map((parts) => parts.join('').slice(0, 200))

  /** Returns the text of each element that shows the name, and the page without those texts. */
  const splitAroundName = (name: string) => {
    const page = renderPage({ name })
    const [heading] = page.findAll('h1')
    const title = page.findOne('title')
    const preview = page.findOne('meta', { property: 'og:title' })
    const content = preview.attrs.find(({ name }) => name === 'content')
    const found = { h1: textOf(heading), title: textOf(title), preview: content?.value }
    for (const element of [heading, title]) if (element) element.childNodes = []
    if (content) content.value = ''
    return { found, rest: page.toHtml() }
  }

  it('is escaped wherever it appears', () => {
    const { rest: harmlessRest } = splitAroundName('minutes.pdf')
    const { rest: smallNameRest } = splitAroundName('x'.repeat(81))
    fc.assert(
      fc.property(names, (name) => {
        const { found, rest } = splitAroundName(name)
        // UTF-8 cannot encode lone surrogates. The encoder replaces them with U+FFFD.
        const wellFormedName = name.toWellFormed()
        expect(found).toEqual({
          h1: wellFormedName,
          title: `${wellFormedName} · Mayfly`,
          preview: wellFormedName,
        })
        expect(rest).toBe(Array.from(name).length > 80 ? smallNameRest : harmlessRest)
      }),
      { numRuns: 300, examples: hostileStrings.map((name) => [name]) },
    )
  })

  it.each([
    ['of 80 characters is large', 'x'.repeat(80), ''],
    ['of 80 emoji is large', '😀'.repeat(80), ''],
    ['of 81 characters is smaller', 'x'.repeat(81), 'is-long'],
  ])('%s', (_, name, className) => {
    const [heading] = renderPage({ name }).findAll('h1')
    expect(attributeOf(heading, 'class')).toBe(className)
  })
})

describe('the page of a link', () => {
  it('has only our own links and scripts', () => {
    const page = renderPage()
    expect(page.findAll('a').map((a) => attributeOf(a, 'href'))).toEqual([
      '/',
      '/api/download/abcdefghjk',
      '/',
      '/s/abcdefghjk/report',
    ])
    const [boot, enhance, ...otherScripts] = page.findAll('script')
    expect(boot?.attrs).toEqual([])
    expect(attributeOf(enhance, 'src')).toMatch(/^\/assets\/enhance-[\w-]+\.js$/)
    expect(attributeOf(enhance, 'type')).toBe('module')
    expect(otherScripts).toEqual([])
    for (const tag of ['iframe', 'object', 'embed', 'base', 'form', 'img']) {
      expect(page.findAll(tag)).toEqual([])
    }
  })

  it('preloads nothing', () => {
    expect(
      renderPage()
        .findAll('link')
        .map((linkElement) => attributeOf(linkElement, 'rel')),
    ).toEqual(['icon'])
  })

  it('leaves no placeholder unfilled', () => {
    expect(renderPage().toHtml()).not.toMatch(/\{\{|undefined|NaN/)
  })

  it('links to the download so that a browser saves the file', () => {
    const anchor = renderPage().findOne('a', { id: 'download' })
    expect(textOf(anchor)).toBe('Download File')
    expect(attributeOf(anchor, 'href')).toBe('/api/download/abcdefghjk')
    expect(attributeOf(anchor, 'download')).toBe('')
  })

  it.each([
    [0, '0 Bytes'],
    [1536, '1.5 KB'],
    [1024 ** 3, '1 GB'],
  ])('shows the size of %i bytes as %s, also in previews', (size, text) => {
    const page = renderPage({ size })
    expect(textOf(page.findOne('p', { class: 'muted' }))).toBe(`${text} · PDF`)
    const description = page.findOne('meta', { property: 'og:description' })
    expect(attributeOf(description, 'content')).toBe(`${text} · PDF · until Tue 15 Jul, 10:02 UTC`)
    const address = page.findOne('meta', { property: 'og:url' })
    expect(attributeOf(address, 'content')).toBe('https://files.example.org/s/abcdefghjk')
  })

  it('shows the kind of file as a word and an icon', () => {
    const types = {
      image: 'image/png',
      video: 'video/mp4',
      audio: 'audio/mpeg',
      pdf: 'application/pdf',
      archive: 'application/zip',
      document: 'text/plain',
      other: 'application/octet-stream',
    }
    const icons = fileKinds.map((kind) => {
      const page = renderPage({ mimeType: types[kind], name: 'x' })
      expect(textOf(page.findOne('p', { class: 'muted' }))).toBe(`1.5 KB · ${kindLabel(kind)}`)
      const [icon, ...otherIcons] = findElements(page.findOne('span', { class: 'kind' }), 'svg')
      expect(otherIcons).toEqual([])
      return attributeOf(icon, 'class')
    })
    expect(new Set(icons).size).toBe(fileKinds.length)
  })

  it.each([
    ['3 days left', 'calm', 0],
    ['3 days left', 'calm', 1],
    ['3 days left', 'calm', 0.5 * dayInMs],
    ['2 days left', 'calm', 0.5 * dayInMs + 1],
    ['1 day left', 'calm', 2 * dayInMs],
    ['23 hours left', 'amber', 2 * dayInMs + 1],
    ['1 hour left', 'amber', 3 * dayInMs - hourInMs],
    ['Less than 1 hour left', 'red', 3 * dayInMs - hourInMs + 1],
    ['Less than 1 hour left', 'red', 3 * dayInMs - 1],
  ])('shows %s, in %s, %i ms after the upload', (label, tone, elapsedMs) => {
    const now = afterCreation(elapsedMs)
    const page = renderPage({}, now)
    expect(textOf(page.findOne('b', { id: 'label' }))).toBe(label)
    const card = page.findOne('section', { id: 'link' })
    expect(attributeOf(card, 'data-tone')).toBe(tone)
    expect(attributeOf(card, 'data-now')).toBe(String(now.getTime()))
    expect(attributeOf(card, 'data-created')).toBe(String(createdAt.getTime()))
    expect(attributeOf(card, 'data-max')).toBe(String(link.maxLifetimeAt.getTime()))
    const time = page.findOne('time')
    expect(textOf(time)).toBe('until Tue 15 Jul, 10:02 UTC')
    expect(attributeOf(time, 'datetime')).toBe('2025-07-15T10:02:00.000Z')
  })

  it.each([
    ['at upload', 0, true, '0%', ['0%', '9.4%'], ['10%', '90%']],
    ['one day later', dayInMs, true, '2.73%', ['3.33%', '6.07%'], ['10%', '90%']],
    ['without time to renew', dayInMs, false, '2.73%', ['3.33%', '6.67%'], ['10%', '0%']],
  ])('draws the lifeline %s', (_description, elapsedMs, canRenew, livedWidth, valid, renewable) => {
    const page = renderPage({}, afterCreation(elapsedMs), { canRenew })
    // The first rectangle is only the pattern that the bars use.
    const [, ...bars] = findElements(page.findOne('div', { class: 'time' }), 'rect')
    const barPosition = (barIndex: number) =>
      ['x', 'width'].map((name) => attributeOf(bars[barIndex], name))
    expect(barPosition(0)).toEqual(['0%', livedWidth])
    expect(barPosition(1)).toEqual(valid)
    expect(barPosition(2)).toEqual(renewable)
  })
})

/** Returns the link's own files on the page, each as its elements' texts. */
function listFiles(page: ReturnType<typeof renderLink>) {
  return page.findAll('li').map((row) => row.childNodes.map((node) => textOf(node as Element)))
}

describe('the page of a link with several files', () => {
  const photo: PageFile = { ...file, id: 'photo', name: 'a.jpg', mimeType: 'image/jpeg', size: 512 }
  const files = [file, photo]

  it('has a link for each file and one for all', () => {
    const page = renderLink({ files })
    expect(page.findAll('h1').map(textOf)[0]).toBe('minutes.pdf and 1 more')
    expect(textOf(page.findOne('p', { class: 'muted' }))).toBe('2 files · 2 KB')
    const button = page.findOne('a', { id: 'download' })
    expect(textOf(button)).toBe('Download all (2 KB)')
    expect(attributeOf(button, 'href')).toBe('/api/download/abcdefghjk')
    expect(listFiles(page)).toEqual([
      ['minutes.pdf', '1.5 KB · PDF'],
      ['a.jpg', '512 Bytes · Image'],
    ])
    const links = findElements(page.findOne('ul'), 'a')
    expect(links.map((a) => attributeOf(a, 'href'))).toEqual(
      files.map(({ id }) => `/api/download/abcdefghjk/${id}`),
    )
    expect(page.toHtml()).not.toMatch(/\{\{|undefined|NaN|SHA-256/)
  })

  it("shows the sender's title and message, with its line breaks", () => {
    const title = '<b>Photos</b>'
    const message = 'Hello,\nhere & there "{{name}}".'
    for (const linkFiles of [files, [file]]) {
      const page = renderLink({ files: linkFiles, title, message })
      expect(page.findAll('h1').map(textOf)[0]).toBe(title)
      expect(textOf(page.findOne('title'))).toBe(`${title} · Mayfly`)
      expect(textOf(page.findOne('div', { class: 'note' }))).toBe(message)
    }
    const page = renderLink({ title })
    expect(textOf(page.findOne('p', { class: 'muted' }))).toBe(
      '\u2068minutes.pdf\u2069 · 1.5 KB · PDF',
    )
    expect(textOf(page.findOne('a', { id: 'download' }))).toBe('Download File')
  })

  it('escapes file names', () => {
    const names = ['<script>alert(1)</script>', '"><img src=x>', '{{code}}', '</li></ul>', '&amp;']
    const page = renderLink({ files: names.map((name) => ({ ...file, name })) })
    expect(listFiles(page).map(([name]) => name)).toEqual(names)
    expect(page.findAll('img')).toEqual([])
  })

  it('is under 20 KB with ten files', () => {
    const name = `${'Photo of the harbour '.repeat(2)}1.jpeg`
    const { html } = pages.active(
      { ...link, message: 'x'.repeat(200), files: Array(10).fill({ ...photo, name, id: file.id }) },
      contextAt(createdAt),
    )
    expect(Buffer.byteLength(html)).toBeLessThan(20_000)
  })

  it.each([
    [1, '1 download left'],
    [3, '3 downloads left'],
  ])('says that %i downloads are left', (remainingDownloads, text) => {
    for (const linkFiles of [files, [file]]) {
      const page = renderLink({ files: linkFiles, remainingDownloads })
      expect(textOf(page.findOne('p', { class: 'remaining' }))).toBe(text)
    }
    expect(renderLink({ files }).toHtml()).not.toContain('left</p>')
  })
})

describe('the page of a link that is still uploading', () => {
  const arriving: PageFile = { ...file, name: 'film.mp4', state: 'uploading', receivedBytes: 512 }
  const waiting: PageFile = { ...arriving, name: 'end.mp4', receivedBytes: 0 }

  it('shows how much of each file has arrived, and links to those that are ready', () => {
    const page = renderLink({ files: [file, arriving, waiting], isComplete: false })
    expect(listFiles(page)).toEqual([
      ['minutes.pdf', '1.5 KB · PDF'],
      ['film.mp4', '512 Bytes of 1.5 KB'],
      ['end.mp4', 'Waiting · 1.5 KB'],
    ])
    expect(findElements(page.findOne('ul'), 'a').map(textOf)).toEqual(['minutes.pdf'])
    const progress = page.findOne('progress')
    expect(attributeOf(progress, 'value')).toBe('2048')
    expect(attributeOf(progress, 'max')).toBe('4608')
    expect(textOf(page.findOne('div', { class: 'upload-status' }))).toContain('2 KB of 4.5 KB')
    const button = page.findOne('button', { class: 'button' })
    expect(textOf(button)).toBe('Download all (4.5 KB)')
    expect(attributeOf(button, 'disabled')).toBe('')
  })

  it('shows a single file as usual, with a button that is disabled until it is ready', () => {
    const page = renderLink({ files: [arriving], isComplete: false })
    expect(page.findAll('h1').map(textOf)[0]).toBe('film.mp4')
    expect(page.findAll('li')).toEqual([])
    expect(textOf(page.findOne('button', { class: 'button' }))).toBe('Download File')
  })

  it('shows no expiry before the first file is there', () => {
    const { html } = pages.active({ ...link, hasExpiry: false }, contextAt(createdAt))
    expect(html).not.toMatch(/until |days left|<time/)
  })

  it('refreshes itself even without scripts, until everything is there', () => {
    const refreshOf = (changes: Partial<PageLink>) =>
      /<noscript><meta http-equiv="refresh" content="10"\/><\/noscript>/.test(
        pages.active({ ...link, ...changes }, contextAt(createdAt)).html,
      )
    expect(refreshOf({ files: [arriving], isComplete: false })).toBe(true)
    expect(refreshOf({})).toBe(false)
  })
})

describe('the page of a locked link', () => {
  const render = (error?: string, brand: BrandRow | null = null) =>
    pages.locked(link, contextAt(afterCreation(dayInMs), { brand }), error)

  it('has a form for the password and says when the link ends', () => {
    const page = parsePage(render().html)
    expect(page.findAll('h1').map(textOf)[0]).toBe('Protected link')
    expect(textOf(page.findOne('p', { class: 'muted' }))).toBe('This link needs a password')
    expect(textOf(page.findOne('b', { id: 'label' }))).toBe('2 days left')
    expect(textOf(page.findOne('time'))).toBe('until Tue 15 Jul, 10:02 UTC')
    const form = page.findOne('form')
    expect(attributeOf(form, 'method')).toBe('post')
    expect(attributeOf(form, 'action')).toBe('/s/abcdefghjk')
    const input = page.findOne('input')
    expect(attributeOf(input, 'type')).toBe('password')
    expect(attributeOf(input, 'autocomplete')).toBe('off')
    expect(textOf(page.findOne('label', { for: 'password' }))).toBe('Password')
    expect(textOf(page.findOne('p', { role: 'alert' }))).toBe('')
    expect(textOf(parsePage(render('No <b>.').html).findOne('p', { role: 'alert' }))).toBe(
      'No <b>.',
    )
  })

  it('reveals nothing about the files, not even when they were uploaded', () => {
    const { html } = render()
    expect(html).not.toMatch(/minutes|PDF|1\.5 KB|\/api\/download|Download|lucide-file-/)
    expect(html).not.toContain(String(createdAt.getTime()))
    expect(html).not.toContain(String(link.maxLifetimeAt.getTime()))
    expect(html).not.toMatch(/\{\{|undefined|NaN/)
    const page = parsePage(html)
    const [description] = page
      .findAll('meta')
      .filter((meta) => attributeOf(meta, 'property') === 'og:description')
    expect(attributeOf(description, 'content')).toBe(
      'This link needs a password · until Tue 15 Jul, 10:02 UTC',
    )
  })
})

describe('the SHA-256 of a file', () => {
  const sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

  it('is shown in full even without JavaScript', () => {
    const page = renderPage({ sha256 })
    expect(textOf(page.findOne('summary'))).toBe('Checksum (SHA-256)')
    expect(findElements(page.findOne('details'), 'code').map(textOf)).toEqual([sha256])
  })

  it('is omitted if unknown', () => {
    expect(renderPage().findAll('details')).toEqual([])
    expect(renderPage().toHtml()).not.toMatch(/SHA-256|sha256/)
  })
})

describe('the page of a link whose owner has a brand', () => {
  const emptyBrand: BrandRow = {
    name: '',
    accent: null,
    message: '',
    logoKey: null,
    logoWidth: null,
    logoHeight: null,
  }
  const key = '0123456789abcdef0123456789abcdef'
  const fullBrand: BrandRow = {
    name: 'Harbour & Pine',
    accent: '#3a3f9e',
    message: 'For the opening.\nCredit the photographer.',
    logoKey: key,
    logoWidth: 480,
    logoHeight: 240,
  }
  const renderBrandedPage = (changes: Partial<BrandRow> = {}) =>
    renderPage({}, createdAt, { brand: { ...fullBrand, ...changes } })
  const metaContents = (page: ReturnType<typeof renderPage>, name: string) =>
    page
      .findAll('meta')
      .filter((meta) => attributeOf(meta, 'property') === name)
      .map((meta) => attributeOf(meta, 'content'))
  const classNames = (page: ReturnType<typeof renderPage>) =>
    page.allElements().flatMap((element) => attributeOf(element, 'class') ?? [])

  it("shows the brand's name, logo and message instead of our mark, and credits Mayfly", () => {
    const page = renderBrandedPage()
    expect(classNames(page)).not.toContain('mark')
    const header = page.findOne('p', { class: 'brand' })
    expect(textOf(header)).toBe('Harbour & Pine')
    const [logo, ...otherImages] = page.findAll('img')
    expect(otherImages).toEqual([])
    const attributes = Object.fromEntries(
      (logo?.attrs ?? []).map(({ name, value }) => [name, value]),
    )
    expect(attributes).toEqual({
      src: `/api/branding/logo/${key}`,
      width: '72',
      height: '36',
      alt: '',
      fetchpriority: 'low',
    })
    expect(textOf(page.findOne('div', { class: 'note' }))).toBe(
      `${fullBrand.message}Harbour & Pine`,
    )
    expect(findElements(page.findOne('footer'), 'span').map(textOf)).toEqual([
      'Sent with Mayfly. Share files by short links that expire.',
    ])
    expect(textOf(page.findOne('a', { id: 'report' }))).toBe('Report this file')
    expect(textOf(page.findOne('title'))).toBe('minutes.pdf · Harbour & Pine')
  })

  it('shows the brand in link previews', () => {
    const page = renderBrandedPage()
    expect(metaContents(page, 'og:title')).toEqual(['minutes.pdf'])
    expect(metaContents(page, 'og:site_name')).toEqual(['Harbour & Pine'])
    expect(metaContents(page, 'og:image')).toEqual([
      `https://files.example.org/api/branding/logo/${key}`,
    ])
    expect(metaContents(page, 'og:description')).toEqual([
      'For the opening. Credit the photographer. · 1.5 KB · PDF · until Tue 15 Jul, 10:02 UTC',
    ])
  })

  it('shows only the parts that are set', () => {
    const page = renderBrandedPage({ ...emptyBrand, name: 'Pine' })
    expect(page.findAll('img')).toHaveLength(0)
    expect(classNames(page)).not.toContain('note')
    expect(page.findAll('style')).toHaveLength(1)
    expect(metaContents(page, 'og:image')).toEqual([])
    const logoOnlyPage = renderBrandedPage({ name: '', message: '' })
    expect(textOf(logoOnlyPage.findOne('p', { class: 'brand' }))).toBe('')
    expect(attributeOf(logoOnlyPage.findOne('img'), 'alt')).toBe('The logo of the sender')
    expect(metaContents(logoOnlyPage, 'og:site_name')).toEqual(['Mayfly'])
    for (const otherPage of [page, logoOnlyPage]) {
      expect(otherPage.toHtml()).not.toMatch(/\{\{|undefined|NaN|null/)
    }
  })

  it.each([
    [480, 240, '72', '36'],
    [480, 30, '160', '10'],
    [24, 240, '4', '36'],
    [20, 20, '20', '20'],
    [480, 1, '160', '1'],
  ])('reserves space for a logo of %i × %i px', (logoWidth, logoHeight, width, height) => {
    const logo = renderBrandedPage({ logoWidth, logoHeight }).findOne('img')
    expect([attributeOf(logo, 'width'), attributeOf(logo, 'height')]).toEqual([width, height])
  })

  it('uses the accent color, adjusted for both themes, in a style allowed by the CSP', () => {
    const { html, headers } = pages.active(link, contextAt(createdAt, { brand: fullBrand }))
    const [, accent] = parsePage(html).findAll('style').map(textOf)
    expect(accent).toBe(
      ':root{--accent:#3a3f9e;--on-accent:#ffffff}[data-theme=dark]{--accent:#5b60ae;--on-accent:#ffffff}',
    )
    const hash = `'sha256-${createHash('sha256')
      .update(accent ?? '')
      .digest('base64')}'`
    expect(headers['content-security-policy']).toContain(hash)
    expect(pages.headers['content-security-policy']).not.toContain(hash)
    const { 'content-security-policy': _, ...otherHeaders } = headers
    expect(pages.headers).toMatchObject(otherHeaders)
  })

  it('escapes the brand everywhere', () => {
    const texts = [
      '</style><script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      '{{name}}',
      '&amp;',
    ]
    const harmlessPage = renderBrandedPage({ name: 'x', message: 'x' })
    for (const text of texts) {
      const page = renderBrandedPage({ name: text, message: text })
      expect(page.allElements().length).toBe(harmlessPage.allElements().length)
      expect(textOf(page.findOne('p', { class: 'brand' }))).toBe(text)
      expect(textOf(page.findOne('cite'))).toBe(text)
    }
  })

  it('is under 20 KB with the longest values', () => {
    const largestPage = renderBrandedPage({
      name: '&'.repeat(60),
      message: '&'.repeat(280),
    }).toHtml()
    const name = '文'.repeat(85)
    const { html } = pages.active(
      { ...link, files: [{ ...file, name, sha256: 'a'.repeat(64) }] },
      contextAt(createdAt, {
        brand: { ...fullBrand, name: '文'.repeat(60), message: '文'.repeat(280) },
      }),
    )
    expect(Buffer.byteLength(largestPage)).toBeLessThan(20_000)
    expect(Buffer.byteLength(html)).toBeLessThan(20_000)
  })
})

describe('the page of an expired link', () => {
  it('shows an error and offers no download', () => {
    const page = parsePage(pages.notFound)
    expect(page.findAll('h1').map(textOf)).toEqual(['Invalid download link'])
    expect(textOf(page.findOne('title'))).toBe('Invalid download link · Mayfly')
    expect(page.findAll('a').map((a) => attributeOf(a, 'href'))).toEqual(['/', '/'])
    expect(pages.notFound).not.toMatch(/\/api\/|\{\{/)
  })

  it('is also embedded in the active page, for when the link expires', () => {
    const [, heading, ...otherHeadings] = renderPage().findAll('h1')
    expect(textOf(heading)).toBe('Invalid download link')
    expect(otherHeadings).toEqual([])
  })
})

describe('the headers of both pages', () => {
  const policy = pages.headers['content-security-policy'] ?? ''
  const hashOf = (text: string) => createHash('sha256').update(text).digest('base64')

  it('prevent caching and referrers', () => {
    expect(pages.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'strict-transport-security': expect.stringMatching(/^max-age=\d+$/),
    })
  })

  it('allow uploads to object storage', () => {
    const { headers } = loadLinkPages({
      distDir,
      appUrl: new URL('https://files.example.org'),
      connect: ['https://bucket.example.org'],
    })
    expect(headers['content-security-policy']).toContain(
      "connect-src 'self' https://bucket.example.org;",
    )
    expect(policy).toContain("connect-src 'self';")
  })

  it('allow only the inline scripts of the build', () => {
    expect(policy).not.toContain('unsafe-')
    expect(policy).not.toContain(hashOf('alert(1)'))
    for (const page of [
      renderPage({ name: '<script>alert(1)</script>' }),
      parsePage(pages.notFound),
    ]) {
      const inlineElements = [...page.findAll('script'), ...page.findAll('style')].filter(
        (element) => attributeOf(element, 'src') === undefined,
      )
      expect(inlineElements).toHaveLength(2)
      for (const element of inlineElements)
        expect(policy).toContain(`'sha256-${hashOf(textOf(element))}'`)
      // The policy forbids inline styles and handlers, so the page must not contain any.
      const attributes = page.allElements().flatMap(({ attrs }) => attrs.map(({ name }) => name))
      expect(attributes.filter((name) => name === 'style' || name.startsWith('on'))).toEqual([])
    }
  })
})

describe('startup fails with a remedy', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mayfly-pages-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  const loadPages = () =>
    loadLinkPages({ distDir: folder, appUrl: new URL('http://127.0.0.1:3000') })
  const expectStartupError = () => {
    expect(loadPages).toThrow(StartupError)
    expect(loadPages).toThrow('npm run build')
  }

  it('if a page is missing', async () => {
    for (const page of ['download.html', 'download-file-row.html']) {
      expectStartupError()
      await cp(join(distDir, page), join(folder, page))
    }
    expectStartupError()
  })

  it.each([
    ['lacks a placeholder', '{{until}}', ''],
    ['has an unknown placeholder', '</h1>', '{{brand}}</h1>'],
    ['lacks the start of a section', '{{#video}}', ''],
    ['lacks the logo section', '{{#logo}}', ''],
    ['has an unclosed accent section', '{{/accent}}', ''],
    ['has an empty placeholder', '</h1>', '{{}}</h1>'],
    ['has a section for an unknown kind', '{{#pdf}}', '{{#font}}{{/font}}{{#pdf}}'],
    ['lacks the checksum section', '{{#sha256}}', ''],
    ['lacks the checksum', '{{sha256}}', ''],
    ['lacks the end of a section', '{{/video}}', ''],
    ['ends a section before its start', '{{#video}}', '{{/video}}{{#video}}'],
  ])('if the page %s', async (_problem, pattern, replacement) => {
    for (const page of ['download-invalid.html', 'download-file-row.html'])
      await cp(join(distDir, page), join(folder, page))
    const html = await readFile(join(distDir, 'download.html'), 'utf8')
    await writeFile(join(folder, 'download.html'), html.replaceAll(pattern, replacement))
    expectStartupError()
    await writeFile(join(folder, 'download.html'), html)
    loadPages()
  })
})
