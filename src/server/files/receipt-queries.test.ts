import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getFileRow, timeFromNow } from '../../../tests/support/file-rows.ts'
import {
  json,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  signInAgain,
} from '../../../tests/support/make.ts'
import { queryPlansOf } from '../../../tests/support/query-plans.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { DeletionReceipt, File } from '../../shared/contract/files.ts'
import { deletionReceipts, files } from '../db/schema.ts'
import { setTier } from '../tiers/set-tier.ts'
import { expireFiles } from './expire-files.ts'
import { markDeleted } from './queries.ts'
import { forgetReceiptNames } from './receipt-queries.ts'

const minute = 60_000
const day = 24 * 60 * minute

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

/** Creates a file, deletes it and runs the purge. */
async function deleteFile(person: Person, name: string) {
  const file = await makeFile(person, { name })
  app.clock.advance(minute)
  expect((await person.fetch(`/api/files/${file.id}`, { method: 'DELETE' })).status).toBe(200)
  await expireFiles(app.deps)
  return file
}

async function receiptsOf(person: Person, query = '') {
  const response = await person.fetch(`/api/files/receipts${query}`)
  expect(response.status).toBe(200)
  const next = response.headers.get('x-next-cursor')
  return { receipts: await json<DeletionReceipt[]>(response), next }
}

describe('the receipts of deleted files', () => {
  it('are listed only for their owner, with the name, the due time and the purge time', async () => {
    const [ada, bob] = [await makePerson(app), await makePerson(app)]
    const { id } = await deleteFile(ada, 'plans.pdf')
    const deletedAt = app.clock().toISOString()
    expect((await receiptsOf(ada)).receipts).toEqual([
      { fileId: id, originalName: 'plans.pdf', dueAt: deletedAt, purgedAt: deletedAt },
    ])
    expect((await receiptsOf(bob)).receipts).toEqual([])
  })

  it('include cleared history, but no files that are still listed', async () => {
    const ada = await makePerson(app)
    await makeFile(ada, { name: 'expired.txt' })
    app.clock.advance(3 * day)
    await expireFiles(app.deps)
    const adaWithNewSession = await signInAgain(app, ada)
    expect((await receiptsOf(adaWithNewSession)).receipts).toEqual([])
    await adaWithNewSession.fetch('/api/files/expired/bulk', { method: 'DELETE' })
    expect((await receiptsOf(adaWithNewSession)).receipts).toMatchObject([
      { originalName: 'expired.txt' },
    ])
  })

  it('are paged newest first, without duplicates', async () => {
    const ada = await makePerson(app)
    // Storage may confirm several removals at the same instant.
    for (const name of ['1', '2', '3', '4', '5']) await deleteFile(ada, name)
    await app.deps.db
      .update(deletionReceipts)
      .set({ purgedAt: app.clock() })
      .where(eq(deletionReceipts.originalName, '4'))
    const names: string[][] = []
    let query = '?limit=2'
    for (;;) {
      const { receipts, next } = await receiptsOf(ada, query)
      names.push(receipts.map(({ originalName }) => originalName))
      if (next === null) break
      query = `?limit=2&cursor=${next}`
    }
    expect(names.map(({ length }) => length)).toEqual([2, 2, 1])
    expect(names.flat().toSorted()).toEqual(['1', '2', '3', '4', '5'])
    expect(names[0]?.toSorted()).toEqual(['4', '5'])
    expect(names.slice(1).flat()).toEqual(['3', '2', '1'])
  })

  it('are shown for 30 days, after which the job removes the name but keeps the row', async () => {
    const ada = await makePerson(app)
    const { id } = await deleteFile(ada, 'secret plans.pdf')
    const readNames = async () => {
      const rows = await app.deps.db
        .select()
        .from(deletionReceipts)
        .where(eq(deletionReceipts.fileId, id))
      return rows.map(({ originalName }) => originalName)
    }
    app.clock.advance(30 * day)
    const adaWithNewSession = await signInAgain(app, ada)
    expect((await receiptsOf(adaWithNewSession)).receipts).toHaveLength(1)
    await forgetReceiptNames(app.deps.db, app.clock())
    expect(await readNames()).toEqual(['secret plans.pdf'])
    app.clock.advance(1)
    expect((await receiptsOf(adaWithNewSession)).receipts).toEqual([])
    expect(await forgetReceiptNames(app.deps.db, app.clock())).toBeGreaterThan(0)
    expect(await readNames()).toEqual([null])
    expect(await forgetReceiptNames(app.deps.db, app.clock())).toBe(0)
  })

  it.each(['?cursor=abc', '?cursor=W10', '?limit=0', '?limit=101', '?limit=x'])(
    'are refused with 400 for %s',
    async (query) => {
      const ada = await makePerson(app)
      expect((await ada.fetch(`/api/files/receipts${query}`)).status).toBe(400)
    },
  )

  it('require a session', async () => {
    expect((await makeClient(app).fetch('/api/files/receipts')).status).toBe(401)
  })

  it('are read through an index', async () => {
    const ada = await makePerson(app)
    await app.pool.query(
      `insert into deletion_receipts (file_id, owner_id, storage, storage_key, original_name, due_at, purged_at)
        select gen_random_uuid(), case when n % 100 = 0 then $1 else 'user-' || n % 50 end, 'disk',
          'key', case when n % 3 > 0 then 'a.txt' end, $2, $2::timestamptz - n * interval '1 second'
        from generate_series(1, 20000) n`,
      [ada.id, app.clock()],
    )
    await app.pool.query('vacuum analyze deletion_receipts')
    const plans = await queryPlansOf(app.pool, async () => {
      await receiptsOf(ada, '?limit=20')
      await forgetReceiptNames(app.deps.db, app.clock())
    })
    const receiptPlans = plans.filter((plan) => plan.includes('"deletion_receipts"'))
    expect(receiptPlans).toHaveLength(2)
    expect(receiptPlans[0]).toContain('Index Scan Backward using deletion_receipts_of_owner')
    for (const plan of receiptPlans) expect(plan).not.toContain('Seq Scan')
  })
})

