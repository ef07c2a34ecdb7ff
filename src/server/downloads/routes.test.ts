import { randomBytes } from 'node:crypto'
import { eq, inArray } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attributeOf, findElements, parsePage, textOf } from '../../../tests/support/html.ts'
import { makeLink, sendFile, startLink } from '../../../tests/support/links.ts'
import {
  json,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  sha256,
} from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { Link } from '../../shared/contract/links.ts'
import { computeDigests } from '../abuse/compute-digests.ts'
import { files as filesTable, users } from '../db/schema.ts'
import { counter } from '../http/rate-limit.ts'

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

let app: TestApp
let owner: Person
beforeAll(async () => {
  app = await startTestApp({ env: { RATE_LIMITS: 'on' } })
  owner = await makePerson(app, { tier: 'premium' })
})
afterAll(async () => {
  const failures = app.logLines.filter(({ level }) => level >= 50)
  await app.close()
  expect(failures).toEqual([])
})

function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return makeClient(app).fetch(path, { method, headers })
}

describe('the page of a link', () => {
  it.each(['/s/', '/download/'])(
    'describes the file behind %s{code}, also to chat previews',
    async (basePath) => {
      const { shortCode } = await makeFile(owner, {
        name: 'press-kit.zip',
        type: 'application/zip',
      })
      const response = await get(`${basePath}${shortCode}`, browser)
      expect(response.status).toBe(200)
      const html = await response.text()
      expect(html).toContain('<h1')
      expect(html).toContain('press-kit.zip')
      expect(html).toContain('1000 Bytes')
      expect(html).toContain('Archive')
      expect(html).toContain('3 days left')
      expect(html).toContain('Download File')
      expect(html).toContain(`/api/download/${shortCode}`)
      expect(html).toMatch(/<meta property="og:title" content="press-kit\.zip"/)
      expect(response.headers.get('cache-control')).toContain('no-store')
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    },
  )

  it("shows the renewable time only if the owner's tier can renew", async () => {
    const now = app.clock()
    const trial = await makePerson(app, { tier: 'premium' })
    const owners = { premium: owner, free: await makePerson(app), trial }
    for (const [name, person] of Object.entries(owners)) {
      const { shortCode } = await makeFile(person)
      const renewableWidth = async () => {
        const page = parsePage(await (await get(`/s/${shortCode}`, browser)).text())
        const barRectangles = findElements(page.findOne('div', { class: 'time' }), 'rect')
        return attributeOf(barRectangles.at(-1), 'width')
      }
      expect(await renewableWidth(), name).toBe(name === 'free' ? '0%' : '90%')
      if (name !== 'trial') continue
      // An ended trial counts as Free even before a job changes the tier.
      await app.deps.db
        .update(users)
        .set({ premiumTrialStartedAt: now, premiumTrialEndsAt: now })
        .where(eq(users.id, person.id))
      expect(await renewableWidth(), name).toBe('0%')
    }
  })

  it('is a 404 for an expired or unknown link', async () => {
    const { shortCode, expiresAt } = await makeFile(await makePerson(app))
    const originalTime = app.clock()
    app.clock.set(new Date(expiresAt))
    const longPath = `/s/${'x'.repeat(200)}`
    for (const path of [`/s/${shortCode}`, `/download/${shortCode}`, '/s/unknown', longPath]) {
      const response = await get(path, browser)
      expect(response.status).toBe(404)
      expect(await response.text()).toContain('Invalid download link')
    }
    app.clock.set(originalTime)
  })
})

describe('GET /api/links/{code}', () => {
  it('returns the values shown on the page, and nothing about the owner', async () => {
    const file = await makeFile(owner, { name: 'a.txt' })
    await computeDigests(app.deps)
    const fileFields = { mimeType: 'text/plain', size: 1000, sha256: sha256(file.bytes) }
    const state = { state: 'ready', receivedBytes: 1000 }
    expect(await json(await get(`/api/links/${file.shortCode}`))).toEqual({
      shortCode: file.shortCode,
      title: null,
      message: null,
      createdAt: file.createdAt,
      expiresAt: file.expiresAt,
      maxLifetimeAt: file.maxLifetimeAt,
      state: 'ready',
      hasPassword: false,
      maxDownloads: null,
      remainingDownloads: null,
      totalSize: 1000,
      originalName: 'a.txt',
      ...fileFields,
      files: [{ id: file.id, name: 'a.txt', ...fileFields, ...state }],
      branding: null,
    })
    expect((await get('/api/links/unknown')).status).toBe(404)
  })
})

function makeBytes(length: number) {
  return new Uint8Array(randomBytes(length))
}

async function openPage(code: string) {
  const response = await get(`/s/${code}`, browser)
  return parsePage(await response.text())
}

