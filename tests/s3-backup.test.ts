import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { verifyBackup } from '../src/server/backup/backup-folder.ts'
import { makeBackup } from '../src/server/backup/make-backup.ts'
import { restoreBackup } from '../src/server/backup/restore-backup.ts'
import { openDatabase } from '../src/server/db/open.ts'
import type { Database } from '../src/server/db/pool.ts'
import { files, links, uploads, users } from '../src/server/db/schema.ts'
import { readInstallation } from '../src/server/settings/queries.ts'
import { openSealedFiles } from '../src/server/storage/disk/sealed-files.ts'
import { openS3Storage } from '../src/server/storage/s3/s3.ts'
import type { SealedObjects } from '../src/server/storage/storage.ts'
import { newStorageKey } from '../src/server/storage/storage-key.ts'
import { countStoredBytes } from './support/bucket.ts'
import { findWrongTotals } from './support/link-totals.ts'
import { sha256 } from './support/make.ts'
import { freshDatabase } from './support/postgres.ts'
import { countOpenUploads, describeOnS3, makeBucket } from './support/s3.ts'

const log = pino({ level: 'silent' })
const appUrl = new URL('http://127.0.0.1:3000')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-s3-backup-'))
})
afterAll(() => rm(folder, { recursive: true }))

function clock(): Date {
  return new Date()
}

/** Adds files to a database and its disk store. Returns their bytes by storage key. */
async function fillInstallation(
  { db }: Database,
  dataDir: string,
  fileCount: number,
): Promise<Map<string, Buffer<ArrayBuffer>>> {
  const now = clock()
  const expiryDate = new Date(now.getTime() + 24 * 3_600_000)
  const ownerId = randomUUID()
  const user = { id: ownerId, name: 'Ada', email: 'ada@example.org' }
  await db.insert(users).values({ ...user, createdAt: now, updatedAt: now })
  const sealedFiles = await openSealedFiles(dataDir)
  await sealedFiles.claim(await readInstallation(db, now))
  const insertLink = async (shortCode: string, totalSize: number) => {
    const dates = { createdAt: now, expiresAt: expiryDate, maxLifetimeAt: expiryDate }
    const totals = { fileCount: 1, pendingCount: 0, firstName: 'a\tb.txt' }
    const days = { expirationDays: 1, maxLifetimeDays: 1 }
    const [link] = await db
      .insert(links)
      .values({ ownerId, shortCode, ...days, ...dates, ...totals, totalSize })
      .returning()
    return link?.id ?? ''
  }
  // The first file is so large that the bucket needs several parts for it.
  const sizes = [
    20 * 1024 * 1024 + 1,
    0,
    ...Array.from({ length: fileCount }, (_, index) => index + 1),
  ]
  const bytesByKey = new Map(sizes.map((size) => [newStorageKey(), randomBytes(size)]))
  for (const [storageKey, bytes] of bytesByKey) {
    await sealedFiles.write(storageKey, bytes.length, Readable.from([bytes]))
    const shortCode = storageKey.slice(0, 10)
    const linkId = await insertLink(shortCode, bytes.length)
    const columns = { ownerId, storage: 'disk', storageKey, linkId, size: bytes.length } as const
    const dates = { position: 0, createdAt: now, purgeAt: expiryDate }
    const text = { originalName: 'a\tb.txt', mimeType: 'text/plain', sha256: sha256(bytes) }
    await db.insert(files).values({ ...columns, ...dates, ...text, isContentProved: true })
  }
  const upload = { ownerId, storage: 'disk', storageKey: newStorageKey(), size: 1 } as const
  const linkId = await insertLink('uploading', 1)
  const uploadDetails = { originalName: 'b', mimeType: 'text/plain', linkId, position: 0 }
  await db
    .insert(uploads)
    .values({ ...upload, ...uploadDetails, createdAt: now, lastActivityAt: now })
  await sealedFiles.close()
  return bytesByKey
}

