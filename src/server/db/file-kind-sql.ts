import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { extensionsOfKinds, kindsByType } from '../../shared/rules/file-kind.ts'

/**
 * The kind of a file as SQL, made from the tables of `fileKind`, so that a kind is told in one place.
 * (A test compares the two.) The patterns mean the same to JavaScript and to Postgres. A change of
 * them needs a migration.
 */
export function fileKindSql(files: { mimeType: PgColumn; originalName: PgColumn }): SQL {
  const type = sql`lower(btrim(split_part(${files.mimeType}, ';', 1)))`
  const extension = sql`lower(substring(${files.originalName} from '[^.]\\.([^.]+)$'))`
  const byType = kindsByType.map(
    ([pattern, kind]) => sql`when ${type} ~ ${literal(pattern.source)} then ${literal(kind)}`,
  )
  const byExtension = extensionsOfKinds.map(
    ([kind, extensions]) =>
      sql`when ${extension} = any(${literal(`{${extensions.join(',')}}`)}) then ${literal(kind)}`,
  )
  return sql`case ${sql.join([...byType, ...byExtension], sql` `)} else 'other' end`
}

/** A text from our own tables, as Postgres writes it. */
function literal(text: string): SQL {
  return sql.raw(`'${text.replaceAll("'", "''")}'`)
}
