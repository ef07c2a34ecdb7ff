import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { newFile, requestLink } from '../../../tests/support/link-requests.ts'
import {
  json,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  putBytes,
  type StartedUpload,
  startUpload,
} from '../../../tests/support/make.ts'
import { chooseRounds } from '../../../tests/support/rounds.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import {
  abortUpload,
  expectError,
  requestConfirm,
  requestUpload,
} from '../../../tests/support/upload-requests.ts'
import type { CheckResult } from '../../shared/contract/checks.ts'
import { files, settings, uploads } from '../db/schema.ts'
import { expireFiles } from '../files/expire-files.ts'
import { markDeleted } from '../files/queries.ts'
import { sweepUploads } from './end-uploads.ts'
import { sumStored } from './queries.ts'

const kilobyte = 1024
const megabyte = 1024 * kilobyte
const minute = 60_000
const rounds = chooseRounds(3, 100)

let app: TestApp
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
  admin = await makePerson(app, { role: 'admin', tier: 'premium' })
})
afterEach(async () => {
  const { db } = app.deps
  await db.delete(uploads)
  await db.delete(files)
  await db.delete(settings)
  app.deps.settings.clearCache()
})
afterAll(() => app.close())

async function setSetting(key: string, value: unknown) {
  expect((await admin.post('/api/admin/settings', { key, value })).status).toBe(200)
}

function requestKilobytes(person: Person, kilobytes: number): Promise<Response> {
  return requestUpload(person, { fileSize: kilobytes * kilobyte })
}

async function bytesInUse() {
  const storedBytes = await sumStored(app.deps.db)
  return storedBytes.files + storedBytes.uploads
}

