import { type SQL, sql } from 'drizzle-orm'

/**
 * Writes a text of our own code into the text of a statement. As a parameter, the value would keep
 * Postgres from using an index that exists only for this value. `sqlLiteral<Tier>(…)` compiles only
 * for one of the words of the type `Tier`.
 */
export function sqlLiteral<Text extends string>(text: Text): SQL {
  return sql.raw(`'${text.replaceAll("'", "''")}'`)
}
