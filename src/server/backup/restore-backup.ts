import { join } from 'node:path'
import type pg from 'pg'
import type { Config } from '../config/config.ts'
import { newestMigration } from '../db/migrate.ts'
import {
  allRows,
  columnsOf,
  inOneFilling,
  inSnapshot,
  type RowSet,
  requireNoRows,
  rowsWithoutUploads,
  setStore,
  writeRows,
} from '../db/row-copies.ts'
import type { Deps } from '../deps.ts'
import { StartupError } from '../errors.ts'
import { createFile } from '../storage/disk/durable-file.ts'
import { openSealedFiles } from '../storage/disk/sealed-files.ts'
import { storeOfNewFiles } from '../storage/store-of-new-files.ts'
import {
  type BackupObject,
  type Manifest,
  readHashed,
  readManifest,
  readObjects,
  secretFiles,
  textOf,
} from './backup-folder.ts'
import { copyEach, copyObject } from './copy-objects.ts'
import { claimFor, openObjects } from './open-objects.ts'
import { markAsGone } from './queries.ts'

export interface RestoreOptions {
  config: Pick<Config, 'appUrl' | 'authSecret' | 'dataDir' | 's3'>
  clock: Deps['clock']
  /** An empty database with all tables, those of the job queue too. No server may use it. */
  pool: pg.Pool
  /** Rows of tables that are not in `schema.ts`: the mail in the job queue. */
  more: readonly RowSet[]
}

const keysAtOnce = 1000

/**
 * Restores a backup into an empty database, and into the store for new files, which must be empty.
 * The bytes come first and the rows last, in one transaction, so a server finds everything or
 * nothing. An interrupted restore can be repeated, and then keeps the objects that it has copied.
 * If the bytes of a file were removed while the backup was made, this ends the file's link.
 * @throws {StartupError} when the target is not empty, or the backup is damaged, incomplete or of
 * another version. Then no row is written.
 */
export async function restoreBackup(
  folder: string,
  { config, clock, pool, more }: RestoreOptions,
): Promise<{ rows: number; objects: number }> {
  const manifest = await readManifest(folder)
  const migration = await newestMigration()
  if (manifest.migration !== migration) {
    throw new StartupError(
      `The backup is of another version of Mayfly (its tables are of ${manifest.migration}, those of this version of ${migration}). Restore it with that version, and upgrade then.`,
    )
  }
  await inSnapshot(pool, async (client) => {
    await requireNoRows(client)
    await rowsOf(manifest, client, more)
  })
  await restoreSecrets(folder, config)
  const objects = await restoreObjects(folder, manifest, config, clock)
  const store = storeOfNewFiles(config)
  const rows = await inOneFilling(pool, async (client) => {
    await requireNoRows(client)
    let count = 0
    for (const { set, columns, file, sha256 } of await rowsOf(manifest, client, more)) {
      const read = readHashed(join(folder, 'rows', file), sha256)
      count += await writeRows(client, set, columns, read)
    }
    await setStore(client, store)
    await endLinksOfGone(client, readObjects(folder, manifest.objects.sha256), clock())
    return count
  })
  return { rows, objects }
}

/**
 * Returns, for each table in the backup, its columns and the file that has its rows. A table comes
 * before the tables that refer to it. The names in SQL come from the database: the manifest only
 * chooses among them.
 * @throws {StartupError} when the manifest names an unknown table or column, names one twice, or
 * lacks a table that every backup has.
 */
async function rowsOf({ rows }: Manifest, client: pg.ClientBase, more: readonly RowSet[]) {
  const named = new Map(rows.map((one) => [one.table, one]))
  const found = []
  for (const set of [...allRows, ...more]) {
    const one = named.get(set.table)
    if (one === undefined) continue
    const known = new Map((await columnsOf(client, set)).map((column) => [column.name, column]))
    const columns = one.columns.flatMap(({ name }) => known.get(name) ?? [])
    if (new Set(columns).size !== one.columns.length) throw foreignNames()
    found.push({ set, columns, file: one.file, sha256: one.sha256 })
  }
  const isComplete = rowsWithoutUploads.every(({ table }) => named.has(table))
  if (found.length !== rows.length || !isComplete) throw foreignNames()
  return found
}

function foreignNames(): StartupError {
  return new StartupError(
    'The backup is damaged: manifest.json names other tables or columns than this version has. No row was written.',
  )
}

/**
 * Copies the secrets of the backup into the data folder, which may have the same ones already. If
 * AUTH_SECRET is set, the file `secret` is left out, because the server would not use it.
 * @throws {StartupError} when the data folder has other secrets.
 */
async function restoreSecrets(
  folder: string,
  { dataDir, authSecret }: Pick<Config, 'authSecret' | 'dataDir'>,
): Promise<void> {
  for (const name of secretFiles) {
    const saved = await textOf(join(folder, name))
    if (saved === null || (name === 'secret' && authSecret !== null)) continue
    const found = await textOf(join(dataDir, name))
    if (found === saved) continue
    if (found !== null) {
      throw new StartupError(
        `${join(dataDir, name)} is not that of the backup. Give an empty DATA_DIR: no row was written.`,
      )
    }
    await createFile(join(dataDir, name), saved)
  }
}

/** Copies all objects of the backup. Returns how many there were. */
async function restoreObjects(
  folder: string,
  { installation, objects }: Manifest,
  config: RestoreOptions['config'],
  clock: Deps['clock'],
): Promise<number> {
  const from = await openSealedFiles(folder)
  const to = await openObjects(storeOfNewFiles(config), config, clock)
  try {
    await claimFor(installation, to)
    await to.removeLeftParts?.()
    const kept = keptObjects(readObjects(folder, objects.sha256))
    let count = 0
    for await (const [{ key }, { outcome }] of copyEach(kept, (one) => copyObject(one, from, to))) {
      if (outcome === 'missing' || outcome === 'altered') {
        throw new StartupError(
          `The backup is damaged: files/${key.slice(0, 2)}/${key} is ${outcome}.`,
        )
      }
      count += 1
    }
    return count
  } finally {
    await to.close()
    await from.close()
  }
}

type KeptObject = BackupObject & { sha256: string }

async function* keptObjects(objects: AsyncIterable<BackupObject>): AsyncGenerator<KeptObject> {
  for await (const { sha256, ...object } of objects)
    if (sha256 !== null) yield { ...object, sha256 }
}

async function endLinksOfGone(
  client: pg.ClientBase,
  objects: AsyncIterable<BackupObject>,
  now: Date,
): Promise<void> {
  let keys: string[] = []
  for await (const { key, sha256, isFault } of objects) {
    // If storage had lost the bytes before the backup, the row is not changed. So the nightly
    // comparison of storage with the database reports the loss.
    if (sha256 !== null || isFault) continue
    keys.push(key)
    if (keys.length < keysAtOnce) continue
    await markAsGone(client, keys, now)
    keys = []
  }
  await markAsGone(client, keys, now)
}
