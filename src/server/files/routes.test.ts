import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Client,
  json,
  makeFile,
  makePerson,
  type Person,
} from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { expectError } from '../../../tests/support/upload-requests.ts'
import type { File } from '../../shared/contract/files.ts'
import { defaultPreferences, type Preferences } from '../../shared/rules/accounts/preferences.ts'
import { shortCodes } from '../db/schema.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

describe('GET /api/files', () => {
  it("lists the caller's own files, newest first", async () => {
    const [ada, bob] = [await makePerson(app), await makePerson(app)]
    const firstFile = await makeFile(ada)
    app.clock.advance(1)
    const secondFile = await makeFile(ada)
    await makeFile(bob)
    const fileList = await json<File[]>(await ada.fetch('/api/files'))
    expect(fileList.map(({ id }) => id)).toEqual([secondFile.id, firstFile.id])
    expect(fileList[0]).not.toHaveProperty('storageKey')
    expect(await json(await (await makePerson(app)).fetch('/api/files'))).toEqual([])
  })

  it('returns each file once across pages, even with equal dates', async () => {
    const ada = await makePerson(app, { tier: 'premium' })
    const fileIds = []
    for (let n = 0; n < 7; n += 1) fileIds.push((await makeFile(ada)).id)

    const seenIds: string[] = []
    let cursor: string | null = ''
    let pages = 0
    while (cursor !== null) {
      const query = new URLSearchParams({ limit: '3', ...(cursor && { cursor }) })
      const response = await ada.fetch(`/api/files?${query}`)
      const page = await json<File[]>(response)
      expect(page.length).toBeLessThanOrEqual(3)
      seenIds.push(...page.map(({ id }) => id))
      cursor = response.headers.get('x-next-cursor')
      pages += 1
    }
    expect(pages).toBe(3)
    expect(seenIds.toSorted()).toEqual(fileIds.toSorted())
  })

  it.each([
    'limit=0',
    'limit=-1',
    'limit=x',
    'limit=1.5',
    'limit=1001',
    'cursor=x',
    'cursor=bnVsbA',
  ])('refuses ?%s', async (query) => {
    const response = await (await makePerson(app)).fetch(`/api/files?${query}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'INVALID_INPUT' })
  })
})

describe('short codes', () => {
  it('are never reissued, even after their file is gone', async () => {
    const ada = await makePerson(app)
    const { id, shortCode } = await makeFile(ada)
    await ada.fetch(`/api/files/${id}`, { method: 'DELETE' })
    const insertedCodes = await app.deps.db
      .insert(shortCodes)
      .values({ code: shortCode, issuedAt: app.clock() })
      .onConflictDoNothing()
      .returning()
    expect(insertedCodes).toEqual([])
  })
})

function changePreferences(person: Client, body: unknown) {
  return person.fetch('/api/preferences', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

async function readPreferences(person: Client): Promise<Preferences> {
  const response = await person.fetch('/api/preferences')
  expect(response.status).toBe(200)
  return json(response)
}

describe('/api/preferences', () => {
  let ada: Person
  beforeAll(async () => {
    ada = await makePerson(app, { tier: 'premium' })
  })

  it("returns the defaults to users who haven't set any", async () => {
    expect(await readPreferences(ada)).toEqual(defaultPreferences)
    expect(await readPreferences(await makePerson(app))).toEqual(defaultPreferences)
  })

  it('changes only the given fields, for the caller only', async () => {
    const [bob, eve] = [
      await makePerson(app, { tier: 'premium' }),
      await makePerson(app, { tier: 'premium' }),
    ]
    const firstResponse = await changePreferences(bob, { defaultExpirationDays: 7 })
    expect(firstResponse.status).toBe(200)
    expect(await json(firstResponse)).toEqual({ ...defaultPreferences, defaultExpirationDays: 7 })
    await changePreferences(bob, { mailOnFirstDownload: true, defaultExpirationDays: '5' })
    await changePreferences(bob, { mailBeforeExpiry: true })
    await changePreferences(bob, { mailOnFirstDownload: false })
    expect(await readPreferences(bob)).toEqual({
      defaultExpirationDays: 5,
      mailOnFirstDownload: false,
      mailBeforeExpiry: true,
      mailOnDelivery: true,
    })
    expect(await readPreferences(eve)).toEqual(defaultPreferences)
  })

  it('changes nothing for an empty body', async () => {
    const bob = await makePerson(app, { tier: 'premium' })
    await changePreferences(bob, { defaultExpirationDays: 7 })
    expect(await json(await changePreferences(bob, {}))).toMatchObject({ defaultExpirationDays: 7 })
  })

  it('keeps all parallel changes, even if none were stored before', async () => {
    const bob = await makePerson(app, { tier: 'premium' })
    await Promise.all([
      changePreferences(bob, { mailOnFirstDownload: true }),
      changePreferences(bob, { mailBeforeExpiry: true }),
      changePreferences(bob, { defaultExpirationDays: 5 }),
      changePreferences(bob, { mailOnDelivery: false }),
    ])
    expect(await readPreferences(bob)).toEqual({
      defaultExpirationDays: 5,
      mailOnFirstDownload: true,
      mailBeforeExpiry: true,
      mailOnDelivery: false,
    })
  })

  it.each([
    ['days that no tier offers', { defaultExpirationDays: 4 }],
    ['negative days', { defaultExpirationDays: -3 }],
    ['null as the days', { defaultExpirationDays: null }],
    ['a string for a boolean', { mailOnFirstDownload: 'yes' }],
    ['a number for a boolean', { mailBeforeExpiry: 1 }],
    ['a misspelled field', { mailOnFirstDownloads: true }],
    ["another user's id", { userId: 'x', mailBeforeExpiry: true }],
    ['an array', []],
    ['invalid JSON', '{'],
  ])('refuses %s, and changes nothing', async (_, body) => {
    const preferencesBefore = await readPreferences(ada)
    await expectError(await changePreferences(ada, body), 400, 'INVALID_INPUT')
    expect(await readPreferences(ada)).toEqual(preferencesBefore)
  })

  it('refuses free users because they have no File Manager, except about deliveries', async () => {
    const bob = await makePerson(app)
    await expectError(
      await changePreferences(bob, { mailBeforeExpiry: true }),
      403,
      'TIER_FILE_MANAGER',
    )
    expect(await readPreferences(bob)).toEqual(defaultPreferences)
    const response = await changePreferences(bob, { mailOnDelivery: false })
    expect(await json(response)).toEqual({ ...defaultPreferences, mailOnDelivery: false })
  })
})
