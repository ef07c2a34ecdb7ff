import { connect } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { attributeOf, type ParsedPage, parsePage, textOf } from '../../../tests/support/html.ts'
import { makeClient, makeFile, makePerson, type Person } from '../../../tests/support/make.ts'
import { send } from '../../../tests/support/send.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { publicLinks, publicPages } from '../../shared/public-pages.ts'
import { signedInHintCookie } from '../../shared/signed-in-hint.ts'
import { settings } from '../db/schema.ts'

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const hintHeaders = { cookie: `${signedInHintCookie}=abc` }
const paths = Object.values(publicPages).map(({ path }) => path)

let app: TestApp
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
  admin = await makePerson(app, { role: 'admin' })
})
beforeEach(async () => {
  await app.deps.db.delete(settings)
  app.deps.settings.clearCache()
})
afterAll(() => app.close())

function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return makeClient(app).fetch(path, { method, headers: { ...browser, ...headers } })
}

async function fetchPage(path: string, headers: Record<string, string> = {}): Promise<ParsedPage> {
  return parsePage(await (await get(path, headers)).text())
}

function getMainText(page: ParsedPage): string {
  return textOf(page.findOne('body')).replaceAll(/\s+/g, ' ')
}

function getMetaContent(page: ParsedPage, property: 'name' | 'property', value: string) {
  return attributeOf(page.findOne('meta', { [property]: value }), 'content')
}

async function changeSetting(key: string, value: string) {
  expect((await admin.post('/api/admin/settings', { key, value })).status).toBe(200)
}

describe.each(paths)('the public page %s', (path) => {
  it('is complete HTML, with metadata for search engines and previews', async () => {
    const response = await get(path)
    const html = await response.text()
    expect(response.status).toBe(200)
    expect(html).not.toContain('{{')
    expect(html).not.toContain('undefined')
    const page = parsePage(html)
    expect(page.findAll('h1')).toHaveLength(1)
    const url = app.url + path
    const title = textOf(page.findOne('title'))
    expect(title).toContain('Mayfly')
    expect(getMetaContent(page, 'property', 'og:title')).toBe(title)
    const description = getMetaContent(page, 'name', 'description')
    expect(description?.length).toBeGreaterThan(50)
    expect(description?.length).toBeLessThanOrEqual(160)
    expect(getMetaContent(page, 'property', 'og:description')).toBe(description)
    expect(getMetaContent(page, 'property', 'og:url')).toBe(url)
    expect(attributeOf(page.findOne('link', { rel: 'canonical' }), 'href')).toBe(url)
    expect(getMetaContent(page, 'property', 'og:image')).toBe(`${app.url}/icon-512.png`)
    expect(getMainText(page)).toContain('v0.9.10')
  })

  it('has the same security headers as every page', async () => {
    const { headers } = await get(path)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("manifest-src 'self'")
    expect(policy).not.toContain('unsafe-')
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('x-robots-tag')).toBeNull()
  })

  it('is revalidated every time, and sent only if it has changed', async () => {
    const firstResponse = await get(path)
    expect(firstResponse.headers.get('cache-control')).toBe('no-cache')
    expect(firstResponse.headers.get('vary')).toBe('Cookie, Accept-Encoding')
    const etag = firstResponse.headers.get('etag') ?? ''
    const conditionalHeaders = { 'if-none-match': etag }
    expect((await get(path, conditionalHeaders)).status).toBe(304)
    expect((await get(path, conditionalHeaders, 'HEAD')).status).toBe(304)
    await changeSetting('app_version', 'v0.9.11')
    const changedResponse = await get(path, conditionalHeaders)
    expect(changedResponse.status).toBe(200)
    expect(await changedResponse.text()).toContain('v0.9.11')
  })

  it("is sent in the client's preferred encoding, and without a body for HEAD", async () => {
    const uncompressedResponse = await send(app.url, { path, headers: browser })
    for (const [coding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const headers = { ...browser, 'accept-encoding': coding }
      const compressedResponse = await send(app.url, { path, headers })
      expect(compressedResponse.headers['content-encoding']).toBe(coding)
      expect(unpack(compressedResponse.body)).toEqual(uncompressedResponse.body)
      const headResponse = await send(app.url, { path, headers, method: 'HEAD' })
      expect(headResponse.body.length).toBe(0)
      expect(headResponse.headers['content-length']).toBe(String(compressedResponse.body.length))
      expect(headResponse.headers.etag).toBe(compressedResponse.headers.etag)
    }
  })

  it('links to the login and signup, or to the dashboard for a signed-in user', async () => {
    const fetchLinks = async (headers = {}) => {
      const page = await fetchPage(path === '/' ? '/preview' : path, headers)
      return page.findAll('a').map((a) => `${textOf(a).trim()} ${attributeOf(a, 'href')}`)
    }
    expect(await fetchLinks(hintHeaders)).toContain('Dashboard /')
    if (path !== '/') {
      expect(await fetchLinks()).toEqual(
        expect.arrayContaining(['Sign In /login', 'Sign Up /signup']),
      )
    }
  })
})

