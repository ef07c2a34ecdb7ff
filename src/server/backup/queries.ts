import { eq } from 'drizzle-orm'
import type pg from 'pg'
import { z } from 'zod'
import { type StorageName, storageNames } from '../../shared/rules/files/storage-name.ts'
import type { Db } from '../db/db.ts'
import { settings } from '../db/schema.ts'

/**
 * A file that is not purged. Its bytes should be in storage. They may be missing if the purge is
 * removing them at this moment.
 */
export interface StoredFile {
  fileId: string
  storage: StorageName
  key: string
  size: number
  /** null if this server has not computed it. */
  sha256: string | null
}

const pageSize = 1000

/**
 * Yields every file that is not purged, in the order of the keys. Call it inside a transaction,
 * because it uses a cursor. In a snapshot, it yields the files of the snapshot's moment.
 */
export async function* listStoredFiles(client: pg.ClientBase): AsyncGenerator<StoredFile> {
  await client.query(
    `declare stored_files no scroll cursor for
    select id as "fileId", storage, storage_key as key, size,
      case when is_content_proved then sha256 end as sha256
    from files where purged_at is null order by storage_key collate "C"`,
  )
  for (;;) {
    const { rows } = await client.query<StoredFile & { size: string }>(
      `fetch ${pageSize} from stored_files`,
    )
    for (const row of rows) yield { ...row, size: Number(row.size) }
    if (rows.length < pageSize) break
  }
  await client.query('close stored_files')
}

/**
 * Returns the stores that a database needs: those in which it knows of a file, an open upload, or
 * bytes that it still has to remove.
 */
export async function findNamedStores(client: pg.ClientBase): Promise<StorageName[]> {
  const { rows } = await client.query<{ storage: StorageName }>(
    `select named as storage from unnest($1::text[]) named
    where exists (select 1 from files where files.storage = named and purged_at is null)
      or exists (select 1 from uploads where uploads.storage = named)
      or exists (select 1 from removals where removals.storage = named)`,
    [storageNames],
  )
  return rows.map(({ storage }) => storage)
}

/** Returns the id of the installation that a database belongs to, or null if it has none yet. */
export async function findInstallation(client: pg.ClientBase): Promise<string | null> {
  const { rows } = await client.query<{ value: string }>(
    `select value from settings where key = 'installation'`,
  )
  return rows[0]?.value ?? null
}

/** The key of the row in `settings` that holds the facts about the last backup. */
const lastBackupKey = 'last_backup'

const lastBackup = z.object({
  /** The moment of the rows in the backup. */
  madeAt: z.iso.datetime(),
  /** How many files the backup has the bytes of. */
  objects: z.int().nonnegative(),
  /** How many files it lacks, because their bytes were missing in storage or altered there. */
  faults: z.int().nonnegative(),
  /** `other`: another program made it, and the operator had that noted. */
  by: z.enum(['command', 'other']).default('command'),
})
export type LastBackup = z.output<typeof lastBackup>

/** Notes in the database that a backup is complete. An older one is not noted over a newer one. */
export async function noteBackup(pool: pg.Pool, made: z.input<typeof lastBackup>): Promise<void> {
  await pool.query(
    `insert into settings (key, value, updated_at) values ($1, $2, $3)
    on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at
    where settings.updated_at <= excluded.updated_at`,
    [lastBackupKey, JSON.stringify(made), made.madeAt],
  )
}

/** Returns the facts about the last backup, or null if none was noted. */
export async function findLastBackup(db: Db): Promise<LastBackup | null> {
  const [row] = await db
    .select({ value: settings.value })
    .from(settings)
    .where(eq(settings.key, lastBackupKey))
  return row ? lastBackup.parse(JSON.parse(row.value)) : null
}

/** Returns when the first server used this database, or null if none has. */
export async function findFirstUse(db: Db): Promise<Date | null> {
  const [row] = await db
    .select({ at: settings.updatedAt })
    .from(settings)
    .where(eq(settings.key, 'installation'))
  return row?.at ?? null
}

/**
 * Tells whether a file still has its bytes, and their removal has not begun. Its link may be over.
 */
export async function isFileKept(pool: pg.Pool, fileId: string): Promise<boolean> {
  const { rows } = await pool.query(
    'select 1 from files where id = $1 and purged_at is null and purging_at is null',
    [fileId],
  )
  return rows.length > 0
}

/**
 * Ends the links of files whose bytes are gone, as a purge does. The next purge finds no bytes, and
 * completes the removal with its receipt.
 */
export async function markAsGone(
  client: pg.ClientBase,
  keys: readonly string[],
  now: Date,
): Promise<void> {
  await client.query(
    `update files set purging_at = coalesce(purging_at, $2), purge_due_at = coalesce(purge_due_at, $2),
      purge_try_at = $2, expires_at = least(expires_at, $2)
    where storage_key = any($1) and purged_at is null`,
    [keys, now],
  )
}
