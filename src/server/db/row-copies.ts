import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { getTableName, is } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import type pg from 'pg'
import { type CopyToStreamQuery, from as copyFrom, to as copyTo } from 'pg-copy-streams'
import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import { StartupError } from '../errors.ts'
import * as schema from './schema.ts'
import type { Db } from './transaction.ts'

/** The rows to copy from one table. `table` and `where` are SQL. */
export interface RowSet {
  table: string
  where: string
}

/** A column to copy. Its name is already quoted for SQL. */
interface Column {
  name: string
  isIdentity: boolean
}

/**
 * The rows in a backup. Each table comes after the tables that it references. Unfinished uploads
 * are left out, because backups don't contain their bytes. A browser that resumes one gets "not
 * found" and starts a new upload.
 */
export const rowsToCopy: readonly RowSet[] = parentsFirst(
  Object.values(schema)
    .filter((value) => is(value, PgTable))
    .filter((table) => table !== schema.uploads),
).map((table) => ({ table: `"${getTableName(table)}"`, where: 'true' }))

/** Runs `work` in a read-only transaction with a consistent snapshot of the database. */
export function inSnapshot<T>(
  pool: pg.Pool,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, 'isolation level repeatable read read only', work)
}

/**
 * Runs `work`, which fills a database, in one transaction. Then updates the planner statistics.
 * `tx` is the same transaction as `client`.
 */
export function fillDatabase<T>(
  pool: pg.Pool,
  work: (client: pg.ClientBase, tx: Db) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, 'read write', async (client) => {
    const result = await work(client, drizzle(client))
    await client.query('analyze')
    return result
  })
}

/**
 * Runs `work` in a transaction with fixed text formats, which otherwise depend on the database's
 * settings. Then closes the connection, which rolls back unless `work` has committed.
 */
async function inTransaction<T>(
  pool: pg.Pool,
  mode: string,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query(
      `begin ${mode}; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres';
      set local timezone = 'UTC'; set local bytea_output = 'hex'; set local extra_float_digits = 1`,
    )
    const result = await work(client)
    await client.query('commit')
    return result
  } finally {
    client.release(true)
  }
}

/** @throws {StartupError} if the database already has rows. */
export async function requireNoRows(client: pg.ClientBase): Promise<void> {
  for (const { table } of rowsToCopy) {
    if ((await client.query(`select 1 from ${table} limit 1`)).rows.length === 0) continue
    throw new StartupError(
      `The database is not empty (${table} has rows). Name an empty database: nothing was restored.`,
    )
  }
}

/** Returns the installation id stored in the database, or null if there is none yet. */
export async function findInstallation(client: pg.ClientBase): Promise<string | null> {
  const { rows } = await client.query<{ value: string }>(
    `select value from settings where key = 'installation'`,
  )
  return rows[0]?.value ?? null
}

/** Returns a table's columns, except generated ones, which can't be written. */
export async function readColumns(client: pg.ClientBase, { table }: RowSet): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select quote_ident(attname) as name, attidentity <> '' as "isIdentity" from pg_attribute
    where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''
    order by attnum`,
    [table],
  )
  return rows
}

/** Reads a table's rows in COPY format. */
export function readRows(
  client: pg.ClientBase,
  { table, where }: RowSet,
  columns: readonly string[],
): CopyToStreamQuery {
  return client.query(copyTo(`copy (select ${columns} from ${table} where ${where}) to stdout`))
}

/** Writes rows from `readRows` and returns their number. */
export async function writeRows(
  client: pg.ClientBase,
  { table }: RowSet,
  columns: readonly Column[],
  rows: Readable,
): Promise<number> {
  const copyStream = client.query(
    copyFrom(`copy ${table} (${columns.map(({ name }) => name)}) from stdin`),
  )
  await pipeline(rows, copyStream)
  for (const { name, isIdentity } of columns) {
    if (!isIdentity) continue
    // The next generated id must be higher than every copied id.
    const nextId = `(select coalesce(max(${name}), 0) + 1 from ${table})`
    await client.query(`select setval(pg_get_serial_sequence($1, $2), ${nextId}, false)`, [
      table,
      name,
    ])
  }
  return copyStream.rowCount
}

/** Records that the bytes of all files and pending removals are in this store. */
export async function moveToStore(client: pg.ClientBase, store: StorageName): Promise<void> {
  for (const table of ['files', 'removals']) {
    await client.query(`update ${table} set storage = $1 where storage <> $1`, [store])
  }
}

/** Sorts the tables so that each comes after the tables that it references. */
function parentsFirst(unordered: readonly PgTable[]): PgTable[] {
  const ordered = new Set<PgTable>()
  const add = (table: PgTable) => {
    for (const { reference } of getTableConfig(table).foreignKeys) add(reference().foreignTable)
    ordered.add(table)
  }
  for (const table of unordered) add(table)
  return [...ordered]
}
