import { execFile } from 'node:child_process'
import {
  appendFile,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eq, isNotNull } from 'drizzle-orm'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { serveApp } from '../../../tests/support/app-server.ts'
import { findWrongTotals } from '../../../tests/support/link-totals.ts'
import {
  logIn,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  requestDeletion,
  sha256,
  startUpload,
} from '../../../tests/support/make.ts'
import { freshDatabase } from '../../../tests/support/postgres.ts'
import type { TestDatabase } from '../../../tests/support/postgres-server.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { expectError, requestConfirm } from '../../../tests/support/upload-requests.ts'
import { dayInMs } from '../../shared/rules/format/units.ts'
import { bindStores } from '../boot/open-storage.ts'
import { openDatabase } from '../db/open.ts'
import { inSnapshot } from '../db/row-copies.ts'
import { files } from '../db/schema.ts'
import { StartupError } from '../errors.ts'
import { expireFiles } from '../files/expire-files.ts'
import { compareStorage } from '../jobs/compare-storage.ts'
import { openSealedFiles } from '../storage/disk/sealed-files.ts'
import { type Manifest, verifyBackup } from './backup-folder.ts'
import { findLastBackup } from './last-backup.ts'
import { makeBackup } from './make-backup.ts'
import { restoreBackup } from './restore-backup.ts'

const log = pino({ level: 'silent' })

let folder: string
let backupFolder: string
let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startTestApp()
  // A real server does this at startup.
  await bindStores(app.deps)
})
afterAll(() => app.close())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-backup-'))
  backupFolder = join(folder, 'backup')
  await app.pool.query('truncate users cascade')
  await app.pool.query("delete from settings where key = 'last_backup'")
  ada = await makePerson(app, { tier: 'premium' })
})
afterEach(() => rm(folder, { recursive: true }))

/**
 * Backs up the running server.
 * @param onRead is called before each object is read from storage.
 */
function backUp(onRead: (key: string) => Promise<unknown> = async () => {}) {
  const { config } = app.deps
  return makeBackup(backupFolder, {
    config,
    clock: app.clock,
    log,
    extraRowSets: [],
    open: async () => {
      const objects = await openSealedFiles(config.dataDir)
      return {
        ...objects,
        async read(key) {
          await onRead(key)
          return objects.read(key)
        },
      }
    },
  })
}

/**
 * Restores the backup into a database and a data folder (a new one by default). Returns the data
 * folder's path.
 */
async function restore(target: TestDatabase, existingDataDir?: string): Promise<string> {
  const dataDir = existingDataDir ?? (await mkdtemp(join(folder, 'restored-')))
  const { config, clock } = app.deps
  const { pool, close } = await openDatabase({ dataDir, databaseUrl: target.url }, log)
  try {
    const verifiedBackup = await verifyBackup(backupFolder)
    await restoreBackup(verifiedBackup, {
      config: { ...config, dataDir },
      clock,
      pool,
      extraRowSets: [],
    })
    return dataDir
  } finally {
    await close()
  }
}

async function countFiles(target: TestDatabase): Promise<number> {
  const { db, close } = await openDatabase({ dataDir: folder, databaseUrl: target.url }, log)
  try {
    return await db.$count(files)
  } finally {
    await close()
  }
}

async function findStorageKey({ id }: { id: string }): Promise<string> {
  const [row] = await app.deps.db.select().from(files).where(eq(files.id, id))
  return row?.storageKey ?? ''
}

async function downloadHash(url: string, { shortCode }: { shortCode: string }) {
  const response = await fetch(`${url}/api/download/${shortCode}`)
  return response.ok ? sha256(await response.bytes()) : response.status
}

