import { pipeline } from 'node:stream/promises'
import { getTableName, is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { StartFault } from '../start-fault.ts'
import type { PoolLimits } from './pool.ts'
import * as schema from './schema.ts'

/** A copy of a table may take hours, so nothing but a wait for a lock is limited. */
export const moveLimits: PoolLimits = {
  connections: 3,
  waiting: Number.POSITIVE_INFINITY,
  connectMs: 15_000,
  lockMs: 10_000,
  statementMs: 0,
  idleInTransactionMs: 0,
  answerMs: 0,
}

/** Rows of a table that is not in `schema.ts`, in SQL. */
export interface MoreRows {
  table: string
  where: string
}

/** Triggers on `files` write this table in the new database, while the files are copied. */
const written: readonly PgTable[] = [schema.storedBytes]

const tables: readonly PgTable[] = Object.values(schema).filter((value) => is(value, PgTable))

/**
 * Copies every row of every table of `schema.ts` from one database to another one that has the same
 * tables and no rows, in one transaction. So what is interrupted leaves no rows. All rows are of
 * the same moment, but what is written to the old database after it is not copied. So no server may
 * use the old database meanwhile.
 * @param more what else is to be copied.
 * @returns how many rows were copied.
 * @throws {StartFault} when the old database has no account, or the new one has rows.
 */
export async function moveDatabase(
  { from, to }: { from: pg.Pool; to: pg.Pool },
  more: readonly MoreRows[],
): Promise<number> {
  const source = await from.connect()
  const target = await to.connect()
  try {
    await source.query('begin isolation level repeatable read read only')
    await target.query('begin')
    for (const client of [source, target]) {
      // Both databases write and read dates in the same way, whatever their settings are.
      await client.query("set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres'")
    }
    if (!(await hasRows(source, 'users'))) {
      throw new StartFault(
        'The database to copy from has no account. Check DATA_DIR and DATABASE_URL: nothing was copied.',
      )
    }
    await requireEmpty(target)
    let rows = 0
    for (const table of parentsFirst(tables.filter((table) => !written.includes(table)))) {
      rows += await copyRows({ source, target }, { table: getTableName(table), where: 'true' })
    }
    for (const part of more) rows += await copyRows({ source, target }, part)
    // Without statistics, the first queries would be planned for empty tables.
    await target.query('analyze')
    await target.query('commit')
    return rows
  } finally {
    // A connection that is ended takes an open transaction back.
    source.release(true)
    target.release(true)
  }
}

/**
 * Makes sure that no server uses the database of this URL.
 * @throws {StartFault} when one does.
 */
export async function requireUnused(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 15_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query(
      `select 1 from pg_stat_activity
      where datname = current_database() and application_name = 'mayfly' limit 1`,
    )
    if (rows.length === 0) return
  } catch (error) {
    throw new StartFault(`The database of DATABASE_URL cannot be used: ${String(error)}`, {
      cause: error,
    })
  } finally {
    await client.end().catch(() => {})
  }
  throw new StartFault(
    'A server uses the database of DATABASE_URL. Stop all servers first: what they write while the rows are copied would be lost.',
  )
}

async function hasRows(client: pg.ClientBase, table: string): Promise<boolean> {
  return (await client.query(`select 1 from "${table}" limit 1`)).rows.length > 0
}

async function requireEmpty(target: pg.ClientBase): Promise<void> {
  for (const table of tables) {
    const name = getTableName(table)
    if (!written.includes(table) && (await hasRows(target, name))) {
      throw new StartFault(
        `The database to copy to has rows already (in ${name}). Give an empty one: nothing was copied.`,
      )
    }
  }
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

async function copyRows(
  { source, target }: { source: pg.ClientBase; target: pg.ClientBase },
  { table, where }: MoreRows,
): Promise<number> {
  const { rows } = await target.query<{ name: string; isIdentity: boolean }>(
    `select quote_ident(attname) as name, attidentity <> '' as "isIdentity" from pg_attribute
    where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''
    order by attnum`,
    [table],
  )
  const columns = rows.map(({ name }) => name).join(', ')
  const read = source.query(
    copyTo(`copy (select ${columns} from ${table} where ${where}) to stdout`),
  )
  const write = target.query(copyFrom(`copy ${table} (${columns}) from stdin`))
  await pipeline(read, write)
  for (const { name, isIdentity } of rows) {
    if (!isIdentity) continue
    // The next row gets a number that no copied row has.
    const next = `(select coalesce(max(${name}), 0) + 1 from ${table})`
    await target.query(`select setval(pg_get_serial_sequence($1, $2), ${next}, false)`, [
      table,
      name,
    ])
  }
  return write.rowCount
}
