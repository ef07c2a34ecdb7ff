import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeBackup } from '../src/server/backup/make-backup.ts'
import { move } from '../src/server/backup/move.ts'
import { restoreBackup } from '../src/server/backup/restore-backup.ts'
import { type Database, openDatabase } from '../src/server/db/open.ts'
import { files, uploads, users } from '../src/server/db/schema.ts'
import { readInstallation } from '../src/server/settings/queries.ts'
import { openSealedFiles } from '../src/server/storage/disk/sealed-files.ts'
import { openS3Storage } from '../src/server/storage/s3/s3.ts'
import type { SealedObjects } from '../src/server/storage/sealed-objects.ts'
import { newStorageKey } from '../src/server/storage/storage-key.ts'
import { bytesIn } from './support/bucket.ts'
import { prepareDataFolder } from './support/data-folder.ts'
import { eventually } from './support/eventually.ts'
import { runKilled } from './support/killed-script.ts'
import { sha256 } from './support/make.ts'
import { emptyDatabase, freshDatabase } from './support/postgres.ts'
import { isLongRun } from './support/rounds.ts'
import { describeOnS3, makeBucket, openUploadsOf, type TestBucket } from './support/s3.ts'

const log = pino({ level: 'silent' })
const root = resolve(import.meta.dirname, '..')
const appUrl = new URL('http://127.0.0.1:3000')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-s3-move-'))
})
afterAll(() => rm(folder, { recursive: true }))

function clock(): Date {
  return new Date()
}

/** Fills a database and its disk store with an account and files. Returns the bytes by key. */
async function fill(
  { db }: Database,
  dataDir: string,
  count: number,
): Promise<Map<string, Buffer<ArrayBuffer>>> {
  const now = clock()
  const end = new Date(now.getTime() + 24 * 3_600_000)
  const ownerId = randomUUID()
  const user = { id: ownerId, name: 'Ada', email: 'ada@example.org' }
  await db.insert(users).values({ ...user, createdAt: now, updatedAt: now })
  const disk = await openSealedFiles(dataDir)
  await disk.claim(await readInstallation(db, now))
  // The large one is written to the bucket in several parts.
  const sizes = [20 * 1024 * 1024 + 1, 0, ...Array.from({ length: count }, (_, at) => at + 1)]
  const stored = new Map(sizes.map((size) => [newStorageKey(), randomBytes(size)]))
  for (const [storageKey, bytes] of stored) {
    await disk.write(storageKey, bytes.length, Readable.from([bytes]))
    const shortCode = storageKey.slice(0, 10)
    const facts = { ownerId, storage: 'disk', storageKey, shortCode, size: bytes.length } as const
    const dates = { createdAt: now, expiresAt: end, maxLifetimeAt: end }
    const text = { originalName: 'a\tb.txt', mimeType: 'text/plain', sha256: sha256(bytes) }
    await db.insert(files).values({ ...facts, ...dates, ...text, isContentProved: true })
  }
  const upload = { ownerId, storage: 'disk', storageKey: newStorageKey(), size: 1 } as const
  const begun = { originalName: 'b', mimeType: 'text/plain', expirationDays: 1 }
  await db.insert(uploads).values({ ...upload, ...begun, createdAt: now, lastActivityAt: now })
  await disk.close()
  return stored
}

async function expectBytes(objects: SealedObjects, stored: Map<string, Buffer>): Promise<void> {
  const listed: string[] = []
  for await (const { key } of objects.list()) {
    listed.push(key)
    const found = Buffer.concat((await (await objects.read(key))?.toArray()) ?? [])
    expect(sha256(found)).toBe(sha256(stored.get(key) ?? Buffer.of()))
  }
  expect(listed).toEqual([...stored.keys()].toSorted())
}

async function storesNamedIn({ db }: Database): Promise<string[]> {
  return (await db.selectDistinct({ storage: files.storage }).from(files)).map((row) => row.storage)
}

async function objectsIn({ client, settings: { bucket: Bucket } }: TestBucket): Promise<number> {
  return (await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'files/' }))).KeyCount ?? 0
}

async function namesIn({ db }: Database): Promise<string[]> {
  return (await db.select({ name: users.name }).from(users)).map(({ name }) => name)
}

/**
 * Kills `move back` while it copies files, and in a long run also before every fifth of its steps.
 * Then lets it complete. Each run finds what the one before it has left, a running Postgres too.
 */
