import type pg from 'pg'
import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import type { Config } from '../config/config.ts'
import {
  allRows,
  columnsOf,
  findFilledTable,
  fingerprintOf,
  hasUsers,
  inOneFilling,
  inSnapshot,
  type RowSet,
  readRows,
  rowsWithoutUploads,
  writeRows,
} from '../db/row-copies.ts'
import type { Deps } from '../deps.ts'
import { StartupError } from '../errors.ts'
import type { SealedObjects } from '../storage/sealed-objects.ts'
import { copyEach, copyObject } from './copy-objects.ts'
import { claimFor, openObjects } from './open-objects.ts'
import { findInstallation, findNamedStores, isFileKept, listStoredFiles } from './queries.ts'

/** Out of DATA_DIR to DATABASE_URL and the bucket, or back into DATA_DIR. */
export type Direction = 'out' | 'back'

export interface MoveOptions {
  direction: Direction
  config: Pick<Config, 'appUrl' | 'dataDir' | 's3'>
  clock: Deps['clock']
  /** No server may use either database. Both have all tables, those of the job queue too. */
  from: pg.Pool
  to: pg.Pool
  /** Rows of tables that are not in `schema.ts`: the mail in the job queue. */
  more: readonly RowSet[]
}

/**
 * What a move has copied. `faults` are the ids of the files whose bytes it should have copied but
 * could not, because storage had lost or altered them.
 */
export interface Moved {
  rows: number
  objects: number
  faults: string[]
}

/**
 * Copies everything to another database and, if the settings name a bucket, to another store. The
 * bytes come first and the rows last, in one transaction, so the new server finds everything or
 * nothing. The old database and the old store are only read. A move can be repeated, whether it was
 * interrupted or complete: what has been copied already is compared and kept. Uploads under way are
 * moved only if the bytes stay in their store.
 * @throws {StartupError} when the old database has no account, the new database has other rows, the
 * new store has files of another installation, or the settings do not name a bucket that has files.
 */
export async function move(options: MoveOptions): Promise<Moved> {
  const { from, to, more } = options
  return inSnapshot(from, async (source) => {
    const installation = (await hasUsers(source)) ? await findInstallation(source) : null
    if (installation === null) {
      throw new StartupError(
        'The database to copy from has no account. Check DATA_DIR and DATABASE_URL: nothing was copied.',
      )
    }
    const store = await storeAfter(source, options)
    const sets = [...(store === null ? allRows : rowsWithoutUploads), ...more]
    const isFilled = await inSnapshot(to, async (target) => {
      if ((await findFilledTable(target)) === undefined) return false
      await requireSameRows({ source, target }, sets, store)
      return true
    })
    const copied =
      store === null ? noObjects : await moveObjects(source, store, installation, options)
    if (isFilled) return { rows: 0, ...copied }
    const rows = await inOneFilling(to, async (target) => {
      let count = 0
      for (const set of sets) {
        const columns = await columnsOf(target, set)
        count += await writeRows(target, set, columns, readRows(source, set, columns, store))
      }
      await requireSameRows({ source, target }, sets, store)
      return count
    })
    return { rows, ...copied }
  })
}

const noObjects = { objects: 0, faults: [] }

/** Returns the store that all bytes are copied to; null if the bytes stay in their store. */
async function storeAfter(
  source: pg.ClientBase,
  { direction, config }: Pick<MoveOptions, 'config' | 'direction'>,
): Promise<StorageName | null> {
  if (direction === 'out') return config.s3 === null ? null : 's3'
  const named = await findNamedStores(source)
  if (!named.includes('s3')) return null
  if (config.s3 === null) {
    throw new StartupError(
      'Some files lie in a bucket. Name it by the settings that begin with S3_: nothing was copied.',
    )
  }
  return 'disk'
}

/** @throws {StartupError} when the rows of two databases differ in more than their store. */
async function requireSameRows(
  { source, target }: { source: pg.ClientBase; target: pg.ClientBase },
  sets: readonly RowSet[],
  store: StorageName | null,
): Promise<void> {
  for (const set of sets) {
    const columns = await columnsOf(target, set)
    const [wanted, found] = await Promise.all([
      fingerprintOf(source, set, columns, store),
      fingerprintOf(target, set, columns, null),
    ])
    if (wanted === found) continue
    throw new StartupError(
      `The database to copy to has other rows than the one to copy from (in ${set.table}). Give an empty one: no row was written.`,
    )
  }
}

/** Copies the bytes of all files that are not in the new store yet. */
async function moveObjects(
  source: pg.ClientBase,
  store: StorageName,
  installation: string,
  { config, clock, from: pool }: MoveOptions,
): Promise<Pick<Moved, 'faults' | 'objects'>> {
  const old = (await findNamedStores(source)).filter((name) => name !== store)
  const to = await openObjects(store, config, clock)
  const sources = new Map<StorageName, SealedObjects>()
  for (const name of old) sources.set(name, await openObjects(name, config, clock))
  const total = { objects: 0, faults: [] as string[] }
  try {
    await claimFor(installation, to)
    await to.removeLeftParts?.()
    const copies = copyEach(listStoredFiles(source), async (file) => {
      const from = sources.get(file.storage)
      return from === undefined ? null : copyObject(file, from, to)
    })
    for await (const [{ fileId }, copied] of copies) {
      if (copied === null) continue
      if ('sha256' in copied) total.objects += 1
      else if (await isFileKept(pool, fileId)) total.faults.push(fileId)
    }
    return total
  } finally {
    for (const from of sources.values()) await from.close()
    await to.close()
  }
}
