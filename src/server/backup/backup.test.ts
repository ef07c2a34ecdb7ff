import {
  appendFile,
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq, isNotNull } from 'drizzle-orm'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { serveApp } from '../../../tests/support/app-server.ts'
import {
  askForDeletion,
  logIn,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  sha256,
  startUpload,
} from '../../../tests/support/make.ts'
import { freshDatabase } from '../../../tests/support/postgres.ts'
import type { TestDatabase } from '../../../tests/support/postgres-server.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { confirm, expectRefusal } from '../../../tests/support/upload-requests.ts'
import { dayInMs } from '../../shared/rules/format/units.ts'
import { openDatabase } from '../db/open.ts'
import { inSnapshot } from '../db/row-copies.ts'
import { files } from '../db/schema.ts'
import { expireFiles } from '../files/expire-files.ts'
import { compareStorage } from '../jobs/compare-storage.ts'
import { openSealedFiles } from '../storage/disk/sealed-files.ts'
import { bindStores } from '../uploads/bind-storage.ts'
import { type Manifest, readManifest, writeManifest } from './backup-folder.ts'
import { makeBackup } from './make-backup.ts'
import { findLastBackup } from './queries.ts'
import { restoreBackup } from './restore-backup.ts'

const log = pino({ level: 'silent' })

let folder: string
let backup: string
let app: TestApp
let ada: Person
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-backup-'))
  backup = join(folder, 'backup')
  app = await startTestApp()
  // A start of the server does this too.
  await bindStores(app.deps)
  ada = await makePerson(app, { tier: 'premium' })
})
afterEach(async () => {
  await app.close()
  await rm(folder, { recursive: true })
})

/**
 * Backs the running server up.
 * @param onRead is called before the bytes of an object are read from storage.
 */
