import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveApp, type TestApp } from './support/app-server.ts'
import { describeOnSmallDisk } from './support/machine-needs.ts'
import { makePerson, putBytes, startUpload } from './support/make.ts'
import { freshDatabase } from './support/postgres.ts'
import type { TestDatabase } from './support/postgres-server.ts'
import { mountSmallDisk, type SmallDisk } from './support/small-disk.ts'
import { expectRefusal } from './support/upload-requests.ts'

const mebibyte = 1024 ** 2
const floor = 16 * mebibyte
const size = 10 * mebibyte

describeOnSmallDisk('two servers on a disk of 32 MiB', () => {
  let disk: SmallDisk
  let database: TestDatabase
  let one: TestApp
  let two: TestApp

  beforeAll(async () => {
    disk = await mountSmallDisk(2 * floor)
    const dataDir = join(disk.folder, 'data')
    await mkdir(dataDir)
    database = await freshDatabase()
    const start = () =>
      serveApp(
        { ...database, drop: async () => {} },
        { dataDir, isOneOfSeveral: true, env: { MIN_FREE_SPACE: '16MiB' } },
      )
    one = await start()
    two = await start()
  })
  afterAll(async () => {
    await one?.close()
    await two?.close()
    await database?.drop()
    await disk?.close()
  })

  test('promise the same room, and the second leaves the floor free once it has read what the first took', async () => {
    const ada = await makePerson(one)
    const bob = await makePerson(two)
    const [atOne, atTwo] = [await startUpload(ada, { size }), await startUpload(bob, { size })]
    expect((await putBytes(atOne, new Uint8Array(size))).status).toBe(200)
    // The second server reads the free space twice a second by itself, and also for its figures.
    await two.deps.space.figures()
    await expectRefusal(await putBytes(atTwo, new Uint8Array(size)), 507, 'STORAGE_FULL')
    // Small files that the servers write beside the uploads may take some KiB of the floor. Without
    // the refusal, 4 MiB of it would be taken.
    expect(await disk.free()).toBeGreaterThan(floor - mebibyte)
  })
})
