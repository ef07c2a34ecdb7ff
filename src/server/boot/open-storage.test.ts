import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { makeFile, makePerson } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { testSpace } from '../../../tests/support/test-space.ts'
import { files, settings } from '../db/schema.ts'
import { type DiskStorage, openDiskStorage } from '../storage/disk/disk.ts'
import { newStorageKey } from '../storage/storage-key.ts'
import { createStores } from '../storage/stores.ts'
import { bindStores } from './open-storage.ts'

let app: TestApp
let folder: string
let storage: DiskStorage
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

async function openStore() {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-bind-'))
  const { clock, log } = app.deps
  const { appUrl } = app.deps.config
  const uploads = { touch: async () => true }
  storage = await openDiskStorage({
    dataDir: folder,
    appUrl,
    secret: 's',
    clock,
    log,
    uploads,
    clientAddress: () => '127.0.0.1',
    shedLoad() {},
    space: testSpace(),
  })
}
afterEach(async () => {
  await storage.close()
  await rm(folder, { recursive: true })
  await app.deps.db.delete(settings)
})

function bind() {
  return bindStores({ ...app.deps, stores: createStores(storage) })
}

describe('bindStorage', () => {
  it('claims an empty store for a new database once', async () => {
    await openStore()
    await bind()
    const installationId = await storage.installation()
    expect(installationId).toMatch(/^[0-9a-f-]{36}$/)
    await writeFile(join(folder, 'uploads', newStorageKey()), 'bytes')
    await bind()
    expect(await storage.installation()).toBe(installationId)
  })

  it('rejects a store claimed by another database', async () => {
    await openStore()
    await bind()
    await app.deps.db.delete(settings)
    await expect(bind()).rejects.toThrow('belong to another database')
  })

  it('rejects an unclaimed store with objects', async () => {
    await openStore()
    await writeFile(join(folder, 'uploads', newStorageKey()), 'bytes')
    await expect(bind()).rejects.toThrow('belong to another database')
  })

  it('rejects an empty store for a database with files', async () => {
    await openStore()
    await makeFile(await makePerson(app))
    await expect(bind()).rejects.toThrow('are not in this storage')
    expect(await storage.installation()).toBeNull()
  })

  it("warns about files in a store that isn't configured", async () => {
    await openStore()
    const { id } = await makeFile(await makePerson(app))
    await app.deps.db.update(files).set({ storage: 's3' }).where(eq(files.id, id))
    await app.deps.db.update(files).set({ purgedAt: new Date() }).where(eq(files.storage, 'disk'))
    await bind()
    expect(app.logLines.map(({ msg }) => msg).join()).toContain('are in storage (s3)')
  })
})
