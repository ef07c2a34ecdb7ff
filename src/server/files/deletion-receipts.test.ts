import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { later, rowOf } from '../../../tests/support/file-rows.ts'
import {
  json,
  makeFile,
  makePerson,
  type Person,
  signInAgain,
} from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { File } from '../../shared/contract/files.ts'
import { deletionReceipts, files } from '../db/schema.ts'
import { setTier } from '../tiers/set-tier.ts'
import { expireFiles } from './expire-files.ts'
import { markDeleted } from './queries.ts'

const minute = 60_000
const day = 24 * 60 * minute

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

async function receiptOf(id: string) {
  const [receipt] = await app.deps.db
    .select()
    .from(deletionReceipts)
    .where(eq(deletionReceipts.fileId, id))
  return receipt
}

/** Returns a person's list of files. */
async function listed(person: Person) {
  return json<File[]>(await (await signInAgain(app, person)).fetch('/api/files'))
}

describe('the receipt of a deletion', () => {
  it('tells the owner when the bytes were due to go, and when storage confirmed it', async () => {
    const ada = await makePerson(app)
    const { expiresAt } = await makeFile(ada)
    expect(await listed(ada)).toMatchObject([{ purgeDueAt: null, purgedAt: null }])
    app.clock.set(new Date(Date.parse(expiresAt) + 40_000))
    await expireFiles(app.deps)
    const purgedAt = app.clock().toISOString()
    expect(await listed(ada)).toMatchObject([{ purgeDueAt: expiresAt, purgedAt }])
    app.clock.advance(day)
    await expireFiles(app.deps)
    expect(await listed(ada)).toMatchObject([{ purgeDueAt: expiresAt, purgedAt }])
  })

  it.each([
    ['at the end of the 30 days of a premium file', 'premium', 31 * day, 30 * day],
    ['at the expiry of a free file', 'free', 31 * day, 3 * day],
  ] as const)('was due %s, however late it came', async (_, tier, age, due) => {
    const { id, createdAt } = await makeFile(await makePerson(app, { tier }))
    app.clock.advance(age)
    await expireFiles(app.deps)
    expect((await rowOf(app, id)).purgeDueAt).toEqual(new Date(Date.parse(createdAt) + due))
  })

  it('was due when a trial ended, for a file that had expired before', async () => {
    const ends = later(app, 10 * day)
    const trial = { premiumTrialStartedAt: later(app, -20 * day), premiumTrialEndsAt: ends }
    const ada = await makePerson(app, { tier: 'premium', ...trial })
    const { id } = await makeFile(ada)
    app.clock.advance(11 * day)
    await expireFiles(app.deps)
    expect((await rowOf(app, id)).purgeDueAt).toEqual(ends)
  })

  it('was due when the account became free, for a file that had expired before', async () => {
    const ada = await makePerson(app, { tier: 'premium' })
    const { id } = await makeFile(ada)
    app.clock.advance(5 * day)
    const request = { reason: 'preview', to: 'free' } as const
    await setTier(app.deps, { userId: ada.id, request, actor: ada.id, ipAddress: '192.0.2.1' })
    const switched = app.clock()
    app.clock.advance(minute)
    await expireFiles(app.deps)
    expect((await rowOf(app, id)).purgeDueAt).toEqual(switched)
  })

  it('stays when the owner deletes the file', async () => {
    const ada = await makePerson(app, { tier: 'premium' })
    const [one, other] = [await makeFile(ada), await makeFile(ada)]
    const { storageKey } = await rowOf(app, one.id)
    const dueAt = app.clock()
    await ada.fetch(`/api/files/${one.id}`, { method: 'DELETE' })
    await markDeleted(app.deps.db, ada.id, [other.id], app.clock())
    expect(await receiptOf(other.id)).toBeUndefined()
    app.clock.advance(minute)
    await expireFiles(app.deps)
    const facts = { ownerId: ada.id, storage: 'disk', dueAt }
    expect(await receiptOf(one.id)).toEqual({
      ...facts,
      fileId: one.id,
      storageKey,
      originalName: one.originalName,
      purgedAt: dueAt,
    })
    expect(await receiptOf(other.id)).toMatchObject({ ...facts, purgedAt: app.clock() })
  })

  it('stays when the owner clears the history', async () => {
    const ada = await makePerson(app)
    const { id, expiresAt } = await makeFile(ada)
    app.clock.advance(3 * day)
    await expireFiles(app.deps)
    const purgedAt = app.clock()
    app.clock.advance(minute)
    await (await signInAgain(app, ada)).fetch('/api/files/expired/bulk', { method: 'DELETE' })
    expect(await app.deps.db.$count(files, eq(files.id, id))).toBe(0)
    expect(await receiptOf(id)).toMatchObject({ dueAt: new Date(expiresAt), purgedAt })
  })
})
