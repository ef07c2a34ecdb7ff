import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import type { Config } from '../config/config.ts'
import { newestMigration } from '../db/migrate.ts'
import { openBesideServer } from '../db/open-beside.ts'
import {
  columnsOf,
  inSnapshot,
  type RowSet,
  readRows,
  rowsWithoutUploads,
} from '../db/row-copies.ts'
import type { Deps } from '../deps.ts'
import { StartupError } from '../errors.ts'
import { replaceFile } from '../storage/disk/durable-file.ts'
import { openSealedFiles } from '../storage/disk/sealed-files.ts'
import type { SealedObjects } from '../storage/sealed-objects.ts'
import {
  type BackupObject,
  linesOf,
  type Manifest,
  objectsFile,
  prepareBackupFolder,
  readObjects,
  secretFiles,
  textOf,
  writeHashed,
  writeManifest,
} from './backup-folder.ts'
import { copyEach, copyObject } from './copy-objects.ts'
import { claimFor, openObjects } from './open-objects.ts'
import {
  findInstallation,
  isFileKept,
  listStoredFiles,
  noteBackup,
  type StoredFile,
} from './queries.ts'

export interface BackupOptions {
  config: Pick<Config, 'appUrl' | 'databaseUrl' | 'dataDir' | 's3'>
  clock: Deps['clock']
  log: Pick<Deps['log'], 'info' | 'warn'>
  /** Rows of tables that are not in `schema.ts`: the mail in the job queue. */
  more: readonly RowSet[]
  /** Opens the objects of a store. Tests give their own. */
  open?: (name: StorageName) => Promise<SealedObjects>
}

/**
 * What a backup holds. `faults` are the ids of the files whose bytes it should have but has not,
 * because storage had lost or altered them.
 */
export interface MadeBackup {
  rows: number
  objects: number
  bytes: number
  faults: string[]
}

/** The list of the files to copy. It is removed when their bytes are copied. */
const listedFile = 'listed.ndjson'

/**
 * Copies everything except running uploads into a folder, even while servers run. All rows are of
 * one moment. The bytes of files are copied later, which is safe because they never change. If the
 * bytes of a file are removed meanwhile, the backup notes that, and a restore ends the file's link.
 * An interrupted backup can be repeated with the same folder, and then keeps the objects that it
 * has copied. At the end the database notes the backup, for the checks of the Admin Center.
 * @throws {StartupError} when no server has used the database yet, or when the folder, the database
 * or a store cannot be used.
 */
export async function makeBackup(folder: string, options: BackupOptions): Promise<MadeBackup> {
  const { config, clock, log, more } = options
  await prepareBackupFolder(folder)
  const { pool, close } = await openBesideServer(config, log)
  try {
    const madeAt = clock().toISOString()
    const { installation, rows } = await inSnapshot(pool, async (client) => {
      const installation = await findInstallation(client)
      if (installation === null) {
        throw new StartupError('No server has used this database yet: there is nothing to back up.')
      }
      const rows = await writeAllRows(client, folder, more)
      await writeHashed(join(folder, listedFile), asLines(listStoredFiles(client)))
      return { installation, rows }
    })
    await copySecrets(config.dataDir, folder)
    const copied = await copyListed(folder, { installation, pool, ...options })
    const { faults, ...objects } = copied
    await rm(join(folder, listedFile))
    const migration = await newestMigration()
    await writeManifest(folder, { format: 1, madeAt, migration, installation, rows, objects })
    await noteBackup(pool, { madeAt, objects: objects.count, faults: faults.length }).catch(
      // The backup is complete all the same. A replica, for example, takes no writes, so it cannot
      // note its backup.
      (error: unknown) => log.warn({ err: error }, 'the database could not note the backup'),
    )
    const counts = rows.map(({ count }) => count)
    return {
      rows: counts.reduce((sum, count) => sum + count, 0),
      objects: objects.count,
      bytes: objects.bytes,
      faults,
    }
  } finally {
    await close()
  }
}

