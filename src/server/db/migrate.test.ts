import pg from 'pg'
import { expect, test } from 'vitest'
import { emptyDatabase, freshDatabase } from '../../../tests/support/postgres.ts'
import { migrateDatabase } from './migrate.ts'

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

const applied = 'select hash, created_at from drizzle.__drizzle_migrations order by id'

test('two servers that start together on an empty database migrate it once', async () => {
  const database = await emptyDatabase()
  const connection = { connectionString: database.url }
  await Promise.all([migrateDatabase(connection), migrateDatabase(connection)])

  const once = await freshDatabase()
  expect(await query(database.url, applied)).toEqual(await query(once.url, applied))
  expect(await query(database.url, 'select * from users')).toEqual([])
  await Promise.all([database.drop(), once.drop()])
})

test('a second run changes nothing', async () => {
  const database = await freshDatabase()
  await query(database.url, "insert into short_codes values ('kept', now())")
  const before = await query(database.url, applied)
  await migrateDatabase({ connectionString: database.url })
  expect(await query(database.url, applied)).toEqual(before)
  expect(await query(database.url, 'select code from short_codes')).toEqual([{ code: 'kept' }])
  await database.drop()
})
