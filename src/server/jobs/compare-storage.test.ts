import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { updateFiles } from '../../../tests/support/file-rows.ts'
import { makeFile, makePerson, putBytes, startUpload } from '../../../tests/support/make.ts'
import { insertFiles } from '../../../tests/support/many-files.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { files, uploads } from '../db/schema.ts'
import { expireFiles } from '../files/expire-files.ts'
import type { StoredObject } from '../storage/storage.ts'
import { createStores } from '../storage/stores.ts'
import { compareStorage } from './compare-storage.ts'

const minute = 60_000
const day = 24 * 60 * minute

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())
beforeEach(async () => {
  app.clock.set(new Date())
  await app.pool.query('truncate users cascade')
  for await (const { key } of app.storage.list()) await app.storage.remove(key)
  app.logLines.length = 0
})

/** Sets the clock a day ahead of the real time, because objects on disk have real timestamps. */
function advanceOneDay(extraMs = minute) {
  app.clock.set(new Date(Date.now() + day + extraMs))
}
async function findStorageKey(id: string) {
  const [row] = await app.deps.db.select().from(files).where(eq(files.id, id))
  return row?.storageKey ?? ''
}
function loggedErrors() {
  return app.logLines.filter(({ level }) => level >= 50)
}

describe('an object without a row', () => {
  it('is removed once it is 24 h old, and no other objects are', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const file = await makeFile(person)
    const openUpload = await startUpload(person, { size: 3 })
    await putBytes(openUpload, new Uint8Array(3))
    const lostUpload = await startUpload(person, { size: 3 })
    await putBytes(lostUpload, new Uint8Array(3))
    const lostFile = await makeFile(person)
    const [keptKey, lostKey] = [await findStorageKey(file.id), await findStorageKey(lostFile.id)]
    await app.deps.db.delete(uploads).where(eq(uploads.storageKey, lostUpload.cloudKey))
    await app.deps.db.delete(files).where(eq(files.id, lostFile.id))

    advanceOneDay(-minute)
    expect(await compareStorage(app.deps)).toMatchObject({ objects: 4, removed: 0 })
    advanceOneDay()
    const comparisons = await Promise.all([compareStorage(app.deps), compareStorage(app.deps)])
    expect(comparisons.every(({ removed }) => removed <= 2)).toBe(true)

    const { storage } = app
    expect(await storage.storedSize(keptKey)).toBe(1000)
    expect(await storage.storedSize(openUpload.cloudKey)).toBe(3)
    expect(await storage.storedSize(lostUpload.cloudKey)).toBeNull()
    expect(await storage.storedSize(lostKey)).toBeNull()
    expect(await compareStorage(app.deps)).toEqual({
      objects: 2,
      removed: 0,
      failed: 0,
      missing: 0,
    })
    expect(loggedErrors()).toEqual([])
  })

  it('is removed even if its file was purged before, as when a backup restores the bytes', async () => {
    const [ada, eve] = [await makePerson(app), await makePerson(app)]
    const [expiredFile, activeFile] = [await makeFile(ada), await makeFile(eve)]
    const [expiredKey, activeKey] = [
      await findStorageKey(expiredFile.id),
      await findStorageKey(activeFile.id),
    ]
    await updateFiles(app.deps.db, eq(files.id, expiredFile.id), {
      expiresAt: app.clock(),
      purgeAt: app.clock(),
    })
    await expireFiles(app.deps)
    const folder = join(app.deps.config.dataDir, 'files', expiredKey.slice(0, 2))
    await writeFile(join(folder, expiredKey), 'back')
    expect(await app.storage.storedSize(expiredKey)).toBe(4)
    const later = new Date(Date.now() + day + minute)
    await updateFiles(app.deps.db, eq(files.id, activeFile.id), {
      expiresAt: new Date(later.getTime() + day),
    })
    app.clock.set(later)
    expect(await compareStorage(app.deps)).toMatchObject({ removed: 1, missing: 0 })
    expect(await app.storage.storedSize(expiredKey)).toBeNull()
    expect(await app.storage.storedSize(activeKey)).toBe(1000)
  })

  it('is removed even if the file with its key was moved to another store', async () => {
    const person = await makePerson(app)
    const [movedFile, keptFile] = [await makeFile(person), await makeFile(person)]
    await app.deps.db.update(files).set({ storage: 's3' }).where(eq(files.id, movedFile.id))
    advanceOneDay()
    expect(await compareStorage(app.deps)).toMatchObject({ removed: 1, missing: 0 })
    expect(await app.storage.storedSize(await findStorageKey(movedFile.id))).toBeNull()
    expect(await app.storage.storedSize(await findStorageKey(keptFile.id))).toBe(1000)
  })

  it('is reported if its removal fails, and retried next time', async () => {
    const file = await makeFile(await makePerson(app))
    await app.deps.db.delete(files).where(eq(files.id, file.id))
    advanceOneDay()
    const stores = createStores({ ...app.storage, remove: () => Promise.reject(new Error('EIO')) })
    expect(await compareStorage({ ...app.deps, stores })).toMatchObject({ removed: 0, failed: 1 })
    expect(loggedErrors()).toHaveLength(1)
    expect(await compareStorage(app.deps)).toMatchObject({ removed: 1, failed: 0 })
  })
})

