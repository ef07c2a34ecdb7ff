import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { dayInMs, minuteInMs } from '../../shared/rules/format/units.ts'
import { deleteUser } from '../admin/delete-user.ts'
import { files, uploads, users } from '../db/schema.ts'
import { isUserGone } from '../db/user-gone.ts'
import { newShortCode } from '../files/queries.ts'
import { newStorageKey } from '../storage/storage-key.ts'
import {
  type NewUpload,
  prepareTouchUpload,
  prepareUploads,
  type UploadStatements,
} from './prepared-queries.ts'
import { endUploadsOf, type Upload } from './queries.ts'
import { restartUpload } from './removal-queries.ts'

/*
 * Statements that lock the same uploads run at the same time, on a real Postgres. If two of them
 * waited for each other, Postgres would end one with the error 40P01, and its call would be
 * refused.
 */

const rounds = 60
/** How many uploads there are in a round. With many, the statements meet while they lock rows. */
const uploadCount = 100

let app: TestApp
let statements: UploadStatements
beforeAll(async () => {
  app = await startTestApp()
  statements = prepareUploads(app.deps.db)
})
afterAll(() => app.close())

async function makeOwner(): Promise<string> {
  const id = randomUUID()
  const now = app.clock()
  const facts = { id, name: 'Ada', email: `${id}@example.org`, createdAt: now, updatedAt: now }
  await app.deps.db.insert(users).values({ ...facts, tier: 'premium' })
  return id
}

/** What the starts of uploads with these idempotency keys want. */
function wishes(keys: readonly string[]): NewUpload[] {
  return keys.map((idempotencyKey) => ({
    storage: 'disk',
    storageKey: newStorageKey(),
    originalName: 'notes.txt',
    mimeType: 'text/plain',
    size: 10,
    expirationDays: 3,
    partSize: 8_388_608,
    tier: 'premium',
    maxFiles: null,
    maxLifetimeDays: 30,
    idempotencyKey,
  }))
}

function start(ownerId: string, keys: readonly string[]) {
  return statements.insertUploads(ownerId, wishes(keys), app.clock())
}

function confirm(ownerId: string, opened: readonly Upload[]) {
  const now = app.clock()
  const end = new Date(now.getTime() + dayInMs)
  const facts = { createdAt: now, expiresAt: end, maxLifetimeAt: end, uploadDuration: 1 }
  const given = opened.map(({ id }) => {
    const content = { sha256: null, isContentProved: false }
    return { ...facts, ...content, uploadId: id, shortCode: newShortCode() }
  })
  return statements.makeFiles(ownerId, given)
}

function end(ownerId: string, opened: readonly Upload[]) {
  const keys = opened.map(({ storageKey }) => storageKey)
  return endUploadsOf(app.deps.db, ownerId, keys, app.clock())
}

function keysOf(round: number): string[] {
  return Array.from({ length: uploadCount }, (_, at) => `${round} ${at}`)
}

it('repeated starts, confirms and ends of the same uploads never wait for each other', async () => {
  const ownerId = await makeOwner()
  for (let round = 0; round < rounds; round += 1) {
    const keys = keysOf(round)
    const opened = (await start(ownerId, keys)).flatMap((upload) => upload ?? [])
    const half = opened.slice(0, uploadCount / 2)
    const [again, made, ended] = await Promise.all([
      start(ownerId, keys),
      confirm(ownerId, opened.toReversed()),
      end(ownerId, half.toReversed()),
      start(ownerId, keys.toReversed()),
      confirm(ownerId, opened),
    ])
    expect(again.every((upload) => upload !== undefined)).toBe(true)
    expect(made.size + ended.length).toBeLessThanOrEqual(uploadCount)
  }
  expect(await app.deps.db.$count(files)).toBeGreaterThan(0)
})

it('a user is deleted while uploads of this user are started, new ones and repeated ones', async () => {
  const actor = { id: 'admin', ipAddress: '192.0.2.1' }
  for (let round = 0; round < rounds / 4; round += 1) {
    const userId = await makeOwner()
    const keys = keysOf(round)
    await start(userId, keys.slice(uploadCount / 2))
    const [started, deleted] = await Promise.allSettled([
      start(userId, keys),
      deleteUser(app.deps, { userId, email: undefined }, actor),
    ])
    expect(deleted).toMatchObject({ status: 'fulfilled' })
    if (started.status === 'rejected') expect(isUserGone(started.reason)).toBe(true)
  }
})

it('a transfer goes on while a confirm that refuses its bytes wants to remove them', async () => {
  const ownerId = await makeOwner()
  const [upload] = await start(ownerId, ['refused'])
  const { id = '', storageKey = '' } = upload ?? {}
  const touch = prepareTouchUpload(app.deps.db)
  app.clock.advance(minuteInMs)
  await app.deps.db.transaction(async (tx) => {
    expect(await restartUpload(tx, id, app.clock())).toBe(true)
    expect(await touch(storageKey, app.clock())).toBe(true)
  })
  const activity = () =>
    app.deps.db
      .select({ at: uploads.lastActivityAt })
      .from(uploads)
      .where(eq(uploads.storageKey, storageKey))
  expect(await activity()).toEqual([{ at: upload?.lastActivityAt }])
  await touch(storageKey, app.clock())
  expect(await activity()).toEqual([{ at: app.clock() }])
})
