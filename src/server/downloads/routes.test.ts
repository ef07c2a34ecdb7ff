import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attributeOf, findElements, parsePage } from '../../../tests/support/html.ts'
import {
  json,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  sha256,
} from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { computeDigests } from '../abuse/compute-digests.ts'
import { users } from '../db/schema.ts'

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

let app: TestApp
let owner: Person
beforeAll(async () => {
  app = await startTestApp()
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