describe('the landing page', () => {
  it('has the links of spec §2', async () => {
    const page = await fetchPage('/')
    const header = page.findAll('a').map((a) => [textOf(a).trim(), attributeOf(a, 'href')])
    for (const { name, path } of publicLinks) expect(header).toContainEqual([name, path])
    for (const link of [
      ['Sign In', '/login'],
      ['Sign Up', '/signup'],
      ['Get Started', '/api/login'],
    ]) {
      expect(header.filter(([name]) => name === link[0])).toEqual([link])
    }
    expect(header).toContainEqual(['Start with Free', '/signup'])
    expect(header).toContainEqual(['Start with 30 days free', '/signup?next=%2F%3Ftrial%3Doffer'])
  })

  it('describes the product without scripts, with six features and two plans', async () => {
    const page = await fetchPage('/')
    const shownText = getMainText(page)
    for (const text of [
      'Share files by short links that expire.',
      'The link works for 3, 5 or 7 days, then the file is deleted.',
      'The bar is 30 days long, as long as a file can exist.',
      'Free: 3 files at a time, up to 500MB each.',
      '$0',
      '$8 per month, cancel at any time',
      'Unlimited files',
      'Up to 1GB each',
      'Links work for 3 days',
      '30 days free',
      'Priority support',
    ]) {
      expect(shownText).toContain(text)
    }
    const featureList = page.findAll('ul').find((list) => attributeOf(list, 'class') === 'six')
    expect(featureList?.childNodes).toHaveLength(6)
    expect(page.findAll('article')).toHaveLength(2)
  })

  it('shows the current price and version from the settings', async () => {
    await changeSetting('premium_price', '12.5')
    await changeSetting('app_version', 'v1.0')
    const shownText = getMainText(await fetchPage('/'))
    expect(shownText).toContain('$12.50 per month')
    expect(shownText).toContain('v1.0')
  })

  it('escapes the version', async () => {
    const version = `</footer><script>x</script>"'&{{price}}`
    const scriptCount = (await fetchPage('/')).findAll('script').length
    await changeSetting('app_version', version)
    const page = await fetchPage('/')
    expect(getMainText(page)).toContain(version)
    expect(page.findAll('script')).toHaveLength(scriptCount)
  })
})

describe('the route sets of spec §2', () => {
  const readPageTitle = async (path: string, headers = {}) => {
    const response = await get(path, headers)
    const page = parsePage(await response.text())
    const isApplication = page.findAll('div').some((div) => attributeOf(div, 'id') === 'root')
    return [response.status, isApplication ? 'application' : textOf(page.findOne('title'))]
  }

  it('serve the landing page at / and nothing at /preview to a visitor', async () => {
    expect(await readPageTitle('/')).toEqual([200, publicPages.landing.title])
    expect(await readPageTitle('/preview')).toEqual([404, 'Page not found · Mayfly'])
  })

  it('serve the dashboard at / and the landing page at /preview to a signed-in user', async () => {
    expect(await readPageTitle('/', hintHeaders)).toEqual([200, 'application'])
    expect(await readPageTitle('/preview', hintHeaders)).toEqual([200, publicPages.landing.title])
    expect((await get('/', hintHeaders)).headers.get('vary')).toBe('Cookie, Accept-Encoding')
  })

  it('change when the user signs in or out', async () => {
    const person = await makePerson(app)
    const showsApplication = async () =>
      (await (await person.fetch('/', { headers: browser })).text()).includes('id="root"')
    expect(await showsApplication()).toBe(true)
    const logoutResponse = await person.fetch('/api/logout')
    expect(logoutResponse.headers.getSetCookie().join()).toContain(
      `${signedInHintCookie}=; Max-Age=0`,
    )
  })

  it.each(['/nowhere', '/faq/', '/index.html', '/public-landing.html', '/download.html', '/s'])(
    'serve a not-found page at %s to browsers, and JSON to other clients',
    async (path) => {
      const pageResponse = await get(path)
      expect(pageResponse.status).toBe(404)
      expect(await pageResponse.text()).toContain('There is nothing at this address')
      expect(pageResponse.headers.get('content-security-policy')).toContain("default-src 'none'")
      const conditionalHeaders = { 'if-none-match': pageResponse.headers.get('etag') ?? '' }
      expect((await get(path, conditionalHeaders)).status).toBe(404)

      const jsonResponse = await makeClient(app).fetch(path, {
        headers: { accept: 'application/json' },
      })
      expect(jsonResponse.status).toBe(404)
      expect(await jsonResponse.json()).toMatchObject({ code: 'NOT_FOUND' })
    },
  )

  it('serve no page for a missing asset or another method', async () => {
    expect((await get('/assets/app-missing.js')).headers.get('content-type')).toContain('json')
    const postResponse = await get('/nowhere', {}, 'POST')
    expect([postResponse.status, postResponse.headers.get('content-type')]).toEqual([
      404,
      'application/json',
    ])
  })
})