describe('the storage cap', () => {
  it('refuses a link with files that do not fit, and names them', async () => {
    await setSetting('storage_cap', '1MB')
    const person = await makePerson(app, { tier: 'premium' })
    const requestFiles = (...sizes: number[]) =>
      requestLink(
        person,
        sizes.map((size) => newFile({ fileSize: size * kilobyte })),
      )
    const rejection = await requestFiles(600, 500, 400, 25)
    expect(rejection.status).toBe(507)
    expect(await json(rejection)).toMatchObject({
      errors: [1, 3].map((index) => ({ index, code: 'STORAGE_CAP_REACHED' })),
    })
    expect((await requestFiles(600, 400)).status).toBe(201)
    expect(await bytesInUse()).toBe(1000 * kilobyte)
  })

  it('accepts uploads up to the cap, and explains the refusal of the next one', async () => {
    await setSetting('storage_cap', '1MB')
    const person = await makePerson(app)
    expect((await requestKilobytes(person, 1024)).status).toBe(200)
    const rejection = await requestUpload(person, { fileSize: 1 })
    expect(rejection.status).toBe(507)
    expect(await json(rejection)).toMatchObject({
      code: 'STORAGE_CAP_REACHED',
      message: 'The file would exceed the storage cap of this server. Please try again later.',
    })
    // The refused upload left no row and no error in the log.
    expect(await app.deps.db.$count(uploads)).toBe(1)
    expect(app.logLines.filter(({ level }) => level >= 50)).toEqual([])
  })

  it('counts files and open uploads of all accounts until they are removed', async () => {
    await setSetting('storage_cap', '1MB')
    const [ada, bob] = [await makePerson(app), await makePerson(app)]
    const file = await makeFile(ada, { bytes: new Uint8Array(600 * kilobyte) })
    const upload = await startUpload(bob, { size: 300 * kilobyte })
    await expectError(await requestKilobytes(ada, 200), 507, 'STORAGE_CAP_REACHED')
    await abortUpload(bob, upload.cloudKey)
    const nextResponse = await requestKilobytes(ada, 200)
    expect(nextResponse.status).toBe(200)

    await markDeleted(app.deps.db, ada.id, [file.id], app.clock())
    await expectError(await requestKilobytes(bob, 600), 507, 'STORAGE_CAP_REACHED')
    // Deleted files count until storage has removed their bytes.
    await expireFiles(app.deps)
    expect((await requestKilobytes(bob, 600)).status).toBe(200)
    expect(await bytesInUse()).toBe(800 * kilobyte)
  })

  it('lets uploads finish that were started before the cap was lowered', async () => {
    const person = await makePerson(app)
    const bytes = new Uint8Array(2 * megabyte)
    const upload = await startUpload(person, { size: bytes.length })
    await setSetting('storage_cap', '1MB')
    expect((await putBytes(upload, bytes)).status).toBe(200)
    expect((await requestConfirm(person, upload.cloudKey)).status).toBe(200)
    await expectError(await requestKilobytes(person, 1), 507, 'STORAGE_CAP_REACHED')
    await setSetting('storage_cap', 'unlimited')
    expect((await requestKilobytes(person, 1)).status).toBe(200)
  })

  it('keeps idle uploads for only 15 minutes once it is 80 % full', async () => {
    await setSetting('storage_cap', '1MB')
    const [ada, bob] = [await makePerson(app), await makePerson(app)]
    const upload = await startUpload(ada, { size: 800 * kilobyte })
    app.clock.advance(16 * minute)
    await sweepUploads(app.deps)
    await expectError(await requestKilobytes(bob, 400), 507, 'STORAGE_CAP_REACHED')
    const { cloudKey } = await startUpload(bob, { size: 100 * kilobyte })
    await sweepUploads(app.deps)
    await expectError(await requestConfirm(ada, upload.cloudKey), 404, 'UPLOAD_NOT_FOUND')
    expect((await abortUpload(bob, cloudKey)).status).toBe(200)
    expect((await requestKilobytes(bob, 400)).status).toBe(200)
  })

  it('is not exceeded by parallel uploads, and all uploads that fit are accepted', async () => {
    await setSetting('storage_cap', '1MB')
    const people = await Promise.all(
      (['premium', 'premium', 'premium', 'free'] as const).map((tier) => makePerson(app, { tier })),
    )
    const [first] = people as [Person, ...Person[]]
    for (let round = 0; round < rounds; round += 1) {
      // The cap is 1024 kB, with 600 kB in use. In some rounds, this first upload is confirmed
      // while other uploads start.
      const existingUpload = await startUpload(first, { size: 600 * kilobyte })
      const isConfirmed = round % 10 === 0
      if (isConfirmed) await putBytes(existingUpload, new Uint8Array(600 * kilobyte))
      const requests = Array.from({ length: 6 }, (_, index) =>
        requestKilobytes(people[index % 4] as Person, 200),
      )
      const confirmations = isConfirmed ? [requestConfirm(first, existingUpload.cloudKey)] : []
      const responses = await Promise.all(requests)
      expect(responses.map(({ status }) => status).sort()).toEqual([
        200,
        200,
        ...Array(4).fill(507),
      ])
      for (const response of await Promise.all(confirmations)) expect(response.status).toBe(200)
      expect(await bytesInUse()).toBe(1000 * kilobyte)
      await app.deps.db.delete(uploads)
      if (isConfirmed) await app.deps.db.delete(files)
    }
  })

  it('is not exceeded by uploads of mixed sizes', async () => {
    await setSetting('storage_cap', '1MB')
    const person = await makePerson(app, { tier: 'premium' })
    for (let round = 0; round < 3; round += 1) {
      const sizes = Array.from({ length: 8 }, (_, index) => 1 + ((round * 7 + index * 131) % 400))
      await Promise.all(sizes.map((size) => requestKilobytes(person, size)))
      const usedBytes = await bytesInUse()
      expect(usedBytes).toBeGreaterThan(0)
      expect(usedBytes).toBeLessThanOrEqual(megabyte)
      await app.deps.db.delete(uploads)
    }
  })
})

describe('the minimum free space', () => {
  it('refuses uploads that would leave less', async () => {
    const person = await makePerson(app)
    await setSetting('free_space', '1000000GB')
    await expectError(await requestKilobytes(person, 1), 507, 'STORAGE_FULL')
    await setSetting('free_space', '0')
    expect((await requestKilobytes(person, 1)).status).toBe(200)
  })
})

