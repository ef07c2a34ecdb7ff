import type { DirectDb } from './direct-db.ts'
import { Violation } from './expected-file.ts'
import type { StorageReader } from './storage-reader.ts'

/**
 * Compares storage with the database. All jobs must have run, and no upload may be open.
 * @throws {Violation} if a file's bytes are missing, or if bytes are stored without a row.
 */
export async function checkStoredFiles(
  directDb: DirectDb,
  storageReader: StorageReader,
): Promise<void> {
  const sizesByKey = await storageReader.sealedSizes()
  const { rows } = await directDb.query<{ key: string; size: string; expected: boolean }>(
    `select storage_key as key, size, purging_at is null and deleted_at is null as expected from files`,
  )
  for (const { key, size, expected } of rows) {
    const storedSize = sizesByKey.get(key)
    if (expected && storedSize !== Number(size)) {
      throw new Violation(`${key} has ${storedSize ?? 'no'} bytes stored, not ${size}`)
    }
  }
  const uploadsResult = await directDb.query<{ key: string }>(
    'select storage_key as key from uploads',
  )
  const referencedKeys = new Set([...rows, ...uploadsResult.rows].map(({ key }) => key))
  for (const key of sizesByKey.keys()) {
    if (!referencedKeys.has(key))
      throw new Violation(`bytes of ${key} are stored, and no row names them`)
  }
}

/** @throws {Violation} if a purged file's bytes are still in storage. */
export async function checkPurged(directDb: DirectDb, storageReader: StorageReader): Promise<void> {
  const { rows } = await directDb.query<{ key: string }>(
    `select storage_key as key from files where purged_at is not null
     union all select storage_key from deletion_receipts`,
  )
  const storedKeys = new Set([
    ...(await storageReader.sealedSizes()).keys(),
    ...(await storageReader.listOpenUploads()),
  ])
  for (const { key } of rows) {
    if (storedKeys.has(key)) throw new Violation(`${key} is purged, but its bytes remain`)
  }
}

/**
 * Checks for orphaned bytes. Call it after the cleanup jobs but before the storage comparison,
 * which deletes orphans. No upload may be in progress.
 * @throws {Violation} if bytes are stored without a row.
 */
export async function checkNoOrphans(
  directDb: DirectDb,
  storageReader: StorageReader,
): Promise<void> {
  const { rows } = await directDb.query<{ key: string }>(
    `select storage_key as key from files union all select storage_key from uploads
     union all select storage_key from removals`,
  )
  const referencedKeys = new Set(rows.map(({ key }) => key))
  const openUploadKeys = storageReader.canStartLate ? [] : await storageReader.listOpenUploads()
  for (const key of [...(await storageReader.sealedSizes()).keys(), ...openUploadKeys]) {
    if (!referencedKeys.has(key)) throw new Violation(`${key} is stored, and no row names it`)
  }
}

/**
 * Checks that uploads that have ended left nothing behind. All jobs must have run, and no upload
 * may be in progress.
 * @throws {Violation} if stored bytes or a part list remain.
 */
export async function checkOpenUploads(
  directDb: DirectDb,
  storageReader: StorageReader,
): Promise<void> {
  const { rows } = await directDb.query<{ key: string }>('select storage_key as key from uploads')
  const openKeys = new Set(rows.map(({ key }) => key))
  for (const key of await storageReader.listOpenUploads()) {
    if (!openKeys.has(key)) throw new Violation(`parts of ${key} are left, and no upload names it`)
  }
}

/**
 * Checks that no deletion is pending. All jobs must have run twice, a day apart.
 * @throws {Violation} if a purge is unfinished or a row remains in `removals`.
 */
export async function checkRemovalsDone(directDb: DirectDb): Promise<void> {
  const { rows } = await directDb.query<{ count: string }>(
    `select (select count(*) from files where purging_at is not null and purged_at is null)
       + (select count(*) from removals) as count`,
  )
  if (rows[0]?.count !== '0') throw new Violation(`${rows[0]?.count} removals were not carried out`)
}

/**
 * Checks that no free user exceeds the file limit.
 * @param latest the latest time that the server's clock has ever shown. A file that had expired by
 * then doesn't count: another file may have taken its slot, and if the clock is set back, both
 * files' links work.
 * @throws {Violation} if a free user has more than `maxFiles` active files.
 */
export async function checkFreeLimit(
  directDb: DirectDb,
  latest: Date,
  maxFiles: number,
): Promise<void> {
  const { rows } = await directDb.query<{ count: string }>(
    `select count(*) from files join users on users.id = files.owner_id join links on links.id = files.link_id
     where users.tier = 'free' and files.deleted_at is null and links.expires_at > $1
     group by users.id having count(*) > $2`,
    [latest, maxFiles],
  )
  const [row] = rows
  if (row) throw new Violation(`a free user has ${row.count} files, and ${maxFiles} are allowed`)
}