describe('the page of a link with several files', () => {
  const files = [
    { name: 'plan.pdf', type: 'application/pdf', bytes: makeBytes(2048) },
    { name: 'photo.jpg', type: 'image/jpeg', bytes: makeBytes(1024) },
  ]

  it('lists the files, each with a link to its bytes', async () => {
    const code = await makeLink(owner, files, { title: 'Plans', message: 'One\ntwo' })
    await computeDigests(app.deps)
    const page = await openPage(code)
    expect(textOf(page.findOne('h1'))).toBe('Plans')
    expect(textOf(page.findOne('div', { class: 'note' }))).toBe('One\ntwo')
    expect(textOf(page.findOne('a', { id: 'download' }))).toBe('Download all (3 KB)')
    const links = findElements(page.findOne('ul'), 'a')
    expect(links.map(textOf)).toEqual(['plan.pdf', 'photo.jpg'])
    for (const [index, link] of links.entries()) {
      const response = await get(attributeOf(link, 'href') ?? '')
      expect(Buffer.from(await response.arrayBuffer())).toEqual(
        Buffer.from(files[index]?.bytes ?? []),
      )
    }
  })

  it('shows what has arrived, and offers all files once the archive can be made', async () => {
    const { link, uploads } = await startLink(owner, files)
    const readState = async () => {
      const page = await openPage(link.shortCode)
      return [
        page.findAll('li').map((row) => findElements(row, 'span').map(textOf).join()),
        page.findAll('button').flatMap((button) => attributeOf(button, 'disabled') ?? []).length,
      ]
    }
    expect(await readState()).toEqual([['Waiting · 2 KB', 'Waiting · 1 KB'], 1])
    expect((await openPage(link.shortCode)).findAll('time')).toEqual([])
    for (const [index, file] of files.entries()) await sendFile(owner, uploads[index], file)
    expect((await openPage(link.shortCode)).findAll('time')).toHaveLength(1)
    const details = ['2 KB · PDF', '1 KB · Image']
    expect(await readState()).toEqual([details, 0])
    const { files: linkFiles } = await json<Link>(await get(`/api/links/${link.shortCode}`))
    const isOfLink = inArray(
      filesTable.id,
      linkFiles.map(({ id }) => id),
    )
    // Buckets don't tell the CRC-32 of every file, so the server may have to compute it.
    await app.deps.db.update(filesTable).set({ crc32: null, sha256: null }).where(isOfLink)
    expect(await readState()).toEqual([details, 1])
    expect((await get(`/api/download/${link.shortCode}`)).status).toBe(503)
    await computeDigests(app.deps)
    expect(await readState()).toEqual([details, 0])
    expect((await get(`/api/download/${link.shortCode}`)).status).toBe(200)
  })

  it('counts down the downloads left, and ends with the last one', async () => {
    const code = await makeLink(owner, files.slice(0, 1), { maxDownloads: 2 })
    for (const text of ['2 downloads left', '1 download left']) {
      expect(textOf((await openPage(code)).findOne('p', { class: 'remaining' }))).toBe(text)
      await (await get(`/api/download/${code}`)).arrayBuffer()
    }
    expect((await get(`/s/${code}`, browser)).status).toBe(404)
  })
})

describe('a locked link', () => {
  const password = 'open sesame'
  const secrets = ['confidential.pdf', 'Confidential', 'For your eyes only', '12.3 KB', '12595']
  let code: string
  beforeAll(async () => {
    const files = [{ name: 'confidential.pdf', type: 'application/pdf', bytes: makeBytes(12_595) }]
    const options = { title: 'Confidential', message: 'For your eyes only', password }
    code = await makeLink(owner, files, options)
  })

  function unlock(fields: Record<string, string> | string, headers = {}) {
    return makeClient(app).fetch(`/s/${code}`, {
      method: 'POST',
      headers: { origin: app.url, ...headers },
      body: new URLSearchParams(fields),
    })
  }

  it('reveals nothing in any response', async () => {
    const bot = { 'user-agent': 'TelegramBot (like TwitterBot)' }
    const responses = [
      await get(`/s/${code}`, browser),
      await get(`/download/${code}`, browser),
      await get(`/s/${code}`, bot),
      await get(`/s/${code}`),
      await get(`/s/${code}/report`, browser),
      await get(`/api/links/${code}`),
      await get(`/api/download/${code}`),
      await get(`/api/download/${code}`, {}, 'HEAD'),
      await unlock({ password: 'wrong' }),
    ]
    expect(responses.map(({ status }) => status)).toEqual([
      200, 200, 200, 401, 200, 200, 401, 401, 401,
    ])
    for (const response of responses) {
      const text = `${JSON.stringify([...response.headers])} ${await response.text()}`
      for (const secret of secrets) expect(text, response.url).not.toContain(secret)
    }
  })

  it('is shown once its form was sent with the right password', async () => {
    expect(textOf((await openPage(code)).findOne('h1'))).toBe('Protected link')
    const response = await unlock({ password })
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe(`/s/${code}`)
    const [cookie = ''] = response.headers.getSetCookie()
    expect(cookie).toContain('HttpOnly')
    const page = await get(`/s/${code}`, { ...browser, cookie: cookie.split(';')[0] ?? '' })
    expect(await page.text()).toContain('For your eyes only')
  })

  it('asks again after a wrong password', async () => {
    for (const fields of ['password=wrong', 'password=', '']) {
      const response = await unlock(fields)
      expect(response.status).toBe(401)
      // Browsers would ask for a user name and password in a dialog of their own.
      expect(response.headers.get('www-authenticate')).toBeNull()
      const page = parsePage(await response.text())
      expect(textOf(page.findOne('p', { role: 'alert' }))).toBe('Wrong password. Please try again.')
      expect(attributeOf(page.findOne('input'), 'value')).toBeUndefined()
    }
  })

  it('says how long to wait after too many tries', async () => {
    const tries = counter('wrongUnlocksByAddress', '127.0.0.1')
    for (let n = 0; n < tries.max; n += 1) await app.deps.rateLimits.add([tries])
    const response = await unlock({ password })
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(textOf(parsePage(await response.text()).findOne('p', { role: 'alert' }))).toMatch(
      /^Too many attempts\. Please wait \d+ minutes/,
    )
    app.clock.advance(15 * 60_000)
    expect((await unlock({ password })).status).toBe(303)
  })

  it('rejects the form of another site, and is a 404 if there is no such link', async () => {
    expect((await unlock({ password }, { origin: 'https://evil.example' })).status).toBe(403)
    const response = await makeClient(app).fetch('/s/bbbbbbbbbb', {
      method: 'POST',
      headers: { origin: app.url },
      body: new URLSearchParams({ password }),
    })
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('Invalid download link')
  })
})