it('restores everything stored when the backup began, despite concurrent uploads', async () => {
  const filesBefore = [
    await makeFile(ada, { bytes: new Uint8Array() }),
    await makeFile(ada, { bytes: new Uint8Array(3 * 1024 * 1024).fill(7) }),
    await makeFile(ada),
  ]
  const { cloudKey } = await startUpload(ada, { size: 3 })
  const deletedFile = await makeFile(ada)
  const deletedKey = await findStorageKey(deletedFile)
  const filesDuring: Awaited<ReturnType<typeof makeFile>>[] = []
  const backupResult = await backUp(async (key) => {
    filesDuring.push(await makeFile(ada))
    if (key !== deletedKey) return
    // The owner deletes this file after the backup has read the rows.
    await requestDeletion(ada, [deletedFile.id])
    await expireFiles(app.deps)
  })
  expect(backupResult).toMatchObject({ damagedFileIds: [], objects: 3 })
  expect(await findLastBackup(app.deps.db)).toEqual({
    madeAt: (await verifyBackup(backupFolder)).manifest.madeAt,
    objects: 3,
    faults: 0,
    by: 'command',
  })
  expect(filesDuring.length).toBeGreaterThan(3)

  const target = await freshDatabase()
  const dataDir = await restore(target)
  const restoredServer = await serveApp(target, { dataDir })
  try {
    for (const file of filesBefore)
      expect(await downloadHash(restoredServer.url, file)).toBe(sha256(file.bytes))
    for (const file of filesDuring) expect(await downloadHash(restoredServer.url, file)).toBe(404)
    expect(await findWrongTotals(restoredServer.pool)).toEqual([])
    expect(await downloadHash(restoredServer.url, deletedFile)).toBe(404)
    // Backups don't contain the bytes of open uploads, so the browser must start this one again.
    const client = makeClient(restoredServer, await logIn(restoredServer, ada.email, ada.password))
    await expectError(await requestConfirm(client, cloudKey), 404, 'UPLOAD_NOT_FOUND')

    // The next purge completes the removal, so storage and the database agree again.
    expect(await expireFiles(restoredServer.deps)).toEqual({ purged: 1, failed: 0 })
    const purgedFiles = await restoredServer.deps.db
      .select()
      .from(files)
      .where(isNotNull(files.purgedAt))
    expect(purgedFiles.map(({ id }) => id)).toEqual([deletedFile.id])
    expect(await compareStorage(restoredServer.deps)).toEqual({
      objects: 3,
      removed: 0,
      failed: 0,
      missing: 0,
    })
  } finally {
    await restoredServer.close()
  }
})

it('reads all rows from one snapshot', async () => {
  const rowCounts = await inSnapshot(app.pool, async (client) => {
    const count = async () => (await client.query('select 1 from files')).rowCount
    const countBefore = await count()
    await makeFile(ada)
    return [countBefore, await count()]
  })
  expect(rowCounts).toEqual([0, 0])
})

it('is incomplete after an interruption and can be repeated in a new folder', async () => {
  await makeFile(ada)
  const interruptedBackupPromise = backUp(async () => {
    throw new Error('cut off')
  })
  await expect(interruptedBackupPromise).rejects.toThrow('cut off')
  await expect(verifyBackup(backupFolder)).rejects.toThrow('has no complete backup')
  await expect(backUp()).rejects.toThrow('is not empty')
  expect(await findLastBackup(app.deps.db)).toBeNull()
  backupFolder = join(folder, 'again')
  expect(await backUp()).toMatchObject({ damagedFileIds: [], objects: 1 })
})

it('names the files whose bytes were lost or altered in storage, and backs up the rest', async () => {
  const [lostFile, alteredFile, intactFile] = [
    await makeFile(ada),
    await makeFile(ada),
    await makeFile(ada),
  ]
  const findPath = async (file: { id: string }) => {
    const key = await findStorageKey(file)
    return join(app.deps.config.dataDir, 'files', key.slice(0, 2), key)
  }
  await rm(await findPath(lostFile))
  await appendFile(await findPath(alteredFile), 'x')
  const backupResult = await backUp()
  expect(backupResult.objects).toBe(1)
  expect(await findLastBackup(app.deps.db)).toMatchObject({ objects: 1, faults: 2 })
  expect(backupResult.damagedFileIds.toSorted()).toEqual([lostFile.id, alteredFile.id].toSorted())

  const target = await freshDatabase()
  const restoredServer = await serveApp(target, { dataDir: await restore(target) })
  try {
    expect(await downloadHash(restoredServer.url, intactFile)).toBe(sha256(intactFile.bytes))
    expect(await compareStorage(restoredServer.deps)).toMatchObject({ objects: 1, missing: 2 })
  } finally {
    await restoredServer.close()
  }
})

