import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import type pg from 'pg'
import type { Config } from '../config/config.ts'
import { newestMigration } from '../db/migrate.ts'
import {
  fillDatabase,
  findInstallation,
  inSnapshot,
  moveToStore,
  type RowSet,
  readColumns,
  requireNoRows,
  rowsToCopy,
  writeRows,
} from '../db/row-copies.ts'
import type { Deps } from '../deps.ts'
import { StartupError } from '../errors.ts'
import { recountLinks } from '../links/queries.ts'
import { createFile } from '../storage/disk/durable-file.ts'
import { nullIfMissing } from '../storage/disk/file-system.ts'
import type { SealedObjects } from '../storage/storage.ts'
import { storeOfNewFiles } from '../storage/stores.ts'
import {
  createDamagedBackupError,
  type Manifest,
  readChecksums,
  readVerified,
  secretFiles,
  type VerifiedBackup,
} from './backup-folder.ts'
import { openObjects } from './open-objects.ts'

export interface RestoreOptions {
  config: Pick<Config, 'authSecret' | 'dataDir' | 's3'>
  clock: Deps['clock']
  /**
   * An empty database with all tables, including the job queue's. It must not be in use by a
   * server.
   */
  pool: pg.Pool
  /** Rows to restore into tables outside `schema.ts`: the queued emails. */
  extraRowSets: readonly RowSet[]
}

/** How many files are copied in parallel. */
const concurrency = 4

/**
 * Restores a backup into an empty database and the configured, empty store. Files are written
 * first, then all rows in one transaction, so a server finds everything or nothing. An interrupted
 * restore can be repeated.
 * @throws {StartupError} if the target isn't empty or the backup is from another version. No rows
 * have been written in that case.
 */
export async function restoreBackup(
  { folder, manifest }: VerifiedBackup,
  { config, clock, pool, extraRowSets }: RestoreOptions,
): Promise<{ rows: number; objects: number }> {
  const migration = await newestMigration()
  if (manifest.migration !== migration) {
    throw new StartupError(
      `The backup is from another version of Mayfly (schema ${manifest.migration}, this version has ${migration}). Restore it with that version, then upgrade.`,
    )
  }
  const tables = await inSnapshot(pool, async (client) => {
    await requireNoRows(client)
    return findTables(manifest, client, extraRowSets)
  })
  await restoreSecrets(folder, config)
  const store = await openObjects(storeOfNewFiles(config), config, clock)
  let objectCount: number
  try {
    await claimStore(store, manifest.installation)
    await store.removeLeftoverParts?.()
    objectCount = await restoreFiles(folder, store)
  } finally {
    await store.close()
  }
  const rowCount = await fillDatabase(pool, async (client, tx) => {
    await requireNoRows(client)
    let count = 0
    for (const { set, columns, file } of tables) {
      count += await writeRows(client, set, columns, createReadStream(join(folder, 'rows', file)))
    }
    if ((await findInstallation(client)) !== manifest.installation) {
      throw createDamagedBackupError('its rows belong to another installation than its files')
    }
    await moveToStore(client, store.name)
    await markAsPurging(client, manifest.deleted, clock())
    // The backup has no uploads, which the links still count.
    await recountLinks(tx, 'all')
    return count
  })
  return { rows: rowCount, objects: objectCount }
}

/**
 * Returns each table in the backup with its columns and the file that contains its rows. The names
 * used in SQL come from the database; the manifest only selects from them.
 * @throws {StartupError} if the manifest has an unknown or duplicate table or column, or lacks a
 * required table.
 */
async function findTables(
  { rows }: Manifest,
  client: pg.ClientBase,
  extraRowSets: readonly RowSet[],
) {
  const tablesInBackup = new Map(rows.map((table) => [table.table, table]))
  const tables = []
  for (const rowSet of [...rowsToCopy, ...extraRowSets]) {
    const table = tablesInBackup.get(rowSet.table)
    if (table === undefined && extraRowSets.includes(rowSet)) continue
    const existingColumns = new Map(
      (await readColumns(client, rowSet)).map((column) => [column.name, column]),
    )
    const columns = table?.columns.flatMap((name) => existingColumns.get(name) ?? []) ?? []
    if (table === undefined || new Set(columns).size !== table.columns.length)
      throw createUnknownNamesError()
    tables.push({ set: rowSet, columns, file: table.file })
  }
  if (tables.length !== rows.length) throw createUnknownNamesError()
  return tables
}

function createUnknownNamesError(): StartupError {
  return createDamagedBackupError(
    'manifest.json names other tables or columns than this version has',
  )
}

/**
 * Copies the backup's secrets into the data folder, unless they are already there. Skips the file
 * `secret` if AUTH_SECRET is set, because the server then ignores the file.
 * @throws {StartupError} if the data folder has different secrets.
 */
async function restoreSecrets(
  folder: string,
  { dataDir, authSecret }: Pick<Config, 'authSecret' | 'dataDir'>,
): Promise<void> {
  const readText = (path: string) => nullIfMissing(readFile(path, 'utf8'))
  for (const name of secretFiles) {
    const backupText = await readText(join(folder, name))
    if (backupText === null || (name === 'secret' && authSecret !== null)) continue
    const existingText = await readText(join(dataDir, name))
    if (existingText === backupText) continue
    if (existingText !== null) {
      throw new StartupError(
        `${join(dataDir, name)} differs from the one in the backup. Set DATA_DIR to an empty folder: no row was written.`,
      )
    }
    await createFile(join(dataDir, name), backupText)
  }
}

/**
 * Marks a store with its installation's id. Accepts the mark of an earlier, interrupted restore.
 * @throws {StartupError} if the store belongs to another installation, or has files but no mark.
 */
async function claimStore(store: SealedObjects, installationId: string): Promise<void> {
  const ownerId = await store.installation()
  if (ownerId === installationId) return
  const isEmpty = (await store.list()[Symbol.asyncIterator]().next()).done
  if (ownerId === null && isEmpty) return store.claim(installationId)
  throw new StartupError(
    `The storage (${store.name}) has files of another installation. Configure an empty one: nothing was restored.`,
  )
}

/** Copies all files from a backup into a store. Returns how many were copied. */
async function restoreFiles(folder: string, store: SealedObjects): Promise<number> {
  const copyToStore = async ({ path, sha256 }: { path: string; sha256: string }) => {
    if (!path.startsWith('files/')) return 0
    const { size } = await stat(join(folder, path))
    const byteStream = Readable.from(readVerified(folder, path, sha256), { objectMode: false })
    await store.write(basename(path), size, byteStream)
    return 1
  }
  const copiedCounts = Readable.from(readChecksums(folder)).map(copyToStore, { concurrency })
  return copiedCounts.reduce((sum: number, count: number) => sum + count, 0)
}

/**
 * Ends the links to files whose bytes aren't in the backup, as a purge does. The next purge finds
 * no bytes and completes the removal with a receipt.
 */
async function markAsPurging(
  client: pg.ClientBase,
  keys: readonly string[],
  now: Date,
): Promise<void> {
  await client.query(
    `update files set purging_at = coalesce(purging_at, $2), purge_due_at = coalesce(purge_due_at, $2),
      purge_at = $2
    where storage_key = any($1) and purged_at is null`,
    [keys, now],
  )
}
