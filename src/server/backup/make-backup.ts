import { createReadStream, createWriteStream } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import type { Config } from '../config/config.ts'
import { newestMigration } from '../db/migrate.ts'
import { openDatabaseInUse } from '../db/open.ts'
import {
  findInstallation,
  inSnapshot,
  type RowSet,
  readColumns,
  readRows,
  rowsToCopy,
} from '../db/row-copies.ts'
import type { Deps } from '../deps.ts'
import { StartupError } from '../errors.ts'
import { nullIfMissing } from '../storage/disk/file-system.ts'
import type { SealedObjects } from '../storage/storage.ts'
import { BackupWriter, getObjectPath, type Manifest, secretFiles } from './backup-folder.ts'
import { recordBackup } from './last-backup.ts'
import { openObjects } from './open-objects.ts'

export interface BackupOptions {
  config: Pick<Config, 'databaseUrl' | 'dataDir' | 's3'>
  clock: Deps['clock']
  log: Pick<Deps['log'], 'info' | 'warn'>
  /** Rows to back up from tables outside `schema.ts`: the queued emails. */
  extraRowSets: readonly RowSet[]
  /** Opens a store for reading. Tests replace it. */
  open?: (name: StorageName) => Promise<SealedObjects>
}

/** The outcome of a backup. `damagedFileIds` lists the files lost or altered in storage. */
export interface BackupResult {
  rows: number
  objects: number
  bytes: number
  damagedFileIds: string[]
}

/** A file whose bytes should be in storage. A purge in progress may already have removed them. */
interface StoredFile {
  id: string
  storage: StorageName
  key: string
  size: number
  /** Null if no server has computed the digest yet. */
  sha256: string | null
}

/** How many files are copied in parallel. */
const concurrency = 4
const rowsPerFetch = 1000

/**
 * Backs up everything except unfinished uploads, even while servers run. All rows come from one
 * snapshot. The files' bytes are copied afterwards, which is safe because they never change. If a
 * file is deleted before it is copied, restoring the backup ends its link.
 * @throws {StartupError} if no server has used the database yet, or if the folder, the database or
 * a store can't be used.
 */
export async function makeBackup(folder: string, options: BackupOptions): Promise<BackupResult> {
  const { config, clock, log, extraRowSets } = options
  const fileListPath = join(folder, 'listed.ndjson')
  const cleanup = new AsyncDisposableStack()
  try {
    // First, because a folder with an incomplete backup can't be used again.
    const { pool, close } = await openDatabaseInUse(config, log)
    cleanup.defer(close)
    const backup = await BackupWriter.create(folder)
    cleanup.defer(() => backup.close())
    const madeAt = clock().toISOString()
    const { installation, rows, count } = await inSnapshot(pool, async (client) => {
      const installationId = await findInstallation(client)
      if (installationId === null) {
        throw new StartupError('No server has used this database yet: there is nothing to back up.')
      }
      const copiedRows = await copyRows(client, backup, extraRowSets)
      await pipeline(
        toJsonLines(listStoredFiles(client)),
        createWriteStream(fileListPath, { mode: 0o600 }),
      )
      return { installation: installationId, ...copiedRows }
    })
    for (const name of secretFiles) await copySecret(name, config.dataDir, backup)
    const { deleted, ...copied } = await copyFiles(
      readFileList(fileListPath),
      backup,
      pool,
      options,
    )
    await rm(fileListPath)
    const migration = await newestMigration()
    await backup.complete({ format: 2, madeAt, migration, installation, rows, deleted })
    await recordBackup(pool, {
      madeAt,
      objects: copied.objects,
      faults: copied.damagedFileIds.length,
    }).catch((error: unknown) => {
      // The backup is complete even if it can't be recorded, for example because the database is a
      // read-only replica.
      log.warn({ err: error }, 'could not record the backup in the database')
    })
    return { rows: count, ...copied }
  } finally {
    await cleanup.disposeAsync()
  }
}

