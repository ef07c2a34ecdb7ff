import { sql } from 'drizzle-orm'
import { integer, PgDialect, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { expect, it } from 'vitest'
import { rowValues } from './sql.ts'

const things = pgTable('things', {
  id: uuid().primaryKey().defaultRandom(),
  name: text().notNull(),
  short: text().generatedAlwaysAs(sql`left(name, 3)`),
  note: text(),
  count: integer().notNull().default(0),
})

function toSqlText(values: ReturnType<typeof rowValues>) {
  const { sql, params } = new PgDialect().sqlToQuery(values)
  return [sql, params]
}

it("uses the given values, defaults or null, in the table's column order", () => {
  expect(toSqlText(rowValues(things, { name: sql`'a'` }))).toEqual([
    "gen_random_uuid()::uuid, 'a', $1::text, $2::integer",
    [null, 0],
  ])
  expect(toSqlText(rowValues(things, { count: sql`2`, note: sql`'b'`, name: sql`'a'` }))).toEqual([
    "gen_random_uuid()::uuid, 'a', 'b', 2",
    [],
  ])
})

it("doesn't compile without a required column", () => {
  // @ts-expect-error: the name is missing.
  expect(toSqlText(rowValues(things, {}))).toBeDefined()
})
