import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { getTableColumns, getTableName, is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import type pg from 'pg'
import { type CopyToStreamQuery, from as copyFrom, to as copyTo } from 'pg-copy-streams'
import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import { StartupError } from '../errors.ts'
import * as schema from './schema.ts'

/** Rows of one table that are copied together. `table` and `where` are SQL. */
export interface RowSet {
  table: string
  where: string
}

/** A column that is copied. Its name is quoted for SQL. */
interface Column {
  name: string
  isIdentity: boolean
}

/**
 * Each row of these tables names the store of its bytes. A copy may change that name. Rows of
 * `uploads` name a store too, but copies that change the store leave uploads out.
 */
const withBytes = [schema.files, schema.removals].map(getTableName)
const storeColumn = getTableColumns(schema.files).storage.name

/** All rows of all tables. Each table comes after the tables that its rows refer to. */
export const allRows: readonly RowSet[] = parentsFirst(
  Object.values(schema).filter((value) => is(value, PgTable)),
).map((table) => ({ table: `"${getTableName(table)}"`, where: 'true' }))

/**
 * The rows of `allRows` without those of `uploads`, for copies that lack the bytes of unfinished
 * uploads. A browser that continues such an upload learns that it does not exist, and starts a new
 * one.
 */
export const rowsWithoutUploads: readonly RowSet[] = allRows.filter(
  ({ table }) => table !== `"${getTableName(schema.uploads)}"`,
)

/**
 * A function that runs in a transaction. Afterwards `withClient` closes the connection, so Postgres
 * rolls back whatever was not committed.
 */
type Work<T> = (client: pg.ClientBase) => Promise<T>

/**
 * Does `work` in a transaction that can only read. It sees the database as it was at one moment,
 * without later changes.
 */
export function inSnapshot<T>(pool: pg.Pool, work: Work<T>): Promise<T> {
  return withClient(pool, async (client) => {
    await client.query('begin isolation level repeatable read read only')
    await writeValuesAlike(client)
    return work(client)
  })
}

/**
 * Does `work`, which fills a database, in one transaction. If it is interrupted, no rows remain. At
 * the end `analyze` computes statistics. Without them, Postgres would plan the first queries as if
 * the tables were empty.
 */
export function inOneFilling<T>(pool: pg.Pool, work: Work<T>): Promise<T> {
  return withClient(pool, async (client) => {
    await client.query('begin')
    await writeValuesAlike(client)
    const result = await work(client)
    await client.query('analyze')
    await client.query('commit')
    return result
  })
}

async function withClient<T>(pool: pg.Pool, work: Work<T>): Promise<T> {
  const client = await pool.connect()
  try {
    return await work(client)
  } finally {
    client.release(true)
  }
}

/**
 * Sets the text formats of values until the transaction ends. So two databases with different
 * settings write and read values in the same way.
 */
async function writeValuesAlike(client: pg.ClientBase): Promise<void> {
  await client.query(
    `set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres';
    set local timezone = 'UTC'; set local bytea_output = 'hex'; set local extra_float_digits = 1`,
  )
}

/**
 * Tells whether a database has a user. Every server creates the administrator at its first start,
 * so a database without a user has never been used by a server.
 */
export async function hasUsers(client: pg.ClientBase): Promise<boolean> {
  return (await client.query('select 1 from users limit 1')).rows.length > 0
}

/** Returns the first table of `allRows` that has rows, or undefined. */
export async function findFilledTable(client: pg.ClientBase): Promise<string | undefined> {
  for (const { table } of allRows) {
    if ((await client.query(`select 1 from ${table} limit 1`)).rows.length > 0) return table
  }
  return undefined
}

/** @throws {StartupError} when the database has rows already. */
export async function requireNoRows(client: pg.ClientBase): Promise<void> {
  const filled = await findFilledTable(client)
  if (filled === undefined) return
  throw new StartupError(
    `The database to copy to has rows already (in ${filled}). Give an empty one: no row was written.`,
  )
}

/**
 * Returns the columns of a table in their order, without generated columns, because they cannot be
 * written.
 */
export async function columnsOf(client: pg.ClientBase, { table }: RowSet): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select quote_ident(attname) as name, attidentity <> '' as "isIdentity" from pg_attribute
    where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''
    order by attnum`,
    [table],
  )
  return rows
}

/**
 * Reads rows in the format of COPY.
 * @param store the store that all rows in the copy name. With null, each row keeps its store.
 */
export function readRows(
  client: pg.ClientBase,
  { table, where }: RowSet,
  columns: readonly Column[],
  store: StorageName | null,
): CopyToStreamQuery {
  const values = valuesOf(table, columns, store)
  return client.query(copyTo(`copy (select ${values} from ${table} where ${where}) to stdout`))
}

/**
 * Writes rows that `readRows` has read.
 * @returns how many rows it has written.
 */
export async function writeRows(
  client: pg.ClientBase,
  { table }: RowSet,
  columns: readonly Column[],
  rows: Readable,
): Promise<number> {
  const names = columns.map(({ name }) => name).join(', ')
  const write = client.query(copyFrom(`copy ${table} (${names}) from stdin`))
  await pipeline(rows, write)
  for (const { name, isIdentity } of columns) {
    if (!isIdentity) continue
    // The next row gets a number that no copied row has.
    const next = `(select coalesce(max(${name}), 0) + 1 from ${table})`
    await client.query(`select setval(pg_get_serial_sequence($1, $2), ${next}, false)`, [
      table,
      name,
    ])
  }
  return write.rowCount
}

/** Sets the store of all files and removals. */
export async function setStore(client: pg.ClientBase, store: StorageName): Promise<void> {
  for (const table of withBytes) {
    await client.query(`update "${table}" set ${storeColumn} = $1 where ${storeColumn} <> $1`, [
      store,
    ])
  }
}

/**
 * Returns a fingerprint of the rows. If a row differs or is missing, the fingerprint almost
 * certainly differs.
 */
export async function fingerprintOf(
  client: pg.ClientBase,
  { table, where }: RowSet,
  columns: readonly Column[],
  store: StorageName | null,
): Promise<string> {
  const { rows } = await client.query<{ print: string }>(
    `select count(*) || ':' || coalesce(sum(hashtextextended(t::text, 0)), 0) as print
    from (select ${valuesOf(table, columns, store)} from ${table} where ${where}) t`,
  )
  return rows[0]?.print ?? ''
}

function valuesOf(table: string, columns: readonly Column[], store: StorageName | null): string {
  const names = columns.map(({ name }) => name)
  if (store === null || !withBytes.some((name) => `"${name}"` === table)) return names.join(', ')
  return names.map((name) => (name === storeColumn ? `'${store}' as ${name}` : name)).join(', ')
}

/** Orders the tables so that each comes after the tables that its rows refer to. */
function parentsFirst(unordered: readonly PgTable[]): PgTable[] {
  const ordered = new Set<PgTable>()
  const add = (table: PgTable) => {
    for (const { reference } of getTableConfig(table).foreignKeys) add(reference().foreignTable)
    ordered.add(table)
  }
  for (const table of unordered) add(table)
  return [...ordered]
}
