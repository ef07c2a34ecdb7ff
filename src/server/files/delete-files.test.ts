import { randomUUID } from 'node:crypto'
import { eq, inArray } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { updateFiles } from '../../../tests/support/file-rows.ts'
import {
  json,
  makeFile,
  makePerson,
  type Person,
  requestDeletion,
  requestRenewal,
  signInAgain,
  startUpload,
} from '../../../tests/support/make.ts'
import { insertFiles } from '../../../tests/support/many-files.ts'
import { queryPlansOf } from '../../../tests/support/query-plans.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { requestDownload } from '../../../tests/support/upload-requests.ts'
import type { File } from '../../shared/contract/files.ts'
import { fileDownloads, files } from '../db/schema.ts'
import { createStores } from '../storage/stores.ts'
import { deleteFiles } from './delete-files.ts'
import { expireFiles } from './expire-files.ts'

const day = 24 * 60 * 60_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

async function listFileIds(person: Person) {
  return (await json<File[]>(await person.fetch('/api/files'))).map(({ id }) => id)
}

async function keyOf(id: string) {
  const [row] = await app.deps.db.select().from(files).where(eq(files.id, id))
  return row?.storageKey ?? ''
}

function clearExpired(person: Person) {
  return person.fetch('/api/files/expired/bulk', { method: 'DELETE' })
}

describe('DELETE /api/files/bulk', () => {
  it('ends the links at once, frees the slots, and removes bytes and rows', async () => {
    const ada = await makePerson(app)
    const adaFiles = [await makeFile(ada), await makeFile(ada), await makeFile(ada)]
    const [first, second, third] = adaFiles.map(({ id }) => id)
    const keys = await Promise.all([first, second].map((id) => keyOf(id ?? '')))
    const response = await requestDeletion(ada, [first, second])
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      message: '2 files deleted',
      deletedCount: 2,
      notFound: [],
    })
    for (const key of keys) expect(await app.storage.storedSize(key)).toBeNull()
    const rows = await app.deps.db
      .select()
      .from(files)
      .where(inArray(files.id, [first ?? '', second ?? '']))
    expect(rows).toEqual([])
    expect(await listFileIds(ada)).toEqual([third])
    expect(
      (await Promise.all(adaFiles.map(({ shortCode }) => requestDownload(app, shortCode)))).map(
        ({ status }) => status,
      ),
    ).toEqual([404, 404, 200])
    // The deletion freed two of the three slots, so two uploads can start.
    await startUpload(ada, { size: 1 })
    await startUpload(ada, { size: 1 })
    expect(await expireFiles(app.deps)).toEqual({ purged: 0, failed: 0 })
  })

  it('ends the link even on a server whose clock is behind', async () => {
    const ada = await makePerson(app)
    const file = await makeFile(ada)
    await requestDeletion(ada, [file.id])
    app.clock.advance(-60_000)
    expect((await requestDownload(app, file.shortCode)).status).toBe(404)
    app.clock.advance(60_000)
  })

  it("deletes the caller's files, and reports unknown ids and other users' files as not found", async () => {
    const [ada, bob] = [await makePerson(app), await makePerson(app)]
    const [adaFile, bobFile] = [await makeFile(ada), await makeFile(bob)]
    const unknownId = randomUUID()
    const invalidIds = ['', 'x', "1' or '1'='1", '\0', '\ud800']
    const requestedIds = [unknownId, adaFile.id, bobFile.id, ...invalidIds, adaFile.id, unknownId]
    const response = await requestDeletion(ada, requestedIds)
    expect(await response.json()).toMatchObject({
      message: '1 file deleted',
      deletedCount: 1,
      notFound: [unknownId, bobFile.id, ...invalidIds],
    })
    expect((await requestDownload(app, bobFile.shortCode)).status).toBe(200)
    expect(await (await requestDeletion(ada, [adaFile.id])).json()).toMatchObject({
      deletedCount: 0,
      notFound: [adaFile.id],
    })
  })

  it('accepts uppercase ids', async () => {
    const ada = await makePerson(app)
    const { id } = await makeFile(ada)
    const response = await requestDeletion(ada, [id.toUpperCase()])
    expect(await response.json()).toMatchObject({ deletedCount: 1, notFound: [] })
  })

  it('accepts at most a thousand ids', async () => {
    const ada = await makePerson(app, { tier: 'premium' })
    await insertFiles(app, ada.id, 1001)
    const existingIds = await listFileIds(ada)
    expect((await requestDeletion(ada, [...existingIds, randomUUID()])).status).toBe(400)
    expect(await listFileIds(ada)).toEqual(existingIds)
    expect(await (await requestDeletion(ada, existingIds)).json()).toMatchObject({
      deletedCount: 1000,
    })
    expect(await listFileIds(ada)).toHaveLength(1)
    expect(await app.deps.db.$count(files, eq(files.ownerId, ada.id))).toBe(1)
  })

  it.each([undefined, null, [], 'x', {}, [1], [null], ['x'.repeat(65)]])(
    'refuses fileIds %j and deletes nothing',
    async (fileIds) => {
      const ada = await makePerson(app)
      const { id } = await makeFile(ada)
      const requestedIds = Array.isArray(fileIds) && fileIds.length > 0 ? [id, ...fileIds] : fileIds
      const response = await requestDeletion(ada, requestedIds)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ code: 'INVALID_INPUT' })
      expect(await listFileIds(ada)).toEqual([id])
    },
  )

  it('doesn\'t treat "bulk" or "expired" as a file id', async () => {
    const ada = await makePerson(app)
    for (const path of ['/api/files/bulk', '/api/files/expired/bulk']) {
      expect((await ada.fetch(path)).status).toBe(405)
    }
    expect((await ada.fetch('/api/files/bulk', { method: 'DELETE' })).status).toBe(400)
    expect((await clearExpired(ada)).status).toBe(200)
    expect((await ada.fetch('/api/files/expired', { method: 'DELETE' })).status).toBe(404)
  })

  it("leaves bytes that can't be removed yet to a later purge", async () => {
    const ada = await makePerson(app)
    const file = await makeFile(ada)
    const key = await keyOf(file.id)
    const stores = createStores({ ...app.storage, remove: () => Promise.reject(new Error('EIO')) })
    const result = await deleteFiles({ ...app.deps, stores }, ada.id, [file.id])
    expect(result).toEqual({ deletedCount: 1, notFound: [] })
    expect((await requestDownload(app, file.shortCode)).status).toBe(404)
    expect(await expireFiles({ ...app.deps, stores })).toEqual({ purged: 0, failed: 1 })
    expect(await app.storage.storedSize(key)).toBe(1000)
    app.clock.advance(10 * 60_000)
    expect(await expireFiles(app.deps)).toEqual({ purged: 1, failed: 0 })
    expect(await app.storage.storedSize(key)).toBeNull()
  })
})

