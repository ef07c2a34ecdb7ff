import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { PoolLimits } from '../../src/server/db/pool.ts'
import { serveApp, type TestApp } from '../support/app-server.ts'
import { eventually } from '../support/eventually.ts'
import { hangTimeoutMs } from '../support/hang-timeout.ts'
import { json, logIn as logInOf, makeClient, makePerson, type Person } from '../support/make.ts'
import { lossKinds, type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts'
import {
  createDatabase,
  findPostmasterPid,
  startTestPostgres,
  type TestDatabase,
} from '../support/postgres-server.ts'
import { isLongRun } from '../support/rounds.ts'

/**
 * The attack: Postgres stops responding under load, because of a held lock, a dead network or a
 * stopped process. Calls succeed or return 503. No confirmed work is lost, and afterwards all
 * connections work again.
 */

/**
 * As in production, Postgres times out before the server does, but both timeouts are much shorter.
 */
const limits: PoolLimits = {
  maxWaiting: 1000,
  connections: 10,
  connectMs: 500,
  lockMs: 300,
  statementMs: 600,
  idleInTransactionMs: 600,
  clientTimeoutMs: 900,
}

let database: TestDatabase
let app: TestApp
/**
 * Another server on the same database, with production timeouts, which aren't exceeded even on a
 * slow machine.
 */
let longTimeoutApp: TestApp
let proxy: PostgresProxy
let person: Person
/** Free accounts, because their uploads start in a transaction. */
let freeUsers: Person[]
/** A connection that doesn't go through the server or the proxy. */
let directDb: pg.Client
let stopPostgres: () => Promise<void>

beforeAll(async () => {
  // A separate Postgres server, because one test pauses all of its processes.
  const postgres = await startTestPostgres()
  stopPostgres = postgres.stop
  database = await createDatabase(postgres.url, 'migrated')
  proxy = await startPostgresProxy(database.url)
  const proxiedDatabase = { url: proxy.url, drop: () => database.drop() }
  app = await serveApp(proxiedDatabase, { poolLimits: limits })
  longTimeoutApp = await serveAnother()
  person = await newPerson({ tier: 'premium' })
  freeUsers = await Promise.all(Array.from({ length: 6 }, () => newPerson()))
  directDb = new pg.Client({ connectionString: database.url })
  await directDb.connect()
})
afterAll(async () => {
  await directDb.end()
  await longTimeoutApp.close()
  await app.close()
  await proxy.close()
  await stopPostgres()
})

/** Starts another server on the same database. Closing that server doesn't drop the database. */
function serveAnother(poolLimits?: PoolLimits): Promise<TestApp> {
  return serveApp({ url: database.url, async drop() {} }, { poolLimits })
}

/**
 * Creates a user, and a client signed in as that user on `server`, which defaults to the server
 * under attack.
 */
async function newPerson(
  options?: Parameters<typeof makePerson>[1],
  server = app,
): Promise<Person> {
  const { id, email, password } = await makePerson(longTimeoutApp, options)
  return {
    ...makeClient(server, await logInOf(longTimeoutApp, email, password)),
    id,
    email,
    password,
  }
}

/** Work that the server has confirmed, and so must not lose. */
interface CompletedWork {
  sessions: string[]
  uploads: string[]
}

function expectUnavailable(response: Response) {
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
}

async function logIn(completedWork: CompletedWork, server = app) {
  const { email, password } = person
  const response = await makeClient(server).post('/api/auth/login', { email, password })
  if (!response.ok) return expectUnavailable(response)
  const cookies = response.headers.getSetCookie().join()
  completedWork.sessions.push(decodeURIComponent(/session_token=([^.;]+)/.exec(cookies)?.[1] ?? ''))
}

async function startUpload(
  completedWork: CompletedWork,
  client = person,
  idempotencyKey: string = randomUUID(),
) {
  const response = await client.post('/api/files/get-upload-url', {
    fileName: 'notes.txt',
    fileSize: 36,
    fileType: 'text/plain',
    expirationDays: '3',
    idempotencyKey,
  })
  if (!response.ok) return expectUnavailable(response)
  completedWork.uploads.push((await json<{ cloudKey: string }>(response)).cloudKey)
}

async function signUp(email: string) {
  const password = 'correct horse'
  const fullName = { firstName: 'Ada', lastName: 'Lovelace' }
  const form = { ...fullName, email, password, confirmPassword: password }
  const response = await makeClient(app).post('/api/auth/signup', form)
  if (!response.ok) expectUnavailable(response)
}

/** Makes more parallel calls than the pool has connections. */
async function makeCalls(): Promise<CompletedWork> {
  const completedWork: CompletedWork = { sessions: [], uploads: [] }
  await Promise.all([
    ...Array.from({ length: 2 }, () => logIn(completedWork)),
    signUp(`${randomUUID()}@example.org`),
    ...Array.from({ length: 6 }, () => startUpload(completedWork)),
    // With the same idempotency key, each call refers to the same upload, so no account reaches its
    // file limit.
    ...freeUsers.map((user) => startUpload(completedWork, user, user.id)),
  ])
  return completedWork
}

async function countInPostgres(table: string, column: string, values: string[]) {
  const text = `select count(*)::int as n from ${table} where ${column} = any($1)`
  return (await directDb.query<{ n: number }>(text, [values])).rows[0]?.n
}

async function expectStored({ sessions, uploads }: CompletedWork) {
  expect(await countInPostgres('sessions', 'token', sessions)).toBe(sessions.length)
  expect(await countInPostgres('uploads', 'storage_key', uploads)).toBe(uploads.length)
}

async function expectNoOpenTransaction() {
  const openTransactionsQuery = `select query from pg_stat_activity where state like 'idle in transaction%'`
  expect((await directDb.query(openTransactionsQuery)).rows).toEqual([])
}

/** Asserts that each of the pool's connections responds. */
async function expectIntactPool() {
  await expectNoOpenTransaction()
  const queryPromises = Array.from({ length: limits.connections }, () =>
    app.deps.db.transaction((tx) => tx.execute(sql`select 1`)),
  )
  await Promise.all(queryPromises)
  expect(app.pool).toMatchObject({ waitingCount: 0 })
  expect(app.pool.idleCount).toBe(app.pool.totalCount)
}

/** Asserts that all confirmed work is in the database and that every call soon succeeds again. */
async function expectRecovery() {
  await expectStored(await makeCalls())
  await eventually(expectIntactPool)
  await eventually(async () => {
    const completedWork = await makeCalls()
    await expectStored(completedWork)
    expect([completedWork.sessions.length, completedWork.uploads.length]).toEqual([2, 12])
  })
}

test('recovers from a lock that is never released', async () => {
  await directDb.query('begin')
  await directDb.query('lock table sessions, uploads in access exclusive mode')
  const completedWork = await makeCalls()
  await directDb.query('commit')
  expect(completedWork).toEqual({ sessions: [], uploads: [] })
  await expectRecovery()
})

test('recovers from a lock that outlasts transactions', async () => {
  // With the idle timeout from `limits`, Postgres would end any transaction that this server leaks,
  // which would hide the leak.
  const server = await serveAnother({ ...limits, idleInTransactionMs: 2 * hangTimeoutMs })
  onTestFinished(() => server.close())
  const users = await Promise.all(freeUsers.map(() => newPerson({}, server)))
  await directDb.query('begin')
  await directDb.query('lock table uploads in access exclusive mode')
  const completedWork: CompletedWork = { sessions: [], uploads: [] }
  await Promise.all(users.map((user) => startUpload(completedWork, user)))
  await directDb.query('commit')
  expect(completedWork.uploads).toEqual([])
  await eventually(expectNoOpenTransaction)
  for (let round = 0; round < 4; round += 1) await logIn(completedWork, server)
  await eventually(async () => {
    await logIn(completedWork, server)
    expect(completedWork.sessions).not.toEqual([])
  })
  await expectStored(completedWork)
})

test('recovers from a lock that is released while others wait', async () => {
  await directDb.query('begin')
  await directDb.query('lock table sessions, uploads in access exclusive mode')
  const callsPromise = makeCalls()
  const lockWaitSql = `select 1 from pg_stat_activity where wait_event_type = 'Lock'`
  await expect.poll(async () => (await directDb.query(lockWaitSql)).rowCount).toBeGreaterThan(0)
  await directDb.query('commit')
  await expectStored(await callsPromise)
  await expectRecovery()
})

test('recovers from a network that drops everything', async () => {
  const callsPromise = makeCalls()
  proxy.clearStatements()
  await expect.poll(() => proxy.statements.length).toBeGreaterThan(10)
  proxy.silence()
  const completedWork = await callsPromise
  await expectStored(completedWork)
  expect(await makeCalls()).toEqual({ sessions: [], uploads: [] })
  proxy.restore()
  await expectRecovery()
})

describe('one silent connection', () => {
  test.each(lossKinds)('at any statement of a transaction, losing %s', async (lostDirection) => {
    const newUser = await newPerson()
    await eventually(expectIntactPool)
    proxy.clearStatements()
    const completeWork: CompletedWork = { sessions: [], uploads: [] }
    await startUpload(completeWork, newUser)
    expect(completeWork.uploads).toHaveLength(1)
    const statements = [...proxy.statements]
    expect(statements).toContain('begin')

    // A short run tests only the begin, the write and the commit.
    const isTested = (text: string) =>
      isLongRun || /^(begin|commit)$|insert into "uploads"/.test(text)
    expect(statements.filter(isTested).length).toBeGreaterThanOrEqual(3)
    for (const [n, statement] of statements.entries()) {
      if (!isTested(statement)) continue
      await directDb.query('delete from uploads where owner_id = $1', [newUser.id])
      await eventually(expectIntactPool)
      const key = randomUUID()
      const completedWork: CompletedWork = { sessions: [], uploads: [] }
      proxy.silenceAt(n + 1, lostDirection)
      await startUpload(completedWork, newUser, key)
      expect(completedWork.uploads).toEqual([])
      await eventually(expectIntactPool)
      // The retry returns the upload if it exists already, and starts it otherwise, so there is
      // exactly one.
      await startUpload(completedWork, newUser, key)
      expect(completedWork.uploads).toHaveLength(1)
      const { rows } = await directDb.query('select storage_key from uploads where owner_id = $1', [
        newUser.id,
      ])
      expect(rows).toEqual([{ storage_key: completedWork.uploads[0] }])
    }
  })
})

/** Returns the pids of all Postgres processes. */
async function listPostgresPids(): Promise<number[]> {
  const ownBackend = await directDb.query<{ pid: number }>('select pg_backend_pid() as pid')
  const mainPid = await findPostmasterPid(ownBackend.rows[0]?.pid ?? 0)
  const { rows } = await directDb.query<{ pid: number }>('select pid from pg_stat_activity')
  return [mainPid, ...rows.map(({ pid }) => pid)]
}

function signal(pids: number[], name: NodeJS.Signals) {
  for (const pid of pids) process.kill(pid, name)
}

test('recovers from a paused Postgres', async () => {
  const pids = await listPostgresPids()
  const callsPromise = makeCalls()
  proxy.clearStatements()
  await expect.poll(() => proxy.statements.length).toBeGreaterThan(10)
  signal(pids, 'SIGSTOP')
  let completedWork: CompletedWork
  try {
    completedWork = await callsPromise
    // A backend started after `pids` was read isn't paused, and may serve these calls.
    await makeCalls()
  } finally {
    signal(pids, 'SIGCONT')
  }
  await expectStored(completedWork)
  await expectRecovery()
})
