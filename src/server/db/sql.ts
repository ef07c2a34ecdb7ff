import { type Column, getTableColumns, inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { extensionsByKind, typePatterns } from '../../shared/rules/files/file-kind.ts'
import type { Db } from './transaction.ts'

/**
 * Inlines a constant into a statement. As a parameter, it would prevent the use of a partial index
 * on this value.
 */
export function sqlLiteral<Text extends string>(text: Text): SQL {
  return sql.raw(`'${text.replaceAll("'", "''")}'`)
}

/**
 * True if `column` has one of these values. Sends them as one parameter, because drizzle takes far
 * longer to build a statement with a thousand parameters.
 */
export function isOneOf(column: PgColumn, values: readonly (string | null)[]): SQL {
  return sql`${column} = any(${sql.param(values)}::${sql.raw(column.getSQLType())}[])`
}

/** The values of a new row. Nullable columns and columns with a default are optional. */
export type RowValues<T extends PgTable> = { [Name in keyof T['$inferInsert']]: SQLWrapper }

/**
 * Returns the values for `insert into … select`, in drizzle's column order. Defaults are written
 * out, because Postgres allows the keyword `default` only in `values`.
 */
export function rowValues<T extends PgTable>(table: T, givenValues: RowValues<T>): SQL {
  const values = new Map<string, SQLWrapper>(Object.entries(givenValues))
  const columns = Object.entries(getTableColumns(table))
    // Drizzle leaves out generated columns too.
    .filter(([, column]) => column.generated === undefined)
  return sql.join(
    columns.map(([name, column]) => sql`${values.get(name) ?? defaultValue(column)}`),
    sql`, `,
  )
}

function defaultValue(column: Column): SQL {
  const value = column.default ?? null
  return sql`${value}::${sql.raw(column.getSQLType())}`
}

/**
 * Maximum number of rows changed per statement. Changing that many takes far less than the
 * statement timeout.
 */
const batchSize = 5000

/** Calls `change` repeatedly until it changes fewer rows than the limit. Returns the total. */
export async function inBatches(change: (limit: number) => Promise<number>): Promise<number> {
  let total = 0
  for (;;) {
    const changedCount = await change(batchSize)
    total += changedCount
    if (changedCount < batchSize) return total
  }
}

/**
 * Deletes the rows that match a condition, in batches, each in its own statement. Skips locked
 * rows, because waiting for them could deadlock.
 * @param key the table's primary key.
 * @returns the number of deleted rows.
 */
export function deleteInBatches(
  db: Db,
  key: PgColumn,
  condition: SQL | undefined,
): Promise<number> {
  return inBatches(async (limit) => {
    const keysQuery = db
      .select({ key })
      .from(key.table)
      .where(condition)
      .limit(limit)
      .for('update', { skipLocked: true })
    const { rowCount } = await db.delete(key.table).where(inArray(key, keysQuery))
    return rowCount ?? 0
  })
}

/**
 * Returns SQL for a file's kind, generated from the tables that `fileKind` uses, so that kinds are
 * defined only once. A test verifies that the patterns in these tables mean the same in JavaScript
 * and in Postgres. Changing the tables requires a migration, because the generated column
 * `files.kind` uses this SQL.
 */
export function fileKindSql(files: { mimeType: PgColumn; originalName: PgColumn }): SQL {
  const type = sql`lower(btrim(split_part(${files.mimeType}, ';', 1)))`
  const extension = sql`lower(substring(${files.originalName} from '[^.]\\.([^.]+)$'))`
  const byType = typePatterns.map(
    ([pattern, kind]) => sql`when ${type} ~ ${sqlLiteral(pattern.source)} then ${sqlLiteral(kind)}`,
  )
  const byExtension = extensionsByKind.map(
    ([kind, extensions]) =>
      sql`when ${extension} = any(${sqlLiteral(`{${extensions.join(',')}}`)}) then ${sqlLiteral(kind)}`,
  )
  return sql`case ${sql.join([...byType, ...byExtension], sql` `)} else 'other' end`
}

/**
 * SQL condition for stored files whose SHA-256 must be computed. Files being purged are excluded,
 * except those taken down.
 */
export function needsHashSql(
  file: Record<'isContentProved' | 'purgingAt' | 'purgedAt' | 'takenDownAt', SQLWrapper>,
): SQL {
  return sql`not ${file.isContentProved} and ${file.purgedAt} is null and (${file.purgingAt} is null or ${file.takenDownAt} is not null)`
}