describe('every statement that locks several files', () => {
  it('locks them in id order to prevent deadlocks', async () => {
    const ada = await makePerson(app)
    const [firstFile, secondFile] = [await makeFile(ada), await makeFile(ada)]
    await updateFiles(app.deps.db, eq(files.id, secondFile.id), { expiresAt: app.clock() })
    const plans = await queryPlansOf(app.pool, async () => {
      await requestDeletion(ada, [firstFile.id])
      await clearExpired(ada)
      await expireFiles(app.deps)
    })
    const lockingPlans = plans.filter((plan) => /for update(?!.*skip locked)/.test(plan))
    // Deleting files and clearing history each lock links once, and files twice: to mark them as
    // deleted, and to record that their bytes are gone.
    expect(lockingPlans).toHaveLength(6)
    for (const plan of lockingPlans)
      expect(plan).toMatch(/order by "(files|links)"."id" for update/)
  })
})

describe('DELETE /api/files/expired/bulk', () => {
  it("clears a free user's history, but not active files or another user's files", async () => {
    const [ada, bob] = [await makePerson(app), await makePerson(app)]
    const [expiredFile, purgedFile, bobFile] = [
      await makeFile(ada),
      await makeFile(ada),
      await makeFile(bob),
    ]
    await (await requestDownload(app, purgedFile.shortCode)).arrayBuffer()
    app.clock.advance(3 * day - 1)
    const recentFile = await makeFile(ada)
    app.clock.advance(1)
    await expireFiles(app.deps)
    // This file has expired too, but hasn't been purged yet.
    const unpurgedFile = await makeFile(ada)
    await updateFiles(app.deps.db, eq(files.id, unpurgedFile.id), { expiresAt: app.clock() })
    const key = await keyOf(unpurgedFile.id)
    const response = await clearExpired(ada)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ message: '3 files deleted', deletedCount: 3 })
    expect(await listFileIds(ada)).toEqual([recentFile.id])
    expect(await listFileIds(bob)).toEqual([bobFile.id])
    expect((await requestDownload(app, recentFile.shortCode)).status).toBe(200)

    expect(await app.storage.storedSize(key)).toBeNull()
    const isCleared = inArray(files.id, [expiredFile.id, purgedFile.id, unpurgedFile.id])
    expect(await app.deps.db.$count(files, isCleared)).toBe(0)
    expect(await app.deps.db.$count(fileDownloads, eq(fileDownloads.fileId, purgedFile.id))).toBe(0)
    expect(await expireFiles(app.deps)).toEqual({ purged: 0, failed: 0 })
    expect(await json(await clearExpired(ada))).toEqual({
      message: '0 files deleted',
      deletedCount: 0,
    })
  })

  it('removes the bytes of a thousand files, and leaves the rest to the next purge', async () => {
    const ada = await makePerson(app)
    await insertFiles(app, ada.id, 1001)
    app.clock.advance(3 * day)
    const clearResponse = await clearExpired(await signInAgain(app, ada))
    expect(await json(clearResponse)).toMatchObject({ deletedCount: 1001 })
    expect(await app.deps.db.$count(files, eq(files.ownerId, ada.id))).toBe(1)
    await expireFiles(app.deps)
    expect(await app.deps.db.$count(files, eq(files.ownerId, ada.id))).toBe(0)
  })

  it("keeps a premium user's renewable files until the last millisecond", async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const file = await makeFile(person)
    app.clock.set(new Date(Date.parse(file.maxLifetimeAt) - 1))
    const ada = await signInAgain(app, person)
    expect(await json(await clearExpired(ada))).toMatchObject({ deletedCount: 0 })
    app.clock.advance(1)
    expect(await json(await clearExpired(ada))).toMatchObject({ deletedCount: 1 })
    expect(await listFileIds(ada)).toEqual([])
  })
})