function backUp(onRead: (key: string) => Promise<unknown> = async () => {}) {
  const { config } = app.deps
  return makeBackup(backup, {
    config,
    clock: app.clock,
    log,
    more: [],
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

/** Restores the backup into a database and a folder, by default a new one. Returns the folder. */
async function restore(target: TestDatabase, kept?: string): Promise<string> {
  const dataDir = kept ?? (await mkdtemp(join(folder, 'restored-')))
  const { config, clock } = app.deps
  const { pool, close } = await openDatabase({ dataDir, databaseUrl: target.url }, log)
  try {
    await restoreBackup(backup, { config: { ...config, dataDir }, clock, pool, more: [] })
    return dataDir
  } finally {
    await close()
  }
}

async function filesIn(target: TestDatabase): Promise<number> {
  const { db, close } = await openDatabase({ dataDir: folder, databaseUrl: target.url }, log)
  try {
    return await db.$count(files)
  } finally {
    await close()
  }
}

async function keyOf({ id }: { id: string }): Promise<string> {
  const [row] = await app.deps.db.select().from(files).where(eq(files.id, id))
  return row?.storageKey ?? ''
}

async function bytesAt(url: string, { shortCode }: { shortCode: string }) {
  const answer = await fetch(`${url}/api/download/${shortCode}`)
  return answer.ok ? sha256(await answer.bytes()) : answer.status
}

it('brings everything back that was stored when the backup began, although uploads went on', async () => {
  const before = [
    await makeFile(ada, { bytes: new Uint8Array() }),
    await makeFile(ada, { bytes: new Uint8Array(3 * 1024 * 1024).fill(7) }),
    await makeFile(ada),
  ]
  const { cloudKey } = await startUpload(ada, { size: 3 })
  const doomed = await makeFile(ada)
  const doomedKey = await keyOf(doomed)
  const during: Awaited<ReturnType<typeof makeFile>>[] = []
  const made = await backUp(async (key) => {
    during.push(await makeFile(ada))
    if (key !== doomedKey) return
    // The owner deletes this file after the rows were read.
    await askForDeletion(ada, [doomed.id])
    await expireFiles(app.deps)
  })
  expect(made).toMatchObject({ faults: [], objects: 3 })
  expect(await findLastBackup(app.deps.db)).toEqual({
    madeAt: (await readManifest(backup)).madeAt,
    objects: 3,
    faults: 0,
    by: 'command',
  })
  expect(during.length).toBeGreaterThan(3)

  const target = await freshDatabase()
  const dataDir = await restore(target)
  const again = await serveApp(target, { dataDir })
  try {
    for (const file of before) expect(await bytesAt(again.url, file)).toBe(sha256(file.bytes))
    for (const file of during) expect(await bytesAt(again.url, file)).toBe(404)
    expect(await bytesAt(again.url, doomed)).toBe(404)
    // The backup lacks the bytes of the open upload. The browser begins the upload again.
    const returned = makeClient(again, await logIn(again, ada.email, ada.password))
    await expectRefusal(await confirm(returned, cloudKey), 404, 'UPLOAD_NOT_FOUND')

    // The purge completes the removal, and storage and rows agree.
    expect(await expireFiles(again.deps)).toEqual({ purged: 1, failed: 0 })
    const purged = await again.deps.db.select().from(files).where(isNotNull(files.purgedAt))
    expect(purged.map(({ id }) => id)).toEqual([doomed.id])
    expect(await compareStorage(again.deps)).toEqual({
      objects: 3,
      removed: 0,
      failed: 0,
      missing: 0,
    })
  } finally {
    await again.close()
  }
})

it('reads all rows as they were at one moment', async () => {
  const counted = await inSnapshot(app.pool, async (client) => {
    const count = async () => (await client.query('select 1 from files')).rowCount
    const before = await count()
    await makeFile(ada)
    return [before, await count()]
  })
  expect(counted).toEqual([0, 0])
})

it('is repeated after it was cut off: keeps what it has copied, and no file that was deleted since', async () => {
  const kept = [await makeFile(ada), await makeFile(ada), await makeFile(ada), await makeFile(ada)]
  const doomed = await makeFile(ada)
  const keys = (await Promise.all([...kept, doomed].map(keyOf))).toSorted()
  const isLast = (key: string) => key === keys.at(-1)
  await expect(
    backUp(async (key) => {
      if (isLast(key)) throw new Error('cut off')
    }),
  ).rejects.toThrow('cut off')
  await expect(readManifest(backup)).rejects.toThrow('has no complete backup')
  expect(await findLastBackup(app.deps.db)).toBeNull()

  await askForDeletion(ada, [doomed.id])
  await expireFiles(app.deps)
  const written: string[] = []
  const made = await backUp(async (key) => void written.push(key))
  expect(made).toMatchObject({ faults: [], objects: 4 })
  // The SHA-256 of each file is known, so files that are in the backup already are not read again.
  expect(written.filter((key) => !isLast(key))).toEqual([])
  const copied = await openSealedFiles(backup)
  const listed: string[] = []
  for await (const { key } of copied.list()) listed.push(key)
  await copied.close()
  expect(listed).toEqual((await Promise.all(kept.map(keyOf))).toSorted())
  await expect(backUp()).rejects.toThrow('has a backup already')
})

it('names the files whose bytes were lost or altered in storage before, and keeps the others', async () => {
  const [lost, altered, whole] = [await makeFile(ada), await makeFile(ada), await makeFile(ada)]
  const path = async (file: { id: string }) => {
    const key = await keyOf(file)
    return join(app.deps.config.dataDir, 'files', key.slice(0, 2), key)
  }
  await rm(await path(lost))
  await appendFile(await path(altered), 'x')
  const made = await backUp()
  expect(made.objects).toBe(1)
  expect(await findLastBackup(app.deps.db)).toMatchObject({ objects: 1, faults: 2 })
  expect(made.faults.toSorted()).toEqual([lost.id, altered.id].toSorted())

  const target = await freshDatabase()
  const again = await serveApp(target, { dataDir: await restore(target) })
  try {
    expect(await bytesAt(again.url, whole)).toBe(sha256(whole.bytes))
    expect(await compareStorage(again.deps)).toMatchObject({ objects: 1, missing: 2 })
  } finally {
    await again.close()
  }
})

it('is made of a database that takes no writes, too, which cannot note it', async () => {
  await makeFile(ada)
  const { rows } = await app.pool.query('select current_database() as name')
  await app.pool.query(`alter database "${rows[0].name}" set default_transaction_read_only = on`)
  expect(await backUp()).toMatchObject({ objects: 1, faults: [] })
  expect(await findLastBackup(app.deps.db)).toBeNull()
})

it('is for its owner alone, also in a folder that others could read', async () => {
  await mkdir(backup, { mode: 0o755 })
  await chmod(backup, 0o755)
  await backUp()
  expect((await stat(backup)).mode & 0o777).toBe(0o700)
})

it('leaves a folder with other things in it as it is', async () => {
  await mkdir(backup)
  await chmod(backup, 0o755)
  await writeFile(join(backup, 'holiday.jpg'), 'x')
  await expect(backUp()).rejects.toThrow('has other things in it (holiday.jpg)')
  expect((await stat(backup)).mode & 0o777).toBe(0o755)
})

describe('a restore', () => {
  let target: TestDatabase
  beforeEach(async () => {
    target = await freshDatabase()
  })
  afterEach(() => target.drop())

  it('brings the secrets back for their owner alone, and can be repeated', async () => {
    const { dataDir } = app.deps.config
    const secrets = { secret: `${'s'.repeat(64)}\n`, 'admin-password': 'correct horse\n' }
    for (const [name, text] of Object.entries(secrets)) {
      await writeFile(join(dataDir, name), text, { mode: 0o644 })
    }
    // An earlier backup was cut off while it copied the secrets.
    await mkdir(backup)
    for (const name of ['secret', 'admin-password.new']) await writeFile(join(backup, name), 'half')
    await backUp()
    const restored = await restore(target)
    for (const folder of [backup, restored]) {
      for (const [name, text] of Object.entries(secrets)) {
        expect(await readFile(join(folder, name), 'utf8')).toBe(text)
        expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
      }
    }
    expect((await readdir(restored)).filter((name) => name.includes('.'))).toEqual([])
  })

  it('into another kind of store counts the bytes there, and none under the old one', async () => {
    await makeFile(ada, { bytes: new Uint8Array(1000) })
    // A file whose bytes are gone keeps its row, as a line of the history.
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

  it('writes no row of a damaged backup, and can be repeated', async () => {
    const file = await makeFile(ada)
    await backUp()
    const key = await keyOf(file)
    const dataDir = await mkdtemp(join(folder, 'restored-'))
    const damages = [
      { path: join('files', key.slice(0, 2), key), says: /is altered/ },
      { path: 'rows/files.copy', says: /a file of it was altered/ },
      { path: 'objects.ndjson', says: /The backup is damaged/ },
    ]
    for (const { path, says } of damages) {
      const { size } = await stat(join(backup, path))
      await appendFile(join(backup, path), '{')
      await rm(dataDir, { recursive: true })
      await mkdir(dataDir)
      await expect(restore(target, dataDir)).rejects.toThrow(says)
      expect(await filesIn(target)).toBe(0)
      await truncate(join(backup, path), size)
    }
    await restore(target, dataDir)
    expect(await filesIn(target)).toBe(1)
  })

  it('refuses a manifest with other tables or columns than ours, and runs no SQL of it', async () => {
    await makeFile(ada)
    await backUp()
    const whole = await readManifest(backup)
    const canary = join(folder, 'canary')
    const program = `users from program 'touch ${canary}' --`
    type Rows = Manifest['rows']
    const withTable = (table: string) => (rows: Rows) =>
      rows.map((one, n) => (n === 0 ? { ...one, table } : one))
    const withColumns =
      (change: (columns: Rows[0]['columns']) => Rows[0]['columns']) => (rows: Rows) =>
        rows.map((one, n) => (n === 0 ? { ...one, columns: change(one.columns) } : one))
    const forgeries: ((rows: Rows) => Rows)[] = [
      withTable(program),
      withTable('pg_catalog.pg_authid'),
      withTable(' "users"'),
      withTable('users'),
      withTable('toString'),
      withColumns((columns) => [...columns, { name: `id) from program 'touch ${canary}' --` }]),
      withColumns((columns) => [...columns, { name: 'ctid' }]),
      withColumns((columns) => [...columns, ...columns.slice(0, 1)]),
      (rows) => [...rows, ...rows.slice(0, 1)],
      (rows) => rows.slice(1),
      (rows) => [...rows, ...withTable(program)(rows.slice(0, 1))],
    ]
    for (const forge of forgeries) {
      await rm(join(backup, 'manifest.json'))
      await writeManifest(backup, { ...whole, rows: forge(whole.rows) })
      await expect(restore(target), forge.toString()).rejects.toThrow(
        'names other tables or columns',
      )
      expect(await filesIn(target)).toBe(0)
    }
    await expect(stat(canary)).rejects.toThrow('ENOENT')
    await rm(join(backup, 'manifest.json'))
    await writeManifest(backup, whole)
    await restore(target)
    expect(await filesIn(target)).toBe(1)
  })

  it('refuses a database that has rows, and storage with files of another installation', async () => {
    await makeFile(ada)
    await backUp()
    const dataDir = await restore(target)
    await expect(restore(target)).rejects.toThrow('has rows already')

    const other = await freshDatabase()
    try {
      const foreign = await openSealedFiles(dataDir)
      await foreign.claim('another installation')
      await foreign.close()
      await expect(restore(other, dataDir)).rejects.toThrow('files of another installation')
      expect(await filesIn(other)).toBe(0)
    } finally {
      await other.drop()
    }
  })
})
