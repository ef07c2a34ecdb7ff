import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { prepareDataFolder } from '../../../tests/support/data-folder.ts'
import { freshDatabase } from '../../../tests/support/postgres.ts'
import { openDatabase, openDatabaseInUse, requireNoServer } from './open.ts'
import { findPostmaster } from './postgres-folder.ts'

const log = { info() {}, warn() {} }

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-beside-'))
})
afterEach(() => rm(folder, { recursive: true }))

it('reads the embedded database with and without a running server', async () => {
  const dataDir = join(folder, 'data')
  await prepareDataFolder(dataDir)
  const embedded = { dataDir, databaseUrl: null }
  const pids: (number | null)[] = []
  const read = async () => {
    const { pool, close } = await openDatabaseInUse(embedded, log)
    await pool.query('select 1 from users')
    pids.push(await findPostmaster(join(dataDir, 'postgres')))
    await close()
    pids.push(await findPostmaster(join(dataDir, 'postgres')))
  }
  const server = await openDatabase(embedded, log)
  await read()
  await server.pool.query('select 1')
  await server.close()
  await read()
  // The server's Postgres keeps running. A Postgres started just for reading is stopped.
  expect(pids).toEqual([pids[0], pids[0], expect.any(Number), null])
})

it('rejects a database of another version and an unreachable one', async () => {
  const { url, drop } = await freshDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    'delete from drizzle.__drizzle_migrations where id = (select max(id) from drizzle.__drizzle_migrations)',
  )
  await client.end()
  const config = { dataDir: folder, databaseUrl: url }
  await expect(openDatabaseInUse(config, log)).rejects.toThrow('another version of Mayfly')
  await drop()
  await expect(openDatabaseInUse(config, log)).rejects.toThrow('The database cannot be used')
})

it("distinguishes a server's connection from a command's", async () => {
  const { url, drop } = await freshDatabase()
  const config = { dataDir: folder, databaseUrl: url }
  const commandDatabase = await openDatabaseInUse(config, log)
  await commandDatabase.pool.query('select 1')
  await requireNoServer(url)
  await commandDatabase.close()
  const server = await openDatabase(config, log)
  await server.pool.query('select 1')
  await expect(requireNoServer(url)).rejects.toThrow('A server uses the database of DATABASE_URL')
  await server.close()
  await drop()
})