describe('the admin checks', () => {
  it('show the configured minimum free space', async () => {
    await setSetting('free_space', '1000000GB')
    app.clock.advance(5000)
    const lines = await json<CheckResult[]>(await admin.fetch('/api/admin/checks'))
    expect(lines.find(({ name }) => name === 'Free space')).toMatchObject({
      status: 'failing',
      message: expect.stringContaining(
        '1000000GB must stay free, more than the whole disk has: uploads are refused.',
      ),
    })
  })
})

describe('GET /api/admin/limits', () => {
  it('returns the current settings, the usage and the free space', async () => {
    const person = await makePerson(app)
    await makeFile(person, { bytes: new Uint8Array(70) })
    const openUpload: StartedUpload = await startUpload(person, { size: 30 })
    await setSetting('storage_cap', '2GB')
    await setSetting('free_space', '3GB')
    await setSetting('free_max_files', 9)
    const response = await json(await admin.fetch('/api/admin/limits'))
    expect(response).toMatchObject({
      values: {
        free_max_files: '9',
        premium_max_files: 'unlimited',
        premium_expiration_days: '3,5,7',
        storage_cap: String(2 * 1024 * megabyte),
        free_space: String(3 * 1024 * megabyte),
      },
      stored: { files: 70, uploads: 30 },
      disk: {
        free: expect.any(Number),
        size: expect.any(Number),
        leastFree: 3 * 1024 * megabyte,
        minFree: 0,
        use: { files: 70, database: 0, reserve: 0 },
      },
    })
    expect(response).not.toHaveProperty('values.email_signature')
    await abortUpload(person, openUpload.cloudKey)
  })

  it('returns the disk usage of each part of DATA_DIR', async () => {
    const { dataDir } = app.deps.config
    const readDiskUse = async () => {
      const { disk } = await json<{ disk: { use: Record<string, number> } }>(
        await admin.fetch('/api/admin/limits'),
      )
      return disk.use
    }
    const diskUseBefore = await readDiskUse()
    const person = await makePerson(app)
    const upload = await startUpload(person, { size: megabyte })
    await putBytes(upload, new Uint8Array(megabyte).fill(1))
    const addedFiles = {
      'postgres/base/1': 'database',
      'postgres.log': 'database',
      reserve: 'reserve',
      'outbox/a.eml': 'other',
    }
    await mkdir(join(dataDir, 'postgres/base'), { recursive: true })
    await mkdir(join(dataDir, 'outbox'), { recursive: true })
    for (const name of Object.keys(addedFiles)) {
      await writeFile(join(dataDir, name), new Uint8Array(megabyte).fill(1))
    }
    const diskUseAfter = await readDiskUse()
    for (const name of Object.keys(addedFiles)) await rm(join(dataDir, name))
    const growthInMegabytes = (part: string) =>
      Math.floor(((diskUseAfter[part] ?? 0) - (diskUseBefore[part] ?? 0)) / megabyte)
    expect(['uploads', 'database', 'reserve', 'other', 'files'].map(growthInMegabytes)).toEqual([
      1, 2, 1, 1, 0,
    ])
    await requestConfirm(person, upload.cloudKey)
    expect(await readDiskUse()).toMatchObject({ files: megabyte, uploads: diskUseBefore.uploads })
  })

  it("reflects another server's change at once", async () => {
    const value = async () => {
      const response = await json<{ values: object }>(await admin.fetch('/api/admin/limits'))
      return response.values
    }
    expect(await value()).toMatchObject({ premium_max_files: 'unlimited' })
    await app.deps.db
      .insert(settings)
      .values({ key: 'premium_max_files', value: '6', updatedAt: app.clock() })
    expect(await value()).toMatchObject({ premium_max_files: '6' })
  })

  it('is only for administrators', async () => {
    const user = await makePerson(app, { tier: 'premium' })
    expect((await user.fetch('/api/admin/limits')).status).toBe(403)
    expect((await makeClient(app).fetch('/api/admin/limits')).status).toBe(401)
  })
})