async function expectBytes(objects: SealedObjects, bytesByKey: Map<string, Buffer>): Promise<void> {
  const listedKeys: string[] = []
  for await (const { key } of objects.list()) {
    listedKeys.push(key)
    const objectBytes = Buffer.concat((await (await objects.read(key))?.toArray()) ?? [])
    expect(sha256(objectBytes)).toBe(sha256(bytesByKey.get(key) ?? Buffer.of()))
  }
  expect(listedKeys).toEqual([...bytesByKey.keys()].toSorted())
}

async function readStores({ db }: Database): Promise<string[]> {
  return (await db.selectDistinct({ storage: files.storage }).from(files)).map((row) => row.storage)
}

describeOnS3('a backup', () => {
  it('moves an installation to a bucket and back, replacing what a killed restore left', async () => {
    const dataDir = join(folder, 'of-disk')
    const [from, to, home] = [await freshDatabase(), await freshDatabase(), await freshDatabase()]
    const databases = [
      await openDatabase({ dataDir, databaseUrl: from.url }, log),
      await openDatabase({ dataDir, databaseUrl: to.url }, log),
      await openDatabase({ dataDir, databaseUrl: home.url }, log),
    ] as const
    const [sourceDatabase, targetDatabase, homeDatabase] = databases
    const bytesByKey = await fillInstallation(sourceDatabase, dataDir, 3)
    const bucket = await makeBucket()
    const bucketObjects = openS3Storage({ settings: bucket.settings, clock })
    const homeDir = join(folder, 'home')
    const homeObjects = await openSealedFiles(homeDir)
    const config = { appUrl, dataDir, s3: null, authSecret: null, databaseUrl: from.url }
    const bucketConfig = { ...config, s3: bucket.settings, databaseUrl: to.url }
    const homeConfig = { ...config, dataDir: homeDir, databaseUrl: home.url }
    const backUp = async (name: string, source: typeof config | typeof bucketConfig) => {
      const backupDir = join(folder, name)
      const result = await makeBackup(backupDir, { config: source, clock, log, extraRowSets: [] })
      expect(result).toMatchObject({ objects: bytesByKey.size, damagedFileIds: [] })
      return verifyBackup(backupDir)
    }
    try {
      const outbound = await backUp('out', config)
      // Leave an open upload and an object with the wrong bytes in the bucket.
      const [key = ''] = bytesByKey.keys()
      const changedObject = { Bucket: bucket.settings.bucket, Key: `files/${key}` }
      const installation = await readInstallation(sourceDatabase.db, clock())
      await bucketObjects.claim(installation)
      await bucket.client.send(new PutObjectCommand({ ...changedObject, Body: 'x' }))
      await bucketObjects.signUpload({ key, size: 1, mimeType: 'text/plain', expiresAt: clock() })
      const { pool } = targetDatabase
      await restoreBackup(outbound, { extraRowSets: [], config: bucketConfig, clock, pool })
      await expectBytes(bucketObjects, bytesByKey)
      expect(await countOpenUploads(bucket, key)).toBe(0)
      expect(await countStoredBytes(bucket)).toBe(totalSize(bytesByKey))
      expect(await readStores(targetDatabase)).toEqual(['s3'])
      expect(await targetDatabase.db.$count(uploads)).toBe(0)
      expect(await targetDatabase.db.$count(links)).toBe(bytesByKey.size)
      expect(await findWrongTotals(pool)).toEqual([])

      const inbound = await backUp('back', bucketConfig)
      await homeObjects.claim(installation)
      await homeObjects.write(key, 1, Readable.from([Buffer.from('x')]))
      const restoring = { extraRowSets: [], config: homeConfig, clock, pool: homeDatabase.pool }
      await restoreBackup(inbound, restoring)
      await expectBytes(homeObjects, bytesByKey)
      expect(await readStores(homeDatabase)).toEqual(['disk'])
      expect(await homeDatabase.db.$count(files)).toBe(bytesByKey.size)
      const [user] = await homeDatabase.db.select({ name: users.name }).from(users)
      expect(user).toEqual({ name: 'Ada' })
    } finally {
      for (const resource of [...databases, bucketObjects, homeObjects]) await resource.close()
      for (const { drop } of [from, to, home]) await drop()
    }
  })
})

function totalSize(bytesByKey: Map<string, Buffer>): number {
  return [...bytesByKey.values()].reduce((sum, { length }) => sum + length, 0)
}
