import { getTableColumns, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/**
 * Returns SQL for `from`: the rows of a JSON array, one row for each of its objects. Each column
 * has the name of a field, and the type of the table's column with this name. So one parameter of a
 * prepared statement can hold any number of rows.
 * @param json the array as text.
 * @param more fields that are no columns of the table, with their types in Postgres.
 */
export function jsonRows<T extends PgTable>(
  json: SQLWrapper,
  alias: string,
  table: T,
  names: readonly (keyof T['$inferSelect'] & string)[],
  more: Readonly<Record<string, string>> = {},
): SQL {
  const columns = new Map(Object.entries(getTableColumns(table)))
  const types = names.map((name) => [name, columns.get(name)?.getSQLType() ?? 'text'] as const)
  const fields = [...types, ...Object.entries(more)].map(
    ([name, type]) => sql`${sql.identifier(name)} ${sql.raw(type)}`,
  )
  return sql`json_to_recordset(${json}::json) as ${sql.identifier(alias)} (${sql.join(fields, sql`, `)})`
}