async function moveBackOverKills(env: Record<string, string>): Promise<void> {
  const run = (before: RegExp, count: number) =>
    runKilled(['scripts/move.ts', 'back'], env, { before, count })
  const first = await run(/^rename .*\/files\/..\//, 3)
  expect(first.killedBefore, first.said).toMatch(/^rename/)
  for (let count = isLongRun ? 1 : Number.POSITIVE_INFINITY; ; count += 5) {
    const { killedBefore, said } = await run(/^/, count)
    if (killedBefore !== null) continue
    expect(said).toContain('Everything is copied: ')
    return
  }
}

describeOnS3('a move', () => {
  it('takes everything out of DATA_DIR over a kill, and back over another', async () => {
    const dataDir = join(folder, 'data')
    await prepareDataFolder(dataDir)
    const source = await openDatabase({ dataDir, databaseUrl: null }, log)
    const stored = await fill(source, dataDir, 24)
    await source.close()
    const [bucket, outside] = [await makeBucket(), await emptyDatabase()]
    const start = () =>
      spawn(process.execPath, ['scripts/move.ts', 'out'], {
        cwd: root,
        env: { ...process.env, ...bucket.env, DATA_DIR: dataDir, DATABASE_URL: outside.url },
        stdio: ['ignore', 'ignore', 'inherit'],
      })

    const killed = start()
    const ended = once(killed, 'exit')
    await eventually(async () => expect(await objectsIn(bucket)).toBeGreaterThan(0))
    killed.kill('SIGKILL')
    expect(await ended).toEqual([null, 'SIGKILL'])
    const [code] = await once(start(), 'exit')
    expect(code).toBe(0)

    const config = { appUrl, dataDir, s3: bucket.settings, authSecret: null }
    const target = await openDatabase({ dataDir, databaseUrl: outside.url }, log)
    const old = await openDatabase({ dataDir, databaseUrl: null }, log)
    const objects = openS3Storage({ settings: bucket.settings, clock })
    try {
      await expectBytes(objects, stored)
      expect(await bytesIn(bucket)).toBe(sum(stored))
      expect(await storesNamedIn(target)).toEqual(['s3'])
      // The open upload is not moved, because a disk checks parts in another way than a bucket.
      expect(await target.db.$count(uploads)).toBe(0)

      // Once more, as if the first had been killed before it could say that it was complete.
      const out = {
        direction: 'out',
        config,
        clock,
        from: old.pool,
        to: target.pool,
        more: [],
      } as const
      expect(await move(out)).toMatchObject({ rows: 0, faults: [] })
      expect(await bytesIn(bucket)).toBe(sum(stored))
      // A database that went on since is not taken for the same.
      await old.db.update(users).set({ name: 'Grace' })
      await expect(move(out)).rejects.toThrow(
        'has other rows than the one to copy from (in "users")',
      )
    } finally {
      for (const part of [target, old, objects]) await part.close()
    }

    const homeDir = join(folder, 'home')
    await prepareDataFolder(homeDir)
    await moveBackOverKills({ ...bucket.env, DATA_DIR: homeDir, DATABASE_URL: outside.url })
    const home = await openDatabase({ dataDir: homeDir, databaseUrl: null }, log)
    const disk = await openSealedFiles(homeDir)
    try {
      await expectBytes(disk, stored)
      expect(await storesNamedIn(home)).toEqual(['disk'])
      expect(await namesIn(home)).toEqual(['Ada'])
      expect(await home.db.$count(files)).toBe(stored.size)
    } finally {
      for (const part of [home, disk]) await part.close()
      await outside.drop()
    }
  })

  it('to a bucket can be backed up, and restored into another bucket', async () => {
    const dataDir = join(folder, 'of-bucket')
    const database = await freshDatabase()
    const source = await openDatabase({ dataDir, databaseUrl: database.url }, log)
    const stored = await fill(source, dataDir, 3)
    const [first, second] = [await makeBucket(), await makeBucket()]
    const [home, other] = [await freshDatabase(), await freshDatabase()]
    const inBucket = await openDatabase({ dataDir, databaseUrl: home.url }, log)
    const target = await openDatabase({ dataDir, databaseUrl: other.url }, log)
    const objects = openS3Storage({ settings: second.settings, clock })
    const config = { appUrl, dataDir, s3: first.settings, authSecret: null }
    try {
      const pools = { from: source.pool, to: inBucket.pool }
      await move({ direction: 'out', config, clock, ...pools, more: [] })
      const backup = join(folder, 'backup')
      const options = { config: { ...config, databaseUrl: home.url }, clock, log, more: [] }
      expect(await makeBackup(backup, options)).toMatchObject({ objects: stored.size, faults: [] })

      // A restore that was killed has left an object with other bytes, and an open upload, in the
      // new bucket.
      const [key = ''] = stored.keys()
      const left = { Bucket: second.settings.bucket, Key: `files/${key}` }
      await objects.claim(await readInstallation(inBucket.db, clock()))
      await second.client.send(new PutObjectCommand({ ...left, Body: 'x' }))
      await objects.signUpload({ key, size: 1, mimeType: 'text/plain', until: clock() })
      await restoreBackup(backup, {
        more: [],
        config: { ...config, s3: second.settings },
        clock,
        pool: target.pool,
      })
      await expectBytes(objects, stored)
      expect(await openUploadsOf(second, key)).toBe(0)
    } finally {
      for (const part of [source, inBucket, target, objects]) await part.close()
      for (const { drop } of [database, home, other]) await drop()
    }
  })
})

function sum(stored: Map<string, Buffer>): number {
  return [...stored.values()].reduce((total, { length }) => total + length, 0)
}
