import { eq, sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { getFileRow, updateFiles } from '../../../tests/support/file-rows.ts'
import { json, makeFile, makePerson } from '../../../tests/support/make.ts'
import { insertFiles } from '../../../tests/support/many-files.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { requestDownload } from '../../../tests/support/upload-requests.ts'
import type { File } from '../../shared/contract/files.ts'
import { linkStatus } from '../../shared/rules/links/link-status.ts'
import { effectiveTier } from '../../shared/rules/tiers/trial.ts'
import { files, users } from '../db/schema.ts'
import type { Storage } from '../storage/storage.ts'
import { createStores } from '../storage/stores.ts'
import { expireFiles, reportOverdue } from './expire-files.ts'
import { updatePurgeTimes } from './purge-queries.ts'
import { markDeleted } from './queries.ts'

const minute = 60_000
const day = 24 * 60 * minute

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterEach(async () => {
  app.clock.advance(31 * day)
  await expireFiles(app.deps)
  app.logLines.length = 0
})
afterAll(() => app.close())

function depsWithStore(changes: Partial<Storage>) {
  return { ...app.deps, stores: createStores({ ...app.storage, ...changes }) }
}
function errors() {
  return app.logLines.filter(({ level }) => level >= 50)
}
function failWithEio() {
  return Promise.reject(new Error('EIO'))
}
const noPurges = { purged: 0, failed: 0 }

describe('expiry', () => {
  it('ends a link exactly at its expiry, before any job runs', async () => {
    const file = await makeFile(await makePerson(app))
    app.clock.set(new Date(new Date(file.expiresAt).getTime() - 1))
    expect((await requestDownload(app, file.shortCode)).status).toBe(200)
    app.clock.set(new Date(file.expiresAt))
    const response = await requestDownload(app, file.shortCode)
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({
      code: 'LINK_NOT_FOUND',
      message: 'File not found or expired',
    })
  })

  it("removes a free user's bytes but keeps the history, and keeps a premium user's bytes", async () => {
    const [free, premium] = [await makePerson(app), await makePerson(app, { tier: 'premium' })]
    const [freeFile, premiumFile] = [await makeFile(free), await makeFile(premium)]
    const [freeKey, premiumKey] = [
      (await getFileRow(app, freeFile.id)).storageKey,
      (await getFileRow(app, premiumFile.id)).storageKey,
    ]
    app.clock.advance(3 * day)
    await expireFiles(app.deps)
    expect(await app.storage.storedSize(freeKey)).toBeNull()
    expect(await app.storage.storedSize(premiumKey)).toBe(1000)
    const [listedFile] = await json<File[]>(await free.fetch('/api/files'))
    expect(listedFile).toMatchObject({ id: freeFile.id, purgedAt: app.clock().toISOString() })

    app.clock.advance(27 * day)
    await expireFiles(app.deps)
    expect(await app.storage.storedSize(premiumKey)).toBeNull()
  })

  it.each([
    ['free', { tier: 'free', premiumTrialEndsAt: null }],
    ['premium', { tier: 'premium', premiumTrialEndsAt: null }],
    ['a trial in its last millisecond', { tier: 'premium', premiumTrialEndsAt: 1 }],
    ['a trial that just ended', { tier: 'premium', premiumTrialEndsAt: 0 }],
  ] as const)(
    'purges exactly the files that linkStatus calls deleted: %s',
    async (_, { tier, ...trial }) => {
      const owner = await makePerson(app, { tier: 'premium' })
      const now = app.clock()
      const trialEndMs = trial.premiumTrialEndsAt
      const tierFields = {
        tier,
        premiumTrialEndsAt: trialEndMs === null ? null : new Date(now.getTime() + trialEndMs),
      }
      const expectedFiles = []
      for (const age of [0, 3 * day - 1, 3 * day, 29 * day, 30 * day - 1, 30 * day]) {
        const { id } = await makeFile(owner)
        const dates = {
          expiresAt: new Date(now.getTime() - age + 3 * day),
          maxLifetimeAt: new Date(now.getTime() - age + 30 * day),
        }
        await updateFiles(app.deps.db, eq(files.id, id), dates)
        expectedFiles.push({ id, purgingAt: null, ...dates })
      }
      await app.deps.db.update(users).set(tierFields).where(eq(users.id, owner.id))
      await updatePurgeTimes(app.deps.db, owner.id, now)

      await expireFiles(app.deps)
      const ownerTier = effectiveTier({ ...tierFields, premiumTrialStartedAt: null }, now)
      for (const file of expectedFiles) {
        const [row] = await app.deps.db.select().from(files).where(eq(files.id, file.id))
        const isDeleted = linkStatus(file, ownerTier, now) === 'deleted'
        expect({ ...file, gone: row?.purgedAt !== null }).toEqual({ ...file, gone: isDeleted })
      }
    },
  )

  it('keeps the bytes of an owner with an unknown tier, and logs an error', async () => {
    const owner = await makePerson(app, { tier: 'premium' })
    const key = (await getFileRow(app, (await makeFile(owner)).id)).storageKey
    await app.deps.db.execute(sql`update users set tier = 'business' where id = ${owner.id}`)
    expect((await owner.fetch('/api/files')).status).toBe(500)
    const [loggedError] = app.logLines.filter(({ level }) => level >= 50)
    expect(loggedError?.err).toMatchObject({ message: 'Unknown tier: business' })
    app.clock.advance(29 * day)
    await expireFiles(app.deps)
    expect(await app.storage.storedSize(key)).toBe(1000)

    await app.deps.db.update(users).set({ tier: 'premium' }).where(eq(users.id, owner.id))
    app.clock.advance(day)
    await expireFiles(app.deps)
    expect(await app.storage.storedSize(key)).toBeNull()
  })

  it('resumes an interrupted purge, and shares the work between servers', async () => {
    const person = await makePerson(app)
    const uploadedFiles = [await makeFile(person), await makeFile(person), await makeFile(person)]
    const [interruptedFile] = uploadedFiles
    if (!interruptedFile) throw new Error('no file')
    app.clock.advance(3 * day)
    // The state after a crash: the bytes have been removed, but the file isn't marked as purged.
    await app.storage.remove((await getFileRow(app, interruptedFile.id)).storageKey)
    const claimFields = {
      purgingAt: app.clock(),
      purgeTries: 1,
      purgeAt: new Date(app.clock().getTime() + 2 * minute),
    }
    await app.deps.db.update(files).set(claimFields).where(eq(files.id, interruptedFile.id))

    const runs = await Promise.all([expireFiles(app.deps), expireFiles(app.deps)])
    expect(runs.reduce((sum, { purged }) => sum + purged, 0)).toBe(2)
    app.clock.advance(2 * minute)
    expect(await expireFiles(app.deps)).toEqual({ purged: 1, failed: 0 })
  })

  it('keeps the row and retries after a failed removal', async () => {
    const file = await makeFile(await makePerson(app))
    const key = (await getFileRow(app, file.id)).storageKey
    app.clock.advance(3 * day)
    const stores = createStores({ ...app.storage, remove: () => Promise.reject(new Error('EIO')) })
    expect(await expireFiles({ ...app.deps, stores })).toEqual({ purged: 0, failed: 1 })
    expect(await app.storage.storedSize(key)).toBe(1000)
    app.clock.advance(10 * 60_000)
    expect(await expireFiles(app.deps)).toEqual({ purged: 1, failed: 0 })
    expect(await app.storage.storedSize(key)).toBeNull()
  })
})

describe('a failed removal', () => {
  it('is retried without limit after 2, 4, 8 and then 10 minutes, and logged each time', async () => {
    const file = await makeFile(await makePerson(app))
    app.clock.advance(3 * day)
    for (const waitMinutes of [2, 4, 8, 10, 10, 10, 10, 10, 10, 10, 10, 10]) {
      app.logLines.length = 0
      expect(await expireFiles(depsWithStore({ remove: failWithEio }))).toEqual({
        purged: 0,
        failed: 1,
      })
      expect(errors()).toMatchObject([{ store: 'disk', count: 1 }])
      app.clock.advance(waitMinutes * minute - 1)
      expect(await expireFiles(app.deps)).toEqual(noPurges)
      app.clock.advance(1)
    }
    expect(await expireFiles(app.deps)).toEqual({ purged: 1, failed: 0 })
    const { purgeTries, purgeDueAt, expiresAt } = await getFileRow(app, file.id)
    expect(purgeTries).toBe(13)
    // The receipt must show the original due time, however late the removal is.
    expect(purgeDueAt).toEqual(expiresAt)
  })

  it("is retried when storage doesn't confirm the removal", async () => {
    const file = await makeFile(await makePerson(app))
    app.clock.advance(3 * day)
    const depsWithoutRemoval = depsWithStore({ remove: async () => {} })
    expect(await expireFiles(depsWithoutRemoval)).toEqual({ purged: 0, failed: 1 })
    expect(await getFileRow(app, file.id)).toMatchObject({ purgedAt: null })
    app.clock.advance(2 * minute)
    expect(await expireFiles(app.deps)).toEqual({ purged: 1, failed: 0 })
  })

  it("is retried when the removal can't be made durable", async () => {
    const file = await makeFile(await makePerson(app))
    app.clock.advance(3 * day)
    const depsWithoutSync = depsWithStore({ syncRemovals: failWithEio })
    expect(await expireFiles(depsWithoutSync)).toEqual({ purged: 0, failed: 1 })
    expect(await getFileRow(app, file.id)).toMatchObject({ purgedAt: null })
    app.clock.advance(2 * minute)
    expect(await expireFiles(app.deps)).toEqual({ purged: 1, failed: 0 })
  })

  it("doesn't block other removals", async () => {
    const person = await makePerson(app)
    const [failingFile] = [await makeFile(person), await makeFile(person)]
    const { storageKey } = await getFileRow(app, failingFile.id)
    app.clock.advance(3 * day)
    const remove = (key: string) => (key === storageKey ? failWithEio() : app.storage.remove(key))
    expect(await expireFiles(depsWithStore({ remove }))).toEqual({ purged: 1, failed: 1 })
  })

  it('of a whole batch leaves the rest to the next run', async () => {
    await insertFiles(app, (await makePerson(app)).id, 350)
    app.clock.advance(3 * day)
    expect(await expireFiles(depsWithStore({ remove: failWithEio }))).toEqual({
      purged: 0,
      failed: 100,
    })
    expect(errors()).toMatchObject([{ count: 100 }])
    expect(await expireFiles(app.deps)).toEqual({ purged: 250, failed: 0 })
    app.clock.advance(2 * minute)
    expect(await expireFiles(app.deps)).toEqual({ purged: 100, failed: 0 })
  })
})

describe('overdue bytes', () => {
  it('are reported after 15 minutes and until they are removed', async () => {
    const person = await makePerson(app)
    const file = await makeFile(person)
    const premiumFile = await makeFile(await makePerson(app, { tier: 'premium' }))
    app.clock.advance(3 * day + 15 * minute - 1)
    expect(await reportOverdue(app.deps)).toBe(0)
    app.clock.advance(1)
    expect(await reportOverdue(app.deps)).toBe(1)
    expect(errors()).toMatchObject([{ count: 1, since: file.expiresAt }])
    await expireFiles(app.deps)
    expect(await reportOverdue(app.deps)).toBe(0)
    expect((await getFileRow(app, premiumFile.id)).purgingAt).toBeNull()
  })

  it('are reported after their owner deleted the file', async () => {
    const ada = await makePerson(app, { tier: 'premium' })
    await markDeleted(app.deps.db, ada.id, [(await makeFile(ada)).id], app.clock())
    app.clock.advance(15 * minute)
    expect(await reportOverdue(app.deps)).toBe(1)
  })

  it('are removed exactly once after a week of downtime', async () => {
    const ada = await makePerson(app)
    await insertFiles(app, ada.id, 1000)
    app.clock.advance(10 * day)
    const runs = await Promise.all([1, 2, 3].map(() => expireFiles(app.deps)))
    expect(runs.reduce((sum, { purged }) => sum + purged, 0)).toBe(1000)
    expect(await expireFiles(app.deps)).toEqual(noPurges)
    expect(await reportOverdue(app.deps)).toBe(0)
  })
})

describe('a run with many due files', () => {
  it('stops when the store becomes unavailable', async () => {
    const ada = await makePerson(app)
    await insertFiles(app, ada.id, 250)
    app.clock.advance(10 * day)
    let isUnavailable = false
    const remove = async (key: string) => {
      if (isUnavailable) throw new Error('EIO')
      await app.storage.remove(key)
    }
    const syncRemovals = async () => {
      isUnavailable = true
    }
    const stores = createStores({ ...app.storage, remove, syncRemovals })
    const result = await expireFiles({ ...app.deps, stores })
    expect(result).toEqual({ purged: 100, failed: 100 })
  })
})