async function copyRows(
  client: pg.ClientBase,
  backup: BackupWriter,
  extraRowSets: readonly RowSet[],
): Promise<{ rows: Manifest['rows']; count: number }> {
  const rows: Manifest['rows'] = []
  let count = 0
  for (const rowSet of [...rowsToCopy, ...extraRowSets]) {
    const columns = (await readColumns(client, rowSet)).map(({ name }) => name)
    const file = `${rowSet.table.replaceAll('"', '')}.copy`
    const path = `rows/${file}`
    const rowStream = readRows(client, rowSet, columns)
    await backup.addChecksum(path, (await backup.write(path, rowStream)).sha256)
    rows.push({ table: rowSet.table, file, columns })
    count += rowStream.rowCount
  }
  return { rows, count }
}

async function copySecret(name: string, dataDir: string, backup: BackupWriter): Promise<void> {
  const text = await nullIfMissing(readFile(join(dataDir, name)))
  if (text === null) return
  await backup.addChecksum(name, (await backup.write(name, Readable.from([text]))).sha256)
}

/**
 * Copies the files' bytes into the backup. Returns the totals and the files that couldn't be
 * copied.
 */
async function copyFiles(
  files: AsyncIterable<StoredFile>,
  backup: BackupWriter,
  pool: pg.Pool,
  { config, clock, open = (name) => openObjects(name, config, clock) }: BackupOptions,
): Promise<{ objects: number; bytes: number; damagedFileIds: string[]; deleted: string[] }> {
  const stores = new Map<StorageName, Promise<SealedObjects>>()
  const openStore = (name: StorageName) => {
    const storePromise = stores.get(name) ?? open(name)
    stores.set(name, storePromise)
    return storePromise
  }
  const totals = { objects: 0, bytes: 0, damagedFileIds: [] as string[], deleted: [] as string[] }
  const copyToBackup = async (file: StoredFile) => ({
    ...file,
    copied: await copyFile(file, await openStore(file.storage), backup, pool),
  })
  try {
    for await (const { id, key, size, copied } of Readable.from(files).map(copyToBackup, {
      concurrency,
    })) {
      if (copied === 'lost') totals.damagedFileIds.push(id)
      else if (copied === 'deleted') totals.deleted.push(key)
      else {
        await backup.addChecksum(getObjectPath(key), copied.sha256)
        totals.objects += 1
        totals.bytes += size
      }
    }
    return totals
  } finally {
    await Promise.allSettled(
      [...stores.values()].map(async (storePromise) => (await storePromise).close()),
    )
  }
}

async function copyFile(
  { id, key, size, sha256 }: StoredFile,
  store: SealedObjects,
  backup: BackupWriter,
  pool: pg.Pool,
): Promise<{ sha256: string } | 'deleted' | 'lost'> {
  try {
    const bytes = await store.read(key)
    const writtenFile = bytes && (await backup.write(getObjectPath(key), bytes))
    if (writtenFile?.size === size && (sha256 ?? writtenFile.sha256) === writtenFile.sha256)
      return writtenFile
  } catch (error) {
    // If the file was deleted while it was being read, the failure is expected.
    if (await isFileStored(pool, id)) throw error
  }
  await backup.remove(getObjectPath(key))
  return (await isFileStored(pool, id)) ? 'lost' : 'deleted'
}

/** Yields every file that isn't purged. Requires a transaction, because it uses a cursor. */
async function* listStoredFiles(client: pg.ClientBase): AsyncGenerator<StoredFile> {
  await client.query(
    `declare stored_files no scroll cursor for
    select id, storage, storage_key as key, size, case when is_content_proved then sha256 end as sha256
    from files where purged_at is null`,
  )
  for (;;) {
    const { rows } = await client.query(`fetch ${rowsPerFetch} from stored_files`)
    for (const row of rows) yield { ...row, size: Number(row.size) }
    if (rows.length < rowsPerFetch) break
  }
  await client.query('close stored_files')
}

/** True if the file's bytes should still be in storage, because their removal hasn't begun. */
async function isFileStored(pool: pg.Pool, id: string): Promise<boolean> {
  const { rows } = await pool.query(
    'select 1 from files where id = $1 and purged_at is null and purging_at is null',
    [id],
  )
  return rows.length > 0
}

async function* toJsonLines(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const value of values) yield `${JSON.stringify(value)}\n`
}

async function* readFileList(path: string): AsyncGenerator<StoredFile> {
  for await (const line of createInterface({ input: createReadStream(path) }))
    yield JSON.parse(line)
}