it("works with a read-only database, which can't record the backup", async () => {
  await makeFile(ada)
  const { rows } = await app.pool.query('select current_database() as name')
  const setting = `alter database "${rows[0].name}" set default_transaction_read_only`
  await app.pool.query(`${setting} = on`)
  expect(await backUp()).toMatchObject({ objects: 1, damagedFileIds: [] })
  expect(await findLastBackup(app.deps.db)).toBeNull()
  await app.pool.query(`begin read write; ${setting} = off; commit`)
})

describe('the backup folder', () => {
  it('is private and has checksums that sha256sum accepts', async () => {
    await makeFile(ada)
    await mkdir(backupFolder, { mode: 0o755 })
    await backUp()
    expect((await stat(backupFolder)).mode & 0o777).toBe(0o700)
    const output = await promisify(execFile)('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {
      cwd: backupFolder,
    })
    expect(output.stdout).toMatch(/^rows\/files\.copy: OK$/m)
  })

  it("is rejected unchanged if it isn't empty", async () => {
    await mkdir(backupFolder, { mode: 0o755 })
    await writeFile(join(backupFolder, 'holiday.jpg'), 'x')
    await expect(backUp()).rejects.toThrow('is not empty (holiday.jpg)')
    expect((await stat(backupFolder)).mode & 0o777).toBe(0o755)
  })

  it('is rejected if it is a link or a file', async () => {
    const otherFolder = join(folder, 'elsewhere')
    await mkdir(otherFolder)
    await symlink(otherFolder, backupFolder)
    await expect(backUp()).rejects.toThrow('is not a folder')
    expect(await readdir(otherFolder)).toEqual([])
    await rm(backupFolder)
    await writeFile(backupFolder, '')
    await expect(backUp()).rejects.toThrow(StartupError)
  })

  it('is rejected if another user owns it', async () => {
    const uid = process.getuid?.() ?? 0
    if (uid === 0) {
      await mkdir(backupFolder)
      await chown(backupFolder, 1, 1)
    } else backupFolder = '/'
    await expect(backUp()).rejects.toThrow('belongs to another user')
  })
})

