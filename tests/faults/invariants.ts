import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { Violation } from './expected-file.ts'

/**
 * To test that a folder is writable, the server writes a file whose name begins with a dot. A killed
 * server may leave that file.
 */
function isOfServer(name: string): boolean {
  return name.startsWith('.')
}

/** Reads the sizes of all stored objects, by storage key, from the folder of the disk store. */
async function storedSizes(folder: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || isOfServer(entry.name)) continue
    const { size } = await stat(join(entry.parentPath, entry.name))
    sizes.set(entry.name, size)
  }
  return sizes
}

/**
 * Compares the database with the folder of stored files. Call it after all jobs have run, while no
 * upload is under way.
 * @throws {Violation} if bytes are missing or are there without a row, or if the sums that limits
 * and caps use are wrong.
 */
export async function checkStored(witness: pg.Client, filesFolder: string): Promise<void> {
  const sizes = await storedSizes(filesFolder)
  const { rows } = await witness.query<{ key: string; size: string; kept: boolean; gone: boolean }>(
    `select storage_key as key, size, purging_at is null and deleted_at is null as kept,
       purged_at is not null as gone from files`,
  )
  for (const { key, size, kept, gone } of rows) {
    const stored = sizes.get(key)
    if (kept && stored !== Number(size)) {
      throw new Violation(`${key} has ${stored ?? 'no'} bytes stored, not ${size}`)
    }
    if (gone && stored !== undefined) throw new Violation(`${key} is purged, but its bytes remain`)
  }
  const uploads = await witness.query<{ key: string }>('select storage_key as key from uploads')
  const named = new Set([...rows, ...uploads.rows].map(({ key }) => key))
  for (const key of sizes.keys()) {
    if (!named.has(key)) throw new Violation(`bytes of ${key} are stored, and no row names them`)
  }
  const sums = await witness.query<{ counted: string; real: string }>(
    `select (select coalesce(sum(bytes), 0) from stored_bytes) as counted,
       (select coalesce(sum(size), 0) from files where purged_at is null) as real`,
  )
  const [sum] = sums.rows
  if (sum?.counted !== sum?.real) {
    throw new Violation(`${sum?.counted} bytes are counted as stored, and ${sum?.real} are`)
  }
}

/**
 * Checks that the folder of uploads contains nothing of an upload that has ended. Call it after all
 * jobs have run, while no upload is under way.
 * @throws {Violation} if bytes or a list of parts are still there.
 */
export async function checkArriving(witness: pg.Client, uploadsFolder: string): Promise<void> {
  const { rows } = await witness.query<{ key: string }>('select storage_key as key from uploads')
  const open = new Set(rows.map(({ key }) => key))
  for (const name of await readdir(uploadsFolder)) {
    const [key = ''] = name.split('.')
    if (isOfServer(name) || open.has(key)) continue
    throw new Violation(`${name} is left in the folder of uploads, and no upload names it`)
  }
}

/**
 * Checks that no free user has more than `mostFiles` files whose links are open at `now`.
 * @throws {Violation} if one has more.
 */
export async function checkFreeLimit(
  witness: pg.Client,
  now: Date,
  mostFiles: number,
): Promise<void> {
  const { rows } = await witness.query<{ count: string }>(
    `select count(*) from files join users on users.id = files.owner_id
     where users.tier = 'free' and files.deleted_at is null and files.expires_at > $1
     group by users.id having count(*) > $2`,
    [now, mostFiles],
  )
  const [row] = rows
  if (row) throw new Violation(`a free user has ${row.count} files, and ${mostFiles} are allowed`)
}
