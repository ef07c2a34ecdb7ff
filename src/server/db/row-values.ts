import { type Column, getTableColumns, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

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