describe('a restore', () => {
  let target: TestDatabase
  beforeEach(async () => {
    target = await freshDatabase()
  })
  afterEach(() => target.drop())

  it('restores the secrets privately and can be repeated', async () => {
    const { dataDir } = app.deps.config
    const secrets = { secret: `${'s'.repeat(64)}\n`, 'admin-password': 'correct horse\n' }
    for (const [name, text] of Object.entries(secrets)) {
      await writeFile(join(dataDir, name), text, { mode: 0o644 })
    }
    await backUp()
    const restoredDir = await restore(target)
    for (const folder of [backupFolder, restoredDir]) {
      for (const [name, text] of Object.entries(secrets)) {
        expect(await readFile(join(folder, name), 'utf8')).toBe(text)
        expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
      }
    }
    expect((await readdir(restoredDir)).filter((name) => name.includes('.'))).toEqual([])
  })

  it('into a different kind of store counts the bytes there and not in the old one', async () => {
    await makeFile(ada, { bytes: new Uint8Array(1000) })
    // This file is purged below. Its row is kept as history.
    await makeFile(await makePerson(app), { bytes: new Uint8Array(500) })
    app.clock.advance(3 * dayInMs)
    expect(await expireFiles(app.deps)).toEqual({ purged: 1, failed: 0 })
    await app.pool.query("update files set storage = 's3'")
    await backUp()
    const dataDir = await restore(target)
    const { pool, close } = await openDatabase({ dataDir, databaseUrl: target.url }, log)
    const { rows } = await pool.query(
      'select storage, sum(size)::int as bytes from files where purged_at is null group by storage',
    )
    await close()
    expect(rows).toEqual([{ storage: 'disk', bytes: 1000 }])
  })

  it('writes nothing if a backup has an altered byte or a missing or extra file', async () => {
    const { dataDir } = app.deps.config
    for (const name of ['secret', 'admin-password']) await writeFile(join(dataDir, name), name)
    await makeFile(ada)
    await backUp()
    const entries = await readdir(backupFolder, { recursive: true, withFileTypes: true })
    const paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
    expect(paths.length).toBeGreaterThan(10)
    for (const path of paths) {
      const bytes = await readFile(path)
      if (bytes.length === 0) continue
      for (const position of [0, Math.floor(bytes.length / 2), bytes.length - 1]) {
        const alteredBytes = Buffer.from(bytes)
        alteredBytes[position] = (alteredBytes[position] ?? 0) ^ 1
        await writeFile(path, alteredBytes)
        await expect(verifyBackup(backupFolder), `${path} ${position}`).rejects.toThrow(
          StartupError,
        )
      }
      await rm(path)
      await expect(verifyBackup(backupFolder), path).rejects.toThrow()
      await writeFile(path, bytes)
    }
    const checksumFile = join(backupFolder, 'SHA256SUMS')
    const checksumText = await readFile(checksumFile, 'utf8')
    await writeFile(checksumFile, checksumText.slice(checksumText.indexOf('\n') + 1))
    await expect(verifyBackup(backupFolder)).rejects.toThrow('lists')
    await writeFile(checksumFile, checksumText)
    await symlink('/etc/passwd', join(backupFolder, 'files', 'link'))
    await expect(verifyBackup(backupFolder)).rejects.toThrow('not a regular file')
    await rm(join(backupFolder, 'files', 'link'))
    await restore(target)
    expect(await countFiles(target)).toBe(1)
  })

  it('rejects a manifest with unknown tables or columns and runs none of its SQL', async () => {
    await makeFile(ada)
    await backUp()
    const { manifest: validManifest } = await verifyBackup(backupFolder)
    const canaryPath = join(folder, 'canary')
    const program = `users from program 'touch ${canaryPath}' --`
    type Rows = Manifest['rows']
    const withTable = (table: string) => (rows: Rows) =>
      rows.map((entry, n) => (n === 0 ? { ...entry, table } : entry))
    const withColumns =
      (change: (columns: Rows[0]['columns']) => Rows[0]['columns']) => (rows: Rows) =>
        rows.map((entry, n) => (n === 0 ? { ...entry, columns: change(entry.columns) } : entry))
    const forgeries: ((rows: Rows) => Rows)[] = [
      withTable(program),
      withTable('pg_catalog.pg_authid'),
      withTable(' "users"'),
      withTable('users'),
      withTable('toString'),
      withColumns((columns) => [...columns, `id) from program 'touch ${canaryPath}' --`]),
      withColumns((columns) => [...columns, 'ctid']),
      withColumns((columns) => [...columns, ...columns.slice(0, 1)]),
      (rows) => [...rows, ...rows.slice(0, 1)],
      (rows) => rows.slice(1),
      (rows) => [...rows, ...withTable(program)(rows.slice(0, 1))],
    ]
    const { config, clock } = app.deps
    const dataDir = await mkdtemp(join(folder, 'restored-'))
    const { pool, close } = await openDatabase({ dataDir, databaseUrl: target.url }, log)
    for (const forge of forgeries) {
      const forgedBackup = {
        folder: backupFolder,
        manifest: { ...validManifest, rows: forge(validManifest.rows) },
      }
      const restorePromise = restoreBackup(forgedBackup, {
        config: { ...config, dataDir },
        clock,
        pool,
        extraRowSets: [],
      })
      await expect(restorePromise, forge.toString()).rejects.toThrow(
        'names other tables or columns',
      )
    }
    await close()
    expect(await countFiles(target)).toBe(0)
    await expect(stat(canaryPath)).rejects.toThrow('ENOENT')
  })

  it("rejects a non-empty database and another installation's storage", async () => {
    await makeFile(ada)
    await backUp()
    const dataDir = await restore(target)
    await expect(restore(target)).rejects.toThrow('is not empty')

    const otherDatabase = await freshDatabase()
    try {
      const otherStore = await openSealedFiles(dataDir)
      await otherStore.claim('another installation')
      await otherStore.close()
      await expect(restore(otherDatabase, dataDir)).rejects.toThrow('files of another installation')
      expect(await countFiles(otherDatabase)).toBe(0)
    } finally {
      await otherDatabase.drop()
    }
  })
})
