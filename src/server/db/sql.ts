import { type Column, getTableColumns, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { extensionsOfKinds, kindsByType } from '../../shared/rules/files/file-kind.ts'

/**
 * Writes a text of our own code into the text of a statement. As a parameter, the value would keep
 * Postgres from using an index that exists only for this value. `sqlLiteral<Tier>(…)` compiles only
 * for one of the words of the type `Tier`.
 */
export function sqlLiteral<Text extends string>(text: Text): SQL {
  return sql.raw(`'${text.replaceAll("'", "''")}'`)
}

/** The values of a new row. A column may be left out if it has a default or may be null. */
export type RowValues<T extends PgTable> = { [Name in keyof T['$inferInsert']]: SQLWrapper }

/**
 * Returns the list of values for `insert into … select`, in the order in which drizzle names the
 * columns. A column without a value here gets its default, else null. Postgres takes the word
 * `default` only in `values`, so the default is written out here.
 */
export function rowValues<T extends PgTable>(table: T, given: RowValues<T>): SQL {
  const values = new Map<string, SQLWrapper>(Object.entries(given))
  const columns = Object.entries(getTableColumns(table))
    // Drizzle does not name columns whose value Postgres computes.
    .filter(([, column]) => column.generated === undefined)
  return sql.join(
    columns.map(([name, column]) => sql`${values.get(name) ?? valueWithout(column)}`),
    sql`, `,
  )
}

function valueWithout(column: Column): SQL {
  const value = column.default ?? null
  return sql`${value}::${sql.raw(column.getSQLType())}`
}

/**
 * One statement of a job removes at most this many rows, so it stays far below the time limit of a
 * statement. If the job is interrupted, the rows of earlier statements stay removed.
 */
const removalBatch = 5000

/**
 * Calls `remove` with the size of a batch until it removes fewer rows than that. Returns how many
 * rows were removed in all.
 */
export async function removeInBatches(remove: (limit: number) => Promise<number>): Promise<number> {
  let total = 0
  for (;;) {
    const removed = await remove(removalBatch)
    total += removed
    if (removed < removalBatch) return total
  }
}

/**
 * Returns the kind of a file as SQL. It is made from the tables that `fileKind` uses, so that the
 * kinds are defined only once. (A test compares this SQL with `fileKind`.) The patterns mean the
 * same in JavaScript and in Postgres. A change of the tables needs a migration, because the column
 * `files.kind` is computed by this SQL.
 */
export function fileKindSql(files: { mimeType: PgColumn; originalName: PgColumn }): SQL {
  const type = sql`lower(btrim(split_part(${files.mimeType}, ';', 1)))`
  const extension = sql`lower(substring(${files.originalName} from '[^.]\\.([^.]+)$'))`
  const byType = kindsByType.map(
    ([pattern, kind]) => sql`when ${type} ~ ${sqlLiteral(pattern.source)} then ${sqlLiteral(kind)}`,
  )
  const byExtension = extensionsOfKinds.map(
    ([kind, extensions]) =>
      sql`when ${extension} = any(${sqlLiteral(`{${extensions.join(',')}}`)}) then ${sqlLiteral(kind)}`,
  )
  return sql`case ${sql.join([...byType, ...byExtension], sql` `)} else 'other' end`
}

/**
 * Returns SQL for the condition that a stored file has no SHA-256. A file whose bytes a server has
 * looked for and not found is left out.
 */
export function withoutSha256Sql(
  file: Record<'sha256' | 'isContentProved' | 'purgingAt' | 'purgedAt', SQLWrapper>,
): SQL {
  return sql`${file.sha256} is null and not ${file.isContentProved} and ${file.purgingAt} is null and ${file.purgedAt} is null`
}