async function writeAllRows(
  client: pg.ClientBase,
  folder: string,
  more: readonly RowSet[],
): Promise<Manifest['rows']> {
  const rows: Manifest['rows'] = []
  for (const set of [...rowsWithoutUploads, ...more]) {
    const columns = await columnsOf(client, set)
    const file = `${set.table.replaceAll('"', '')}.copy`
    const read = readRows(client, set, columns, null)
    const sha256 = await writeHashed(join(folder, 'rows', file), read)
    rows.push({ table: set.table, file, columns, count: read.rowCount, sha256 })
  }
  return rows
}

async function copySecrets(dataDir: string, folder: string): Promise<void> {
  for (const name of secretFiles) {
    const text = await textOf(join(dataDir, name))
    if (text !== null) await replaceFile(join(folder, name), text)
  }
}

interface Copying extends BackupOptions {
  installation: string
  pool: pg.Pool
}

/** Copies the bytes of all files in `listedFile`. Writes to `objectsFile` which ones it copied. */
async function copyListed(
  folder: string,
  options: Copying,
): Promise<Manifest['objects'] & { faults: string[] }> {
  const { config, clock, installation, open = (name) => openObjects(name, config, clock) } = options
  const to = await openSealedFiles(folder)
  const sources = new Map<StorageName, Promise<SealedObjects>>()
  const sourceOf = (name: StorageName) => {
    const source = sources.get(name) ?? open(name)
    sources.set(name, source)
    return source
  }
  try {
    await claimFor(installation, to)
    const total = { count: 0, bytes: 0, faults: [] as string[] }
    async function* copied(): AsyncGenerator<BackupObject> {
      const listed = filesIn(join(folder, listedFile))
      const copies = copyEach(listed, async (file) =>
        copyFileOf(file, await sourceOf(file.storage), to, options.pool),
      )
      for await (const [file, object] of copies) {
        if (object.isFault) total.faults.push(file.fileId)
        total.count += object.sha256 === null ? 0 : 1
        total.bytes += object.sha256 === null ? 0 : object.size
        yield object
      }
    }
    const sha256 = await writeHashed(join(folder, objectsFile), asLines(copied()))
    await removeOthers(to, readObjects(folder, sha256))
    return { ...total, sha256 }
  } finally {
    // If a source could not be opened, the backup has failed already. Only the others need a close.
    await Promise.allSettled([...sources.values()].map(async (source) => (await source).close()))
    await to.close()
  }
}

async function copyFileOf(
  { key, size, sha256, fileId }: StoredFile,
  from: SealedObjects,
  to: SealedObjects,
  pool: pg.Pool,
): Promise<BackupObject> {
  const none = { key, size, sha256: null }
  try {
    const copied = await copyObject({ key, size, sha256 }, from, to)
    if ('sha256' in copied) return { key, size, sha256: copied.sha256, isFault: false }
  } catch (error) {
    // The bytes may have been removed while they were read.
    if (await isFileKept(pool, fileId)) throw error
    return { ...none, isFault: false }
  }
  return { ...none, isFault: await isFileKept(pool, fileId) }
}

/** Removes objects that an earlier, interrupted backup left in `to` and that `named` lacks. */
async function removeOthers(
  to: SealedObjects,
  named: AsyncGenerator<BackupObject, void>,
): Promise<void> {
  let next = await named.next()
  for await (const { key } of to.list()) {
    while (!next.done && next.value.key < key) next = await named.next()
    const isNamed = !next.done && next.value.key === key && next.value.sha256 !== null
    if (!isNamed) await to.remove(key)
  }
}

async function* asLines(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const value of values) yield `${JSON.stringify(value)}\n`
}

async function* filesIn(path: string): AsyncGenerator<StoredFile> {
  for await (const line of linesOf(createReadStream(path))) yield JSON.parse(line)
}
