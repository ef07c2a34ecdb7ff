import { randomUUID } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { json, makeClient, makeFile, makePerson } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { File } from '../../shared/contract/files.ts'
import { linkStatus } from '../../shared/rules/link-status.ts'
import { effectiveTier } from '../../shared/rules/trial.ts'
import { files, shortCodes, users } from '../db/schema.ts'
import { createStores } from '../storage/stores.ts'
import { deleteFile } from './delete-file.ts'
import { expireFiles } from './expire-files.ts'

const minute = 60_000
const day = 24 * 60 * minute

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

function download(shortCode: string) {
  return makeClient(app).fetch(`/api/download/${shortCode}`)
}

async function storageKeyOf(id: string) {
  const [row] = await app.deps.db.select().from(files).where(eq(files.id, id))
  if (!row) throw new Error('no such file')
  return row.storageKey
}

describe('GET /api/files', () => {
  it("lists the caller's own files, newest first", async () => {
    const [ada, bob] = [await makePerson(app), await makePerson(app)]
    const first = await makeFile(ada)
    app.clock.advance(1)
    const second = await makeFile(ada)
    await makeFile(bob)
    const listed = await json<File[]>(await ada.fetch('/api/files'))
    expect(listed.map(({ id }) => id)).toEqual([second.id, first.id])
    expect(listed[0]).not.toHaveProperty('storageKey')
    expect(await json(await (await makePerson(app)).fetch('/api/files'))).toEqual([])
  })

  it('answers page by page, each file once, also among equal dates', async () => {
    const ada = await makePerson(app, { tier: 'premium' })
    const made = []
    for (let n = 0; n < 7; n += 1) made.push((await makeFile(ada)).id)

    const seen: string[] = []
    let cursor: string | null = ''
    let pages = 0
    while (cursor !== null) {
      const query = new URLSearchParams({ limit: '3', ...(cursor && { cursor }) })
      const response = await ada.fetch(`/api/files?${query}`)
      const page = await json<File[]>(response)
      expect(page.length).toBeLessThanOrEqual(3)
      seen.push(...page.map(({ id }) => id))
      cursor = response.headers.get('x-next-cursor')
      pages += 1
    }
    expect(pages).toBe(3)
    expect(seen.toSorted()).toEqual(made.toSorted())
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

describe('DELETE /api/files/{id}', () => {
  it('ends the link and removes the bytes and the row', async () => {
    const ada = await makePerson(app)
    const file = await makeFile(ada)
    const key = await storageKeyOf(file.id)
    const response = await ada.fetch(`/api/files/${file.id}`, { method: 'DELETE' })
    expect(response.status).toBe(200)
    expect((await download(file.shortCode)).status).toBe(404)
    expect(await app.storage.storedSize(key)).toBeNull()
    expect(await json(await ada.fetch('/api/files'))).toEqual([])
    expect((await ada.fetch(`/api/files/${file.id}`, { method: 'DELETE' })).status).toBe(404)
  })

  it("answers 404 to another user's file and leaves it alone", async () => {
    const [ada, bob] = [await makePerson(app), await makePerson(app)]
    const file = await makeFile(ada)
    const response = await bob.fetch(`/api/files/${file.id}`, { method: 'DELETE' })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: 'FILE_NOT_FOUND' })
    expect((await download(file.shortCode)).status).toBe(200)
  })

  it.each(['1', 'x', '%00', "1' or '1'='1", randomUUID(), 'x'.repeat(60)])(
    'answers 404 to the id %j',
    async (id) => {
      const ada = await makePerson(app)
      const response = await ada.fetch(`/api/files/${encodeURIComponent(id)}`, { method: 'DELETE' })
      expect(response.status).toBe(404)
    },
  )

  it('is one deletion, however many ask at once', async () => {
    const ada = await makePerson(app)
    const file = await makeFile(ada)
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => ada.fetch(`/api/files/${file.id}`, { method: 'DELETE' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404])
  })

  it('leaves bytes that cannot be removed now to the job, with the link dead all the same', async () => {
    const ada = await makePerson(app)
    const file = await makeFile(ada)
    const key = await storageKeyOf(file.id)
    const stores = createStores({ ...app.storage, remove: () => Promise.reject(new Error('EIO')) })
    await deleteFile({ ...app.deps, stores }, ada.id, file.id, app.deps.log)
    expect((await download(file.shortCode)).status).toBe(404)
    expect(await json(await ada.fetch('/api/files'))).toEqual([])
    expect(await app.storage.storedSize(key)).toBe(1000)

    app.clock.advance(10 * 60_000)
    await expireFiles(app.deps)
    expect(await app.storage.storedSize(key)).toBeNull()
    const rows = await app.deps.db.select().from(files).where(eq(files.id, file.id))
    expect(rows).toEqual([])
  })
})

describe('expiry', () => {
  // Purges what earlier tests left, so that each test counts only its own files.
  beforeEach(async () => {
    app.clock.advance(30 * day)
    await expireFiles(app.deps)
  })

  it('ends a link at its very second, before any job ran', async () => {
    const file = await makeFile(await makePerson(app))
    app.clock.set(new Date(new Date(file.expiresAt).getTime() - 1))
    expect((await download(file.shortCode)).status).toBe(200)
    app.clock.set(new Date(file.expiresAt))
    const over = await download(file.shortCode)
    expect(over.status).toBe(404)
    expect(await over.json()).toEqual({
      code: 'LINK_NOT_FOUND',
      message: 'File not found or expired',
    })
  })

  it("removes a free user's bytes, keeps the line of history, and keeps a premium user's bytes", async () => {
    const [free, premium] = [await makePerson(app), await makePerson(app, { tier: 'premium' })]
    const [mine, kept] = [await makeFile(free), await makeFile(premium)]
    const [mineKey, keptKey] = [await storageKeyOf(mine.id), await storageKeyOf(kept.id)]
    app.clock.advance(3 * day)
    await expireFiles(app.deps)
    expect(await app.storage.storedSize(mineKey)).toBeNull()
    expect(await app.storage.storedSize(keptKey)).toBe(1000)
    const [line] = await json<File[]>(await free.fetch('/api/files'))
    expect(line).toMatchObject({ id: mine.id, purgedAt: app.clock().toISOString() })

    app.clock.advance(27 * day)
    await expireFiles(app.deps)
    expect(await app.storage.storedSize(keptKey)).toBeNull()
  })

  it.each([
    ['free', { tier: 'free', premiumTrialEndsAt: null }],
    ['premium', { tier: 'premium', premiumTrialEndsAt: null }],
    ['a trial in its last millisecond', { tier: 'premium', premiumTrialEndsAt: 1 }],
    ['a trial that ended just now', { tier: 'premium', premiumTrialEndsAt: 0 }],
  ] as const)('claims exactly what the rule calls deleted: %s', async (_, { tier, ...trial }) => {
    const owner = await makePerson(app, { tier: 'premium' })
    const now = app.clock()
    const ends = trial.premiumTrialEndsAt
    const facts = {
      tier,
      premiumTrialEndsAt: ends === null ? null : new Date(now.getTime() + ends),
    }
    const made = []
    for (const age of [0, 3 * day - 1, 3 * day, 29 * day, 30 * day - 1, 30 * day]) {
      const { id } = await makeFile(owner)
      const dates = {
        expiresAt: new Date(now.getTime() - age + 3 * day),
        maxLifetimeAt: new Date(now.getTime() - age + 30 * day),
      }
      await app.deps.db.update(files).set(dates).where(eq(files.id, id))
      made.push({ id, purgingAt: null, ...dates })
    }
    await app.deps.db.update(users).set(facts).where(eq(users.id, owner.id))

    await expireFiles(app.deps)
    const ownerTier = effectiveTier({ ...facts, premiumTrialStartedAt: null }, now)
    for (const file of made) {
      const [row] = await app.deps.db.select().from(files).where(eq(files.id, file.id))
      const deleted = linkStatus(file, ownerTier, now) === 'deleted'
      expect({ ...file, gone: row?.purgedAt !== null }).toEqual({ ...file, gone: deleted })
    }
  })

  it('keeps the bytes of an owner whose tier it does not know, and says so at once', async () => {
    const owner = await makePerson(app, { tier: 'premium' })
    const key = await storageKeyOf((await makeFile(owner)).id)
    await app.deps.db.execute(sql`update users set tier = 'business' where id = ${owner.id}`)
    expect((await owner.fetch('/api/files')).status).toBe(500)
    const [fault] = app.logged.filter(({ level }) => level >= 50)
    expect(fault?.err).toMatchObject({ message: 'Unknown tier: business' })
    app.clock.advance(29 * day)
    await expireFiles(app.deps)
    expect(await app.storage.storedSize(key)).toBe(1000)

    await app.deps.db.update(users).set({ tier: 'premium' }).where(eq(users.id, owner.id))
    app.clock.advance(day)
    await expireFiles(app.deps)
    expect(await app.storage.storedSize(key)).toBeNull()
  })

  it('takes over what was cut off half-way, and shares the work between servers', async () => {
    const person = await makePerson(app)
    const made = [await makeFile(person), await makeFile(person), await makeFile(person)]
    const [cut] = made
    if (!cut) throw new Error('no file')
    app.clock.advance(3 * day)
    // A server leaves this state if it dies after it has removed the bytes and before it records
    // that.
    await app.storage.remove(await storageKeyOf(cut.id))
    const claimed = {
      purgingAt: app.clock(),
      purgeTries: 1,
      purgeTryAt: new Date(app.clock().getTime() + 2 * minute),
    }
    await app.deps.db.update(files).set(claimed).where(eq(files.id, cut.id))

    const runs = await Promise.all([expireFiles(app.deps), expireFiles(app.deps)])
    expect(runs.reduce((sum, { purged }) => sum + purged, 0)).toBe(2)
    app.clock.advance(2 * minute)
    expect(await expireFiles(app.deps)).toEqual({ purged: 1, failed: 0 })
  })

  it('keeps the row and tries again when a removal fails', async () => {
    const file = await makeFile(await makePerson(app))
    const key = await storageKeyOf(file.id)
    app.clock.advance(3 * day)
    const stores = createStores({ ...app.storage, remove: () => Promise.reject(new Error('EIO')) })
    expect(await expireFiles({ ...app.deps, stores })).toEqual({ purged: 0, failed: 1 })
    expect(await app.storage.storedSize(key)).toBe(1000)
    app.clock.advance(10 * 60_000)
    expect(await expireFiles(app.deps)).toEqual({ purged: 1, failed: 0 })
    expect(await app.storage.storedSize(key)).toBeNull()
  })
})

describe('short codes', () => {
  it('are never given twice, even after their file is gone', async () => {
    const ada = await makePerson(app)
    const { id, shortCode } = await makeFile(ada)
    await ada.fetch(`/api/files/${id}`, { method: 'DELETE' })
    const taken = await app.deps.db
      .insert(shortCodes)
      .values({ code: shortCode, issuedAt: app.clock() })
      .onConflictDoNothing()
      .returning()
    expect(taken).toEqual([])
  })
})
