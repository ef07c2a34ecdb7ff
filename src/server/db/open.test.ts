import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { eventually } from '../../../tests/support/eventually.ts'
import { emptyDatabase } from '../../../tests/support/postgres.ts'
import { openDatabase, openServerDatabase } from './open.ts'
import { socketFolderOf } from './postgres-folder.ts'
import { users } from './schema.ts'

const log = { info() {}, warn: vi.fn() }

test('migrates the database at DATABASE_URL and survives dropped connections', async () => {
  const database = await emptyDatabase()
  const openedDatabase = await openDatabase({ dataDir: '/nowhere', databaseUrl: database.url }, log)
  expect(await openedDatabase.db.select().from(users)).toEqual([])

  const busyClient = await openedDatabase.pool.connect()
  const terminateOthers = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`
  await openedDatabase.pool.query(terminateOthers)
  await expect(busyClient.query('select 1')).rejects.toThrow()
  busyClient.release(true)
  expect(await openedDatabase.db.select().from(users)).toEqual([])

  await openedDatabase.close()
  await database.drop()
})

test('a wrong DATABASE_URL is reported at once, with a remedy and without the password', async () => {
  const database = await emptyDatabase()
  const databaseUrl = database.url.replace(/test_\w+/, 'missing')
  await expect(openDatabase({ dataDir: '/nowhere', databaseUrl }, log)).rejects.toThrow(
    /"missing" does not exist\. Check that .* unset DATABASE_URL/,
  )
  await database.drop()
})

test("an error of the embedded Postgres doesn't mention DATABASE_URL", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'mayfly-open-'))
  const folder = socketFolderOf(dataDir)
  await mkdir(folder, { recursive: true })
  const fatalMessage = 'SFATAL\0C28P01\0Mnobody may come in\0\0'
  const server = createServer((socket) => {
    socket.on('error', () => {})
    const length = Buffer.alloc(4)
    length.writeInt32BE(4 + fatalMessage.length)
    socket.once('data', () =>
      socket.end(Buffer.concat([Buffer.of(69), length, Buffer.from(fatalMessage)])),
    )
  }).listen(join(folder, '.s.PGSQL.5432'))
  await once(server, 'listening')
  const openPromise = openServerDatabase({ dataDir, databaseUrl: null }, log)
  await expect(openPromise).rejects.toThrow(
    /^The embedded Postgres cannot be used: nobody may come in\. See the log/,
  )
  server.close()
  await rm(folder, { recursive: true, force: true })
  await rm(dataDir, { recursive: true, force: true })
})

test('waits for a database that is still starting', async () => {
  const database = await emptyDatabase()
  const host = new URL(database.url).searchParams.get('host') ?? ''
  const name = new URL(database.url).pathname.slice(1)
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))

  log.warn.mockClear()
  const databaseUrl = `postgres://postgres@127.0.0.1:${port}/${name}`
  const openPromise = openDatabase({ dataDir: '/nowhere', databaseUrl }, log)
  await eventually(() => expect(log.warn).toHaveBeenCalled())
  const proxy = createServer((socket) => {
    const upstream = createConnection(`${host}/.s.PGSQL.5432`)
    socket.pipe(upstream).pipe(socket)
    socket.on('error', () => upstream.destroy())
    upstream.on('error', () => socket.destroy())
  }).listen(port, '127.0.0.1')
  const openedDatabase = await openPromise
  expect(await openedDatabase.db.select().from(users)).toEqual([])
  await openedDatabase.close()
  proxy.close()
  await database.drop()
})
