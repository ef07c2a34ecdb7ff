import { sql } from 'drizzle-orm'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PoolLimits } from '../../src/server/db/pool.ts'
import { errorTable } from '../../src/shared/contract/errors.ts'
import { serveApp, type TestApp } from '../support/app-server.ts'
import {
  json,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  startUpload,
} from '../support/make.ts'
import { freshDatabase } from '../support/postgres.ts'

/**
 * The attack: send more requests than the database can handle. Once the pool's queue is full,
 * further requests are rejected with Retry-After.
 */

const connections = 2
const queueLimit = 10
/** Timeouts long enough for a slow machine. */
const limits: PoolLimits = {
  connections,
  maxWaiting: queueLimit,
  connectMs: 60_000,
  lockMs: 60_000,
  statementMs: 60_000,
  idleInTransactionMs: 60_000,
  clientTimeoutMs: 70_000,
}

let app: TestApp
let owner: Person
/**
 * A connection that doesn't go through the server, to hold a lock that blocks all of the server's
 * queries.
 */
let directDb: pg.Client

beforeAll(async () => {
  const database = await freshDatabase()
  app = await serveApp(database, { poolLimits: limits })
  owner = await makePerson(app)
  directDb = new pg.Client({ connectionString: database.url })
  await directDb.connect()
})
afterAll(async () => {
  await directDb.end()
  await app.close()
})

/**
 * Fills the pool and its queue with requests blocked by a lock, and asserts that further requests
 * are rejected. Sends one request at a time, because concurrent ones may share a query. Returns the
 * responses to the blocked requests.
 */
async function overloadDatabase(): Promise<Promise<Response>[]> {
  await directDb.query('begin')
  await directDb.query('lock table sessions in access exclusive mode')
  const { pool } = app
  const pendingResponses: Promise<Response>[] = []
  const countQueries = () => pool.totalCount - pool.idleCount + pool.waitingCount
  while (pendingResponses.length < connections + queueLimit) {
    pendingResponses.push(owner.fetch('/api/auth/user'))
    await expect.poll(countQueries, { interval: 5 }).toBe(pendingResponses.length)
  }
  expect(pool.waitingCount).toBe(queueLimit)
  return pendingResponses
}

test('sheds requests beyond the limit and answers the queued ones', async () => {
  const bytes = new Uint8Array(4 * 1024 ** 2).fill(7)
  const file = await makeFile(owner, { bytes })
  const downloadResponse = await fetch(`${app.url}/api/download/${file.shortCode}`)
  expect(downloadResponse.status).toBe(200)
  const pendingResponses = await overloadDatabase()

  // The lock is still held, so these responses come without waiting for the database.
  const visitor = makeClient(app)
  const paths = ['/api/auth/user', `/s/${file.shortCode}`, `/api/download/${file.shortCode}`]
  const responses = await Promise.all([
    ...paths.map((path) => visitor.fetch(path)),
    owner.fetch('/api/files'),
    visitor.post('/api/auth/login', { email: owner.email, password: owner.password }),
  ])
  for (const response of responses) {
    expect([response.status, await json(response)]).toEqual([
      503,
      { message: errorTable.SERVER_BUSY.message, code: 'SERVER_BUSY' },
    ])
    expect(response.headers.get('retry-after')).toBe('5')
  }
  const browser = { headers: { accept: 'text/html,*/*;q=0.8' } }
  const pageResponse = await visitor.fetch(`/s/${file.shortCode}`, browser)
  expect([pageResponse.status, pageResponse.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await pageResponse.text()).toContain(errorTable.SERVER_BUSY.message)
  expect((await visitor.fetch('/api/health')).status).toBe(200)
  // A running download continues, and a job waits instead of being rejected.
  expect(Buffer.from(await downloadResponse.arrayBuffer()).equals(bytes)).toBe(true)
  const jobPromise = app.deps.db.execute(sql`select 1`)
  expect(app.pool.waitingCount).toBeGreaterThanOrEqual(queueLimit)

  await directDb.query('commit')
  for (const pendingResponse of pendingResponses) expect((await pendingResponse).status).toBe(200)
  expect((await jobPromise).rowCount).toBe(1)
  expect((await owner.fetch('/api/files')).status).toBe(200)
})

test('sheds requests for the stored size of an upload', async () => {
  const { uploadUrl, parts } = await startUpload(owner, { size: 16 * 1024 ** 2 })
  const urls = [uploadUrl, parts?.urls[1] ?? '']
  const requestAll = () => Promise.all(urls.map((url) => fetch(url, { method: 'HEAD' })))
  const pendingResponses = await overloadDatabase()
  for (const { status, headers } of await requestAll()) {
    expect([status, headers.get('retry-after')]).toEqual([503, '5'])
  }
  expect(app.pool.waitingCount).toBe(queueLimit)
  await directDb.query('commit')
  await Promise.all(pendingResponses)
  for (const { status } of await requestAll()) expect(status).toBe(200)
})

test('logs load shedding once a minute, with the number of rejected requests', async () => {
  const findShedLogLines = () => app.logLines.filter(({ msg }) => msg.startsWith('Shedding load'))
  const lineCountBefore = findShedLogLines().length
  app.clock.advance(60_000)
  const pendingResponses = await overloadDatabase()
  for (let n = 0; n < 5; n += 1) await owner.fetch('/api/files')
  app.clock.advance(60_000)
  await owner.fetch('/api/files')
  await directDb.query('commit')
  await Promise.all(pendingResponses)
  expect(findShedLogLines().slice(lineCountBefore)).toMatchObject([
    { level: 40 },
    { level: 40, refused: 5 },
  ])
  expect(app.logLines.filter(({ code }) => code === 'SERVER_BUSY')).toEqual([])
})
