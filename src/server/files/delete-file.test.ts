import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, makeFile, makePerson } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { askForDownload } from '../../../tests/support/upload-requests.ts'
import { files } from '../db/schema.ts'
import { createStores } from '../storage/stores.ts'
import { deleteFile } from './delete-file.ts'
import { expireFiles } from './expire-files.ts'

const day = 24 * 60 * 60_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

async function storageKeyOf(id: string) {
  const [row] = await app.deps.db.select().from(files).where(eq(files.id, id))
  if (!row) throw new Error('no such file')
  return row.storageKey
}

describe('DELETE /api/files/{id}', () => {
  it('ends the link and removes the bytes and the row', async () => {
    const ada = await makePerson(app)
    const file = await makeFile(ada)
    const key = await storageKeyOf(file.id)
    const response = await ada.fetch(`/api/files/${file.id}`, { method: 'DELETE' })
    expect(response.status).toBe(200)
    expect((await askForDownload(app, file.shortCode)).status).toBe(404)
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
    expect((await askForDownload(app, file.shortCode)).status).toBe(200)
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
    expect((await askForDownload(app, file.shortCode)).status).toBe(404)
    expect(await json(await ada.fetch('/api/files'))).toEqual([])
    expect(await app.storage.storedSize(key)).toBe(1000)

    app.clock.advance(10 * 60_000)
    await expireFiles(app.deps)
    expect(await app.storage.storedSize(key)).toBeNull()
    const rows = await app.deps.db.select().from(files).where(eq(files.id, file.id))
    expect(rows).toEqual([])
  })

  it('asks nothing of the storage where the bytes are gone', async () => {
    const ada = await makePerson(app)
    const { id } = await makeFile(ada)
    app.clock.advance(3 * day)
    await expireFiles(app.deps)
    let asked = 0
    const remove = async () => {
      asked += 1
    }
    const stores = createStores({ ...app.storage, remove })
    await deleteFile({ ...app.deps, stores }, ada.id, id, app.deps.log)
    expect(asked).toBe(0)
    expect(await app.deps.db.select().from(files).where(eq(files.id, id))).toEqual([])
  })
})
