import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { getTableColumns, getTableName, is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import type pg from 'pg'
import { type CopyToStreamQuery, from as copyFrom, to as copyTo } from 'pg-copy-streams'
import type { StorageName } from '../../shared/rules/storage-name.ts'
import { StartFault } from '../start-fault.ts'
import * as schema from './schema.ts'

/** The rows of one table that are copied together, in SQL. */
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
 * Triggers on `files` write this table in the new database, while the files are copied. `setStore`
 * writes it too.
 */
const written: readonly PgTable[] = [schema.storedBytes]

/** Each row of these tables names the store of its bytes. That of an upload is never changed. */
const withBytes = [schema.files, schema.removals].map(getTableName)
const storeColumn = getTableColumns(schema.files).storage.name

/** All rows of all tables of `schema.ts`, parents before the rows that refer to them. */
export const allRows: readonly RowSet[] = parentsFirst(
  Object.values(schema).filter((value) => is(value, PgTable) && !written.includes(value)),
).map((table) => ({ table: `"${getTableName(table)}"`, where: 'true' }))

/**
 * The same without the uploads under way, for copies that do not have their bytes. A browser that
 * goes on with an upload is told that there is none, and begins it again.
 */
export const rowsWithoutUploads: readonly RowSet[] = allRows.filter(
  ({ table }) => table !== `"${getTableName(schema.uploads)}"`,
)

/** A transaction that copies rows. Its connection is closed at the end, which rolls back. */
type Work<T> = (client: pg.ClientBase) => Promise<T>

/** Reads from a database as it is at one moment. Nothing that changes meanwhile is seen. */
export function inSnapshot<T>(pool: pg.Pool, work: Work<T>): Promise<T> {
  return withClient(pool, async (client) => {
    await client.query('begin isolation level repeatable read read only')
    await writeValuesAlike(client)
    return work(client)
  })
}

/**
 * Fills a database, in one transaction. What is interrupted leaves no rows. At the end the
 * statistics are computed, because without them the first queries would be planned for empty
 * tables.
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

/** Two databases write and read values in the same way from now on, whatever their settings are. */
async function writeValuesAlike(client: pg.ClientBase): Promise<void> {
  await client.query(
    `set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres';
    set local timezone = 'UTC'; set local bytea_output = 'hex'; set local extra_float_digits = 1`,
  )
}

/** Tells whether a database has an account. Every server makes one at its first start. */
export async function hasAccounts(client: pg.ClientBase): Promise<boolean> {
  return (await client.query('select 1 from users limit 1')).rows.length > 0
}

/** Returns the first table of `allRows` that has rows, or undefined. */
export async function findFilledTable(client: pg.ClientBase): Promise<string | undefined> {
  for (const { table } of allRows) {
    if ((await client.query(`select 1 from ${table} limit 1`)).rows.length > 0) return table
  }
  return undefined
}

/** @throws {StartFault} when the database has rows already. */
export async function requireNoRows(client: pg.ClientBase): Promise<void> {
  const filled = await findFilledTable(client)
  if (filled === undefined) return
  throw new StartFault(
    `The database to copy to has rows already (in ${filled}). Give an empty one: no row was written.`,
  )
}

/** Returns the columns of a table that can be written, in their order. Generated ones cannot. */
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
 * @param store where the rows shall say that their bytes are; null leaves it as it is.
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
 * @returns how many they were.
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

/**
 * Says of all rows that their bytes are in this store, and counts the bytes of each store anew: no
 * trigger follows a change of the store, which is made nowhere else. It would add each file to the
 * same sum in one transaction.
 */
export async function setStore(client: pg.ClientBase, store: StorageName): Promise<void> {
  for (const table of withBytes) {
    await client.query(`update "${table}" set ${storeColumn} = $1 where ${storeColumn} <> $1`, [
      store,
    ])
  }
  await client.query('delete from stored_bytes')
  await client.query(
    `insert into stored_bytes (storage, shard, bytes)
    select storage, 0, sum(size)::bigint from files where purged_at is null group by storage`,
  )
}

/** Returns a number that differs, but for a tiny chance, where a row differs or is missing. */
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

/** Returns the tables in an order in which each comes after those that its rows refer to. */
function parentsFirst(unordered: readonly PgTable[]): PgTable[] {
  const ordered = new Set<PgTable>()
  const add = (table: PgTable) => {
    for (const { reference } of getTableConfig(table).foreignKeys) add(reference().foreignTable)
    ordered.add(table)
  }
  for (const table of unordered) add(table)
  return [...ordered]
}
