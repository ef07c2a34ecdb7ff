import { randomInt, randomUUID } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteUser } from '../../src/server/account-deletion/delete-user.ts'
import { ensureAdministrator } from '../../src/server/auth/administrator.ts'
import { isDatabaseUnavailable } from '../../src/server/db/db-errors.ts'
import {
  accounts,
  files,
  pendingSignups,
  sessions,
  uploads,
  users,
} from '../../src/server/db/schema.ts'
import { expireFiles } from '../../src/server/files/expire-files.ts'
import { retryRemovals } from '../../src/server/uploads/end-uploads.ts'
import { serveApp, type TestApp } from '../support/app-server.ts'
import { eventually } from '../support/eventually.ts'
import {
  json,
  logIn,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  putBytes,
  sha256,
  startUpload,
} from '../support/make.ts'
import { freshDatabase } from '../support/postgres.ts'
import { cutPoints, type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts'
import { isLongRun } from '../support/rounds.ts'
import { makeAddress, signUpForToken, verifyEmail } from '../support/signup.ts'

/**
 * The attack: the connection to Postgres breaks during any of a call's statements: before Postgres
 * receives the statement, before its response arrives, or afterwards. A short run tests only one of
 * these three moments, for every second statement. The call succeeds or returns 503. No confirmed
 * work is lost.
 * After a 503, the work has been done completely or not at all, and a retry completes it.
 * Afterwards every pooled connection works.
 */

let app: TestApp
let proxy: PostgresProxy
let person: Person

beforeAll(async () => {
  const database = await freshDatabase()
  proxy = await startPostgresProxy(database.url)
  app = await serveApp({ url: proxy.url, drop: () => database.drop() })
  person = await makePerson(app)
  // The server caches the settings, so the first request would have one more statement.
  await app.deps.settings.current()
})
afterAll(async () => {
  await app.close()
  await proxy.close()
})

type Outcome = 'done' | 'away'

interface Attempt {
  call(): Promise<Outcome>
  /** Asserts the state after a call that succeeded ('done') or returned 503 ('away'). */
  check(outcome: Outcome): Promise<void>
}

/** Asserts that the response has the expected status, or is a 503 with Retry-After. */
async function getOutcome(response: Response, expectedStatus: number): Promise<Outcome> {
  if (response.status === expectedStatus) return 'done'
  expect({ status: response.status, body: await response.text() }).toMatchObject({ status: 503 })
  expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
  return 'away'
}

/** Asserts that background work succeeds, or fails because the database is unreachable. */
async function getOutcomeOfWork(workPromise: Promise<unknown>): Promise<Outcome> {
  const [result] = await Promise.allSettled([workPromise])
  if (result.status === 'fulfilled') return 'done'
  expect(isDatabaseUnavailable(result.reason), String(result.reason)).toBe(true)
  return 'away'
}

function makeRandomBytes() {
  return new Uint8Array(Buffer.from(randomUUID()))
}
function findFiles(id: string) {
  return app.deps.db.select().from(files).where(eq(files.ownerId, id))
}
function findUploads(id: string) {
  return app.deps.db.select().from(uploads).where(eq(uploads.ownerId, id))
}
async function deleteFilesAndUploads() {
  await app.deps.db.delete(files).where(eq(files.ownerId, person.id))
  await app.deps.db.delete(uploads).where(eq(uploads.ownerId, person.id))
}
/** Lets an interrupted purge's claims expire, which takes at most ten minutes. */
function expireClaims() {
  return app.clock.advance(11 * 60_000)
}

/**
 * Runs the cleanup jobs until the assertion passes. After a connection is cut, Postgres may still
 * be running the statement, and jobs skip rows that it has locked.
 */
async function purgeUntil(assertion: () => Promise<void>): Promise<void> {
  expireClaims()
  await eventually(async () => {
    await expireFiles(app.deps)
    await retryRemovals(app.deps)
    await assertion()
  })
}

async function prepareUploadStart(): Promise<Attempt> {
  await deleteFilesAndUploads()
  const body = {
    fileName: 'notes.txt',
    fileSize: 36,
    fileType: 'text/plain',
    expirationDays: '3',
    idempotencyKey: randomUUID(),
  }
  const start = () => person.post('/api/files/get-upload-url', body)
  let firstCloudKey: string | undefined
  return {
    async call() {
      const response = await start()
      if (response.ok) firstCloudKey = (await json<{ cloudKey: string }>(response.clone())).cloudKey
      return getOutcome(response, 200)
    },
    async check() {
      const secondResponse = await start()
      expect(secondResponse.status).toBe(200)
      const { cloudKey } = await json<{ cloudKey: string }>(secondResponse)
      if (firstCloudKey !== undefined) expect(cloudKey).toBe(firstCloudKey)
      expect(await findUploads(person.id)).toMatchObject([{ storageKey: cloudKey }])
    },
  }
}

async function prepareConfirmation(): Promise<Attempt> {
  await deleteFilesAndUploads()
  const bytes = makeRandomBytes()
  const upload = await startUpload(person, { size: bytes.length })
  await putBytes(upload, bytes)
  const confirm = () => person.post('/api/files/confirm-upload', { cloudKey: upload.cloudKey })
  return {
    call: async () => getOutcome(await confirm(), 200),
    async check(outcome) {
      if (outcome === 'done') expect(await findFiles(person.id)).toHaveLength(1)
      const { shortCode } = await json<{ shortCode: string }>(await confirm())
      expect(await findFiles(person.id)).toHaveLength(1)
      expect(await findUploads(person.id)).toEqual([])
      const downloadResponse = await makeClient(app).fetch(`/api/download/${shortCode}`)
      expect(new Uint8Array(await downloadResponse.arrayBuffer())).toEqual(bytes)
    },
  }
}

async function prepareChecksumMismatch(): Promise<Attempt> {
  await deleteFilesAndUploads()
  const bytes = makeRandomBytes()
  const upload = await startUpload(person, { size: bytes.length })
  await putBytes(upload, makeRandomBytes())
  const confirm = () => {
    const confirmBody = { cloudKey: upload.cloudKey, sha256: sha256(bytes) }
    return person.post('/api/files/confirm-upload', confirmBody)
  }
  return {
    call: async () => getOutcome(await confirm(), 409),
    async check() {
      expect(await findFiles(person.id)).toEqual([])
      // A second confirm is rejected too, or finds that the upload no longer exists.
      expect([404, 409]).toContain((await confirm()).status)
      expect(await findFiles(person.id)).toEqual([])
      expect(await findUploads(person.id)).toEqual([])
      // If the call was interrupted before it deleted the bytes, a job deletes them.
      await purgeUntil(async () => expect(await app.storage.storedSize(upload.cloudKey)).toBeNull())
    },
  }
}

async function findKey(id: string): Promise<string> {
  const [row] = await app.deps.db.select().from(files).where(eq(files.id, id))
  return row?.storageKey ?? ''
}

async function prepareFileDeletion(): Promise<Attempt> {
  await deleteFilesAndUploads()
  const file = await makeFile(person)
  const key = await findKey(file.id)
  const requestRemoval = () => person.fetch(`/api/files/${file.id}`, { method: 'DELETE' })
  const fetchDownload = () => makeClient(app).fetch(`/api/download/${file.shortCode}`)
  return {
    call: async () => getOutcome(await requestRemoval(), 200),
    async check(outcome) {
      if (outcome === 'done') expect((await fetchDownload()).status).toBe(404)
      expect([200, 404]).toContain((await requestRemoval()).status)
      expect((await fetchDownload()).status).toBe(404)
      await purgeUntil(async () => expect(await findFiles(person.id)).toEqual([]))
      expect(await app.storage.storedSize(key)).toBeNull()
    },
  }
}

async function prepareUserDeletion(): Promise<Attempt> {
  const ada = await makePerson(app)
  const file = await makeFile(ada)
  const openUpload = await startUpload(ada, { size: 36 })
  await putBytes(openUpload, makeRandomBytes())
  const keys = [await findKey(file.id), openUpload.cloudKey]
  const actor = { id: 'the administrator', ipAddress: '127.0.0.1' }
  const requestRemoval = () => deleteUser(app.deps, ada.id, actor, () => undefined)
  const userExists = async () => (await app.deps.db.$count(users, eq(users.id, ada.id))) === 1
  const canDownload = async () =>
    (await makeClient(app).fetch(`/api/download/${file.shortCode}`)).status === 200
  return {
    call: () => getOutcomeOfWork(requestRemoval()),
    async check(outcome) {
      // The user was deleted along with all data, or not at all.
      const exists = await userExists()
      if (outcome === 'done') expect(exists).toBe(false)
      expect(await canDownload()).toBe(exists)
      expect((await ada.fetch('/api/files')).status).toBe(exists ? 200 : 401)
      expect(await findUploads(ada.id)).toHaveLength(exists ? 1 : 0)
      if (exists) await requestRemoval()
      await expect(requestRemoval()).rejects.toMatchObject({ code: 'USER_NOT_FOUND' })
      await purgeUntil(async () => {
        for (const key of keys) expect(await app.storage.storedSize(key)).toBeNull()
      })
    },
  }
}

async function preparePurge(): Promise<Attempt> {
  await deleteFilesAndUploads()
  const file = await makeFile(person)
  const key = await findKey(file.id)
  await app.deps.db.update(files).set({ purgeAt: app.clock() }).where(eq(files.id, file.id))
  return {
    call: () => getOutcomeOfWork(expireFiles(app.deps)),
    async check() {
      await purgeUntil(async () => {
        const [row] = await findFiles(person.id)
        expect(row?.purgedAt).toBeInstanceOf(Date)
      })
      expect(await app.storage.storedSize(key)).toBeNull()
    },
  }
}

/** Asserts that exactly one user has this email address, with exactly one password. */
async function expectCompleteUser(email: string) {
  const rows = await app.deps.db
    .select({ user: users.id, password: accounts.password })
    .from(users)
    .leftJoin(accounts, eq(accounts.userId, users.id))
    .where(eq(users.email, email))
  expect(rows).toEqual([{ user: expect.any(String), password: expect.any(String) }])
}

async function prepareSignup(): Promise<Attempt> {
  const email = `${randomUUID()}@example.org`
  const password = 'correct horse'
  const fullName = { firstName: 'Ada', lastName: 'Lovelace' }
  const form = { ...fullName, email, password, confirmPassword: password }
  const send = () => makeClient(app).post('/api/auth/signup', form)
  return {
    call: async () => getOutcome(await send(), 200),
    async check(outcome) {
      if (outcome === 'done') return expectCompleteUser(email)
      expect([200, 409]).toContain((await send()).status)
      await expectCompleteUser(email)
    },
  }
}

async function prepareEmailVerification(): Promise<Attempt> {
  const email = makeAddress()
  app.deps.config.requireEmailVerification = true
  const token = await signUpForToken(app, { email })
  app.deps.config.requireEmailVerification = false
  return {
    call: async () => getOutcome(await verifyEmail(app, token), 200),
    async check(outcome) {
      if (outcome === 'done') await expectCompleteUser(email)
      expect((await verifyEmail(app, token)).status).toBe(200)
      await expectCompleteUser(email)
      expect(await app.deps.db.$count(pendingSignups, eq(pendingSignups.email, email))).toBe(0)
    },
  }
}

async function isSignedIn(cookie: string) {
  return (await makeClient(app, cookie).fetch('/api/auth/user')).status === 200
}

function getCookie(response: Response) {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')
}

async function prepareLogin(): Promise<Attempt> {
  const { email, password } = person
  let cookie = ''
  return {
    async call() {
      const response = await makeClient(app).post('/api/auth/login', { email, password })
      cookie = getCookie(response)
      return getOutcome(response, 200)
    },
    async check(outcome) {
      expect(await isSignedIn(cookie)).toBe(outcome === 'done')
    },
  }
}

async function prepareLogout(): Promise<Attempt> {
  const cookie = await logIn(app, person.email, person.password)
  const logOut = () => makeClient(app, cookie).fetch('/api/logout')
  return {
    call: async () => getOutcome(await logOut(), 302),
    async check(outcome) {
      if (outcome === 'done') expect(await isSignedIn(cookie)).toBe(false)
      await logOut()
      expect(await isSignedIn(cookie)).toBe(false)
    },
  }
}

async function prepareSessionRenewal(): Promise<Attempt> {
  const lastSeenAt = new Date(app.clock().getTime() - 24 * 60 * 60_000)
  await app.deps.db
    .update(sessions)
    .set({ updatedAt: lastSeenAt })
    .where(eq(sessions.userId, person.id))
  const getUser = () => person.fetch('/api/auth/user')
  return {
    call: async () => getOutcome(await getUser(), 200),
    check: async () => expect((await getUser()).status).toBe(200),
  }
}

async function prepareAdministrator(): Promise<Attempt> {
  await app.deps.db.delete(users).where(eq(users.email, app.deps.config.adminEmail))
  const ensureAdmin = () => ensureAdministrator(app.deps, async () => 'correct horse')
  return {
    call: () => getOutcomeOfWork(ensureAdmin()),
    async check() {
      await ensureAdmin()
      await expectCompleteUser(app.deps.config.adminEmail)
      expect(await app.deps.db.$count(users, eq(users.role, 'admin'))).toBe(1)
    },
  }
}

/**
 * Checks out all pooled connections at once. Each must respond, and none may be in a transaction.
 */
async function expectIntactPool() {
  const { pool } = app
  const { max } = pool.options
  const connectResults = await Promise.allSettled(Array.from({ length: max }, () => pool.connect()))
  const areIntact = await Promise.all(
    connectResults.map(async (connectResult) => {
      if (connectResult.status === 'rejected') return false
      const response = await connectResult.value.query('select 1').catch(() => null)
      connectResult.value.release(response === null)
      return response !== null && connectResult.value.getTransactionStatus() === 'I'
    }),
  )
  expect(areIntact).toEqual(Array(max).fill(true))
  expect(pool).toMatchObject({ totalCount: max, idleCount: max, waitingCount: 0 })
  const openTransactionsQuery = sql`select 1 from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%'`
  expect((await app.deps.db.execute(openTransactionsQuery)).rows).toEqual([])
}

describe('a connection cut at any statement', () => {
  test.each([
    { name: 'starting an upload', prepare: prepareUploadStart, transaction: true },
    { name: 'confirming an upload', prepare: prepareConfirmation, transaction: true },
    {
      name: 'rejecting bytes with a wrong checksum',
      prepare: prepareChecksumMismatch,
      transaction: true,
    },
    { name: 'deleting a file', prepare: prepareFileDeletion, transaction: true },
    { name: 'deleting a user', prepare: prepareUserDeletion, transaction: true },
    { name: 'purging a file', prepare: preparePurge, transaction: false },
    { name: 'signing up', prepare: prepareSignup, transaction: true },
    { name: 'verifying an address', prepare: prepareEmailVerification, transaction: true },
    { name: 'creating the administrator', prepare: prepareAdministrator, transaction: true },
    { name: 'logging in', prepare: prepareLogin, transaction: true },
    { name: 'logging out', prepare: prepareLogout, transaction: false },
    { name: 'renewing a session', prepare: prepareSessionRenewal, transaction: false },
  ])(
    'breaks nothing while $name',
    async ({ prepare, transaction }) => {
      const uncutAttempt = await prepare()
      await expectIntactPool()
      proxy.clearStatements()
      expect(await uncutAttempt.call()).toBe('done')
      const statements = [...proxy.statements]
      expect(statements.includes('begin') && statements.includes('commit')).toBe(transaction)
      await uncutAttempt.check('done')

      const offset = randomInt(2 * cutPoints.length)
      for (const [cutPointIndex, cutPoint] of cutPoints.entries()) {
        for (const [index, statement] of statements.entries()) {
          if (!isLongRun && (offset + index) % (2 * cutPoints.length) !== cutPointIndex) continue
          const attempt = await prepare()
          await eventually(expectIntactPool)
          proxy.cutAt(index + 1, cutPoint)
          const outcome = await attempt.call()
          expect(proxy.wasCut).toBe(true)
          await eventually(expectIntactPool)
          await attempt.check(outcome)
          expect(statement).not.toBe('')
        }
      }
    },
    60_000,
  )
})