describe('a download in progress', () => {
  const size = 16 * 1024 * 1024

  it.each<[string, (person: Person, id: string) => Promise<Response>]>([
    ['deletes the file', (person, id) => person.fetch(`/api/files/${id}`, { method: 'DELETE' })],
    ['renews the link', (person, id) => requestRenewal(person, id)],
  ])('completes when the owner %s, while new downloads get 404', async (_, endLink) => {
    const ada = await makePerson(app, { tier: 'premium' })
    const file = await makeFile(ada, { bytes: new Uint8Array(size).fill(7) })
    const key = await keyOf(file.id)
    const reader = (await requestDownload(app, file.shortCode)).body?.getReader()
    const firstChunk = await reader?.read()
    // More bytes remain than the buffers between server and client can hold.
    expect(firstChunk?.value?.length).toBeLessThan(size / 4)

    const endResponse = await endLink(ada, file.id)
    expect(endResponse.status).toBe(200)
    expect((await requestDownload(app, file.shortCode)).status).toBe(404)
    await expireFiles(app.deps)
    const isRemoved = (await app.storage.storedSize(key)) === null
    expect(isRemoved).toBe((await listFileIds(ada)).length === 0)
    let receivedBytes = firstChunk?.value?.length ?? 0
    for (let chunk = await reader?.read(); chunk?.value; chunk = await reader?.read()) {
      expect(Buffer.alloc(chunk.value.length, 7).equals(chunk.value)).toBe(true)
      receivedBytes += chunk.value.length
    }
    expect(receivedBytes).toBe(size)
  })
})

describe('DELETE /api/files/{id}', () => {
  it('ends the link and removes the bytes and the row', async () => {
    const ada = await makePerson(app)
    const file = await makeFile(ada)
    const key = await keyOf(file.id)
    const response = await ada.fetch(`/api/files/${file.id}`, { method: 'DELETE' })
    expect(response.status).toBe(200)
    expect((await requestDownload(app, file.shortCode)).status).toBe(404)
    expect(await app.storage.storedSize(key)).toBeNull()
    expect(await json(await ada.fetch('/api/files'))).toEqual([])
    expect((await ada.fetch(`/api/files/${file.id}`, { method: 'DELETE' })).status).toBe(404)
  })

  it("answers 404 for another user's file and leaves it unchanged", async () => {
    const [ada, bob] = [await makePerson(app), await makePerson(app)]
    const file = await makeFile(ada)
    const response = await bob.fetch(`/api/files/${file.id}`, { method: 'DELETE' })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: 'FILE_NOT_FOUND' })
    expect((await requestDownload(app, file.shortCode)).status).toBe(200)
  })

  it.each(['1', 'x', '%00', "1' or '1'='1", randomUUID(), 'x'.repeat(60)])(
    'answers 404 for the id %j',
    async (id) => {
      const ada = await makePerson(app)
      const response = await ada.fetch(`/api/files/${encodeURIComponent(id)}`, { method: 'DELETE' })
      expect(response.status).toBe(404)
    },
  )

  it('deletes the file once when called in parallel', async () => {
    const ada = await makePerson(app)
    const file = await makeFile(ada)
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => ada.fetch(`/api/files/${file.id}`, { method: 'DELETE' })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404])
  })

  it("ends the link and leaves bytes that can't be removed yet to a later purge", async () => {
    const ada = await makePerson(app)
    const file = await makeFile(ada)
    const key = await keyOf(file.id)
    const stores = createStores({ ...app.storage, remove: () => Promise.reject(new Error('EIO')) })
    await deleteFiles({ ...app.deps, stores }, ada.id, [file.id])
    expect((await requestDownload(app, file.shortCode)).status).toBe(404)
    expect(await json(await ada.fetch('/api/files'))).toEqual([])
    expect(await app.storage.storedSize(key)).toBe(1000)

    app.clock.advance(10 * 60_000)
    await expireFiles(app.deps)
    expect(await app.storage.storedSize(key)).toBeNull()
    const rows = await app.deps.db.select().from(files).where(eq(files.id, file.id))
    expect(rows).toEqual([])
  })

  it("doesn't call storage when the bytes are already gone", async () => {
    const ada = await makePerson(app)
    const { id } = await makeFile(ada)
    app.clock.advance(3 * day)
    await expireFiles(app.deps)
    let removeCallCount = 0
    const remove = async () => {
      removeCallCount += 1
    }
    const stores = createStores({ ...app.storage, remove })
    await deleteFiles({ ...app.deps, stores }, ada.id, [id])
    expect(removeCallCount).toBe(0)
    expect(await app.deps.db.select().from(files).where(eq(files.id, id))).toEqual([])
  })
})
