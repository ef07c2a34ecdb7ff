import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { uploads } from '../../src/server/db/schema.ts'
import { serveApp, type TestApp } from '../support/app-server.ts'
import { eventually } from '../support/eventually.ts'
import { json, makePerson, type Person } from '../support/make.ts'
import { createDatabase, findPostmasterPid, startTestPostgres } from '../support/postgres-server.ts'

/**
 * The attack: Postgres, or one of its processes, is killed under load. Calls succeed or
 * return 503. No confirmed work is lost, and everything works once Postgres is back.
 */

let app: TestApp
let users: Person[]
let stopPostgres: () => Promise<void>

beforeAll(async () => {
  const postgres = await startTestPostgres()
  stopPostgres = postgres.stop
  const database = await createDatabase(postgres.url, 'migrated')
  app = await serveApp(database)
  // Postgres must not lose confirmed commits when killed, so don't rely on the default.
  await app.pool.query('alter system set synchronous_commit = on')
  await app.pool.query('select pg_reload_conf()')
  // Free accounts start an upload in a transaction, premium accounts in a single statement.
  users = await Promise.all([
    ...Array.from({ length: 4 }, () => makePerson(app)),
    ...Array.from({ length: 2 }, () => makePerson(app, { tier: 'premium' })),
  ])
})
afterAll(async () => {
  await app.close()
  await stopPostgres()
})

/** Starts an upload. Returns null on a retryable error. */
async function startUpload(person: Person, idempotencyKey: string): Promise<string | null> {
  const response = await person.post('/api/files/get-upload-url', {
    fileName: 'notes.txt',
    fileSize: 36,
    fileType: 'text/plain',
    expirationDays: '3',
    idempotencyKey,
  })
  const body = await json<{ cloudKey: string }>(response)
  if (response.ok) return body.cloudKey
  expect({ status: response.status, body }).toMatchObject({ status: 503 })
  return null
}

/**
 * Keeps two calls per user running at all times. The returned function stops them and returns the
 * storage keys of the started uploads.
 */
function startWork() {
  const startedKeys = new Set<string>()
  let isStopped = false
  const keepWorking = async (person: Person, loopIndex: number) => {
    while (!isStopped) {
      const key = loopIndex % users.length < 4 ? `${loopIndex}-${person.id}` : randomUUID()
      const startedKey = await startUpload(person, key)
      if (startedKey !== null) startedKeys.add(startedKey)
    }
  }
  const workPromise = Promise.all([...users, ...users].map(keepWorking))
  return async (): Promise<string[]> => {
    isStopped = true
    await workPromise
    return [...startedKeys]
  }
}

async function findBackendPid() {
  const { rows } = await app.pool.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid ?? 0
}

test.each([
  ['all of Postgres', 1, async () => findPostmasterPid(await findBackendPid())],
  ["one connection's process", 2, findBackendPid],
])('survives killing %s, times: %i', async (_, killCount, findVictimPid) => {
  const stopWork = startWork()
  onTestFinished(async () => void (await stopWork()))
  for (let attempt = 0; attempt < killCount; attempt += 1) {
    // There is no process to kill until Postgres is up again.
    const pid = await eventually(findVictimPid)
    process.kill(pid, 'SIGKILL')
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow())
  }
  await eventually(findBackendPid)
  const startedKeys = await stopWork()
  expect(startedKeys.length).toBeGreaterThan(0)

  const { max } = app.pool.options
  await eventually(async () => {
    const transactionPromises = Array.from({ length: max }, () =>
      app.deps.db.transaction((tx) => tx.execute(sleepQuery)),
    )
    await Promise.all(transactionPromises)
    expect(app.pool).toMatchObject({ totalCount: max, idleCount: max, waitingCount: 0 })
  })
  const storedUploads = await app.deps.db.select({ cloudKey: uploads.storageKey }).from(uploads)
  expect(storedUploads.map(({ cloudKey }) => cloudKey)).toEqual(expect.arrayContaining(startedKeys))
  for (const person of users) expect(await startUpload(person, `0-${person.id}`)).not.toBeNull()
})

/** Long enough for ten of these queries to overlap. */
const sleepQuery = sql`select pg_sleep(0.05)`