describe('a file whose bytes are missing', () => {
  it('is logged as an error every night and keeps its row', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const createdFiles = [await makeFile(person), await makeFile(person), await makeFile(person)]
    const [, lostFile] = createdFiles
    if (!lostFile) throw new Error('no file')
    const key = await findStorageKey(lostFile.id)
    await app.storage.remove(key)
    for (let night = 0; night < 2; night += 1) {
      app.logLines.length = 0
      expect(await compareStorage(app.deps)).toEqual({
        objects: 2,
        removed: 0,
        failed: 0,
        missing: 1,
      })
      expect(loggedErrors()).toMatchObject([
        { fileId: lostFile.id, key, store: 'disk' },
        { count: 1 },
      ])
    }
    expect(await findStorageKey(lostFile.id)).toBe(key)
  })

  it("isn't reported for an upload or a purged file", async () => {
    const person = await makePerson(app)
    await startUpload(person, { size: 3 })
    const file = await makeFile(person)
    await updateFiles(app.deps.db, eq(files.id, file.id), {
      expiresAt: app.clock(),
      purgeAt: app.clock(),
    })
    await expireFiles(app.deps)
    expect(await compareStorage(app.deps)).toEqual({
      objects: 0,
      removed: 0,
      failed: 0,
      missing: 0,
    })
  })

  it('is found among thousands, and only the first hundred are logged individually', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const file = await makeFile(person)
    await insertFiles(app, person.id, 1100)
    expect(await compareStorage(app.deps)).toMatchObject({ objects: 1, missing: 1100 })
    expect(loggedErrors()).toHaveLength(101)
    expect(loggedErrors().map(({ fileId }) => fileId)).not.toContain(file.id)
  })

  it("isn't reported if the listing is unsorted", async () => {
    const person = await makePerson(app, { tier: 'premium' })
    await makeFile(person)
    await makeFile(person)
    const list = async function* (): AsyncGenerator<StoredObject> {
      const objects: StoredObject[] = []
      for await (const object of app.storage.list()) objects.unshift(object)
      yield* objects
    }
    const stores = createStores({ ...app.storage, list })
    advanceOneDay()
    await expect(compareStorage({ ...app.deps, stores })).rejects.toThrow(/^the store disk lists/)
    expect(await compareStorage(app.deps)).toMatchObject({ objects: 2, removed: 0, missing: 0 })
  })
})

describe('changes during a comparison', () => {
  /**
   * Calls `beforeListing` after the comparison has read its first rows and before it lists the
   * objects.
   */
  const compareAfter = (
    beforeListing: () => Promise<unknown>,
    list: () => AsyncIterable<StoredObject> = app.storage.list,
  ) => {
    const listing = async function* (): AsyncGenerator<StoredObject> {
      await beforeListing()
      yield* list()
    }
    return compareStorage({ ...app.deps, stores: createStores({ ...app.storage, list: listing }) })
  }
  const createEmptyListing = async function* (): AsyncGenerator<StoredObject> {}

  it("don't cause the removal of an object whose row was inserted after the rows were read", async () => {
    const file = await makeFile(await makePerson(app, { tier: 'premium' }))
    const [row] = await app.deps.db.delete(files).where(eq(files.id, file.id)).returning()
    if (!row) throw new Error('no row')
    advanceOneDay()
    const { searchName, ...values } = row
    const comparison = await compareAfter(() => app.deps.db.insert(files).values(values))
    expect(comparison).toEqual({ objects: 1, removed: 0, failed: 0, missing: 0 })
    expect(await app.storage.storedSize(row.storageKey)).toBe(1000)
  })

  it('cause no error for an object missing from the listing but present in storage', async () => {
    await makeFile(await makePerson(app))
    expect(await compareAfter(async () => {}, createEmptyListing)).toMatchObject({
      objects: 0,
      missing: 0,
    })
  })

  it('cause no error for a file purged after its row was read', async () => {
    const file = await makeFile(await makePerson(app))
    await updateFiles(app.deps.db, eq(files.id, file.id), {
      expiresAt: app.clock(),
      purgeAt: app.clock(),
    })
    expect(await compareAfter(() => expireFiles(app.deps))).toMatchObject({ missing: 0 })
    expect(loggedErrors()).toEqual([])
  })
})