async function receiptOf(id: string) {
  const [receipt] = await app.deps.db
    .select()
    .from(deletionReceipts)
    .where(eq(deletionReceipts.fileId, id))
  return receipt
}

async function listFiles(person: Person) {
  return json<File[]>(await (await signInAgain(app, person)).fetch('/api/files'))
}

describe('the receipt of a deletion', () => {
  it('shows the owner when the removal was due and when storage confirmed it', async () => {
    const ada = await makePerson(app)
    const { expiresAt } = await makeFile(ada)
    expect(await listFiles(ada)).toMatchObject([{ purgeDueAt: null, purgedAt: null }])
    app.clock.set(new Date(Date.parse(expiresAt) + 40_000))
    await expireFiles(app.deps)
    const purgedAt = app.clock().toISOString()
    expect(await listFiles(ada)).toMatchObject([{ purgeDueAt: expiresAt, purgedAt }])
    app.clock.advance(day)
    await expireFiles(app.deps)
    expect(await listFiles(ada)).toMatchObject([{ purgeDueAt: expiresAt, purgedAt }])
  })

  it.each([
    ['30 days after the upload of a premium file', 'premium', 31 * day, 30 * day],
    ['at the expiry of a free file', 'free', 31 * day, 3 * day],
  ] as const)('was due %s, however late the purge', async (_, tier, age, dueAfterMs) => {
    const { id, createdAt } = await makeFile(await makePerson(app, { tier }))
    app.clock.advance(age)
    await expireFiles(app.deps)
    expect((await getFileRow(app, id)).purgeDueAt).toEqual(
      new Date(Date.parse(createdAt) + dueAfterMs),
    )
  })

  it('has the end of the trial as the due time if the file had already expired', async () => {
    const trialEndsAt = timeFromNow(app, 10 * day)
    const trialFields = {
      premiumTrialStartedAt: timeFromNow(app, -20 * day),
      premiumTrialEndsAt: trialEndsAt,
    }
    const ada = await makePerson(app, { tier: 'premium', ...trialFields })
    const { id } = await makeFile(ada)
    app.clock.advance(11 * day)
    await expireFiles(app.deps)
    expect((await getFileRow(app, id)).purgeDueAt).toEqual(trialEndsAt)
  })

  it('has the return to Free as the due time if the file had already expired', async () => {
    const ada = await makePerson(app, { tier: 'premium' })
    const { id } = await makeFile(ada)
    app.clock.advance(5 * day)
    const request = { reason: 'preview', to: 'free' } as const
    await setTier(app.deps, { userId: ada.id, request, actor: ada.id, ipAddress: '192.0.2.1' })
    const switchedAt = app.clock()
    app.clock.advance(minute)
    await expireFiles(app.deps)
    expect((await getFileRow(app, id)).purgeDueAt).toEqual(switchedAt)
  })

  it('remains after the owner deletes the file', async () => {
    const ada = await makePerson(app, { tier: 'premium' })
    const [deletedFile, other] = [await makeFile(ada), await makeFile(ada)]
    const { storageKey } = await getFileRow(app, deletedFile.id)
    const dueAt = app.clock()
    await ada.fetch(`/api/files/${deletedFile.id}`, { method: 'DELETE' })
    await markDeleted(app.deps.db, ada.id, [other.id], app.clock())
    expect(await receiptOf(other.id)).toBeUndefined()
    app.clock.advance(minute)
    await expireFiles(app.deps)
    const commonFields = { ownerId: ada.id, storage: 'disk', dueAt }
    expect(await receiptOf(deletedFile.id)).toEqual({
      ...commonFields,
      fileId: deletedFile.id,
      storageKey,
      originalName: deletedFile.originalName,
      purgedAt: dueAt,
    })
    expect(await receiptOf(other.id)).toMatchObject({ ...commonFields, purgedAt: app.clock() })
  })

  it('remains after the owner clears the history', async () => {
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
