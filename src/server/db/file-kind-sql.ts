import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { extensionsOfKinds, kindsByType } from '../../shared/rules/files/file-kind.ts'
import { sqlLiteral } from './sql-literal.ts'

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