describe('search engines', () => {
  it('find every public page in the sitemap, and the sitemap in robots.txt', async () => {
    const sitemapResponse = await get('/sitemap.xml')
    expect(sitemapResponse.headers.get('content-type')).toBe('application/xml; charset=utf-8')
    const urls = Array.from(
      (await sitemapResponse.text()).matchAll(/<loc>(.*?)<\/loc>/g),
      ([, url]) => url,
    )
    expect(urls).toEqual(paths.map((path) => app.url + path))
    const robotsResponse = await get('/robots.txt')
    expect(robotsResponse.headers.get('content-type')).toMatch(/^text\/plain/i)
    expect(await robotsResponse.text()).toContain(`Sitemap: ${app.url}/sitemap.xml\n`)
  })

  it('may open links only if they obey noindex', async () => {
    const groups = (await (await get('/robots.txt')).text()).split('\n\n')
    const findGroup = (agent: string) =>
      groups.find((group) => group.split('\n').includes(`User-agent: ${agent}`)) ?? ''
    for (const path of ['/s/', '/download/']) {
      expect(findGroup('*')).toContain(`\nDisallow: ${path}`)
      expect(findGroup('Googlebot')).not.toContain(`\nDisallow: ${path}`)
    }
    for (const agent of ['*', 'Googlebot']) expect(findGroup(agent)).toContain('\nDisallow: /api/')
    const names = groups.flatMap((group) =>
      Array.from(group.matchAll(/^User-agent: (.*)$/gm), ([, name]) => name),
    )
    for (const name of names) expect(name).toMatch(/^(\*|[A-Za-z_-]+)$/)
  })

  it('get noindex for links, their bytes and pages opened from emails', async () => {
    const { shortCode } = await makeFile(admin)
    for (const path of [
      `/s/${shortCode}`,
      `/download/${shortCode}`,
      `/api/download/${shortCode}`,
      '/s/nosuchcode',
      '/reset-password',
    ]) {
      expect((await get(path)).headers.get('x-robots-tag'), path).toBe('noindex')
    }
    const downloadResponse = await makeClient(app).fetch(`/s/${shortCode}`)
    expect(downloadResponse.headers.get('x-robots-tag')).toBe('noindex')
    expect(getMetaContent(await fetchPage(`/s/${shortCode}`), 'name', 'robots')).toBe('noindex')
    expect(getMetaContent(await fetchPage('/nowhere'), 'name', 'robots')).toBe('noindex')
  })
})

describe('the web manifest', () => {
  it('shares files to /share, and its icons exist', async () => {
    const response = await get('/manifest.webmanifest')
    expect(response.headers.get('content-type')).toContain('application/manifest+json')
    const manifest = (await response.json()) as {
      icons: { src: string; type: string }[]
      share_target: unknown
    }
    expect(manifest.share_target).toEqual({
      action: '/share',
      method: 'POST',
      enctype: 'multipart/form-data',
      params: { files: [{ name: 'files', accept: ['*/*'] }] },
    })
    const otherPaths = ['/favicon.ico', '/favicon.svg', '/apple-touch-icon.png', '/share-worker.js']
    for (const path of [...manifest.icons.map(({ src }) => src), ...otherPaths]) {
      expect((await get(path)).status, path).toBe(200)
    }
  })
})

describe('a share without a service worker', () => {
  it('gets a page with instructions, from any origin', async () => {
    const form = new FormData()
    form.append('files', new File(['secret'], 'letter.txt'))
    const response = await makeClient(app).fetch('/share', {
      method: 'POST',
      body: form,
      headers: { origin: 'null', 'sec-fetch-site': 'none' },
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const page = parsePage(await response.text())
    expect(getMainText(page)).toContain('nothing was uploaded')
    expect(getMainText(await fetchPage('/share'))).toContain('nothing was uploaded')
  })

  it('is answered before its body has arrived', async () => {
    const { hostname, port, host } = new URL(app.url)
    const client = connect(Number(port), hostname)
    client.write(
      `POST /share HTTP/1.1\r\nHost: ${host}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000000\r\n\r\n--x\r\n`,
    )
    let responseText = ''
    for await (const chunk of client) {
      responseText += chunk
      if (responseText.includes('</html>')) break
    }
    client.destroy()
    expect(responseText).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(responseText).toMatch(/\r\nConnection: close\r\n/i)
  })
})
