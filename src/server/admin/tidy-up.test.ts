import { inArray } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { rowOf } from '../../../tests/support/file-rows.ts'
import {
  json,
  logIn,
  makeClient,
  makeFile,
  makePerson,
  type Person,
} from '../../../tests/support/make.ts'
import { insertFiles } from '../../../tests/support/many-files.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { AuditLine } from '../../shared/contract/admin.ts'
import type { File } from '../../shared/contract/files.ts'
import type { AuditAction } from '../../shared/rules/accounts/audit-action.ts'
import { auditLog, files, users } from '../db/schema.ts'
import { expireFiles } from '../files/expire-files.ts'
import type { Storage } from '../storage/storage.ts'
import { createStores } from '../storage/stores.ts'
import { expireTrials } from '../tiers/set-tier.ts'
import { adminActionRoutes } from './action-routes.ts'
import { cleanUpExpired } from './clean-up-expired.ts'

const minute = 60_000
const day = 24 * 60 * minute

let app: TestApp
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  admin = await makePerson(app, { role: 'admin' })
})
afterEach(async () => {
  await app.deps.db.delete(files)
})
afterAll(() => app.close())

function actor() {
  return { id: admin.id, ipAddress: '127.0.0.1' }
}

/** Calls an administrator action and returns its figures. */
async function act(path: string, body?: unknown): Promise<unknown> {
  const response = await admin.post(`/api/admin/${path}`, body)
  expect(response.status).toBe(200)
  return response.json()
}

/** Returns the details that this test's actions logged, newest first. */
async function auditedDetails(action: AuditAction): Promise<unknown[]> {
  const lines = await json<AuditLine[]>(
    await admin.fetch(`/api/admin/audit?action=${action}&search=${admin.email}`),
  )
  for (const line of lines) {
    expect(line).toMatchObject({ actor: admin.email, subject: null, ipAddress: '127.0.0.1' })
  }
  return lines.map(({ details }) => details)
}

/** Returns the details of an action's newest line, as shown in the Admin Center. */
async function lastDone(action: AuditAction) {
  const lines = await json<AuditLine[]>(await admin.fetch('/api/admin/maintenance'))
  return lines.find((line) => line.action === action)?.details
}

async function listOf(person: Person): Promise<string[]> {
  const client = makeClient(app, await logIn(app, person.email, person.password))
  return (await json<File[]>(await client.fetch('/api/files'))).map(({ id }) => id)
}

function withStore(changes: Partial<Storage>) {
  return { ...app.deps, stores: createStores({ ...app.storage, ...changes }) }
}

it('GET /api/admin/maintenance returns the last result of each action that has run', async () => {
  expect(await json(await admin.fetch('/api/admin/maintenance'))).toEqual([])
  await act('expire-files')
  await act('sanitize-filenames')
  app.clock.advance(minute)
  await act('expire-files')
  await act('settings', { key: 'app_version', value: 'v1' })
  const lines = await json<AuditLine[]>(await admin.fetch('/api/admin/maintenance'))
  const at = app.clock()
  expect(lines).toMatchObject([
    { action: 'expire-files', at: at.toISOString(), actor: admin.email },
    { action: 'sanitize-file-names', at: new Date(at.getTime() - minute).toISOString() },
  ])
})

/** Expires files as the administrator would, with these dependencies. */
async function expireFilesNow(deps: TestApp['deps'], { id, ipAddress }: ReturnType<typeof actor>) {
  return adminActionRoutes(deps).expireFiles({ user: { id }, clientAddress: ipAddress } as never)
}

describe('POST /api/admin/cleanup-expired', () => {
  it("deletes every user's ended, non-renewable files and nothing else", async () => {
    const [ada, bob, eve] = [
      await makePerson(app),
      await makePerson(app, { tier: 'premium' }),
      await makePerson(app, {
        tier: 'premium',
        premiumTrialEndsAt: new Date(app.clock().getTime() + day),
      }),
    ]
    const over = [await makeFile(ada), await makeFile(eve)]
    await makeFile(bob)
    const keysOver = await Promise.all(
      over.map(async (file) => (await rowOf(app, file.id)).storageKey),
    )
    app.clock.advance(4 * day)
    for (const person of [ada, bob, eve])
      Object.assign(person, makeClient(app, await logIn(app, person.email, person.password)))
    const living = [await makeFile(ada), await makeFile(bob), await makeFile(eve)]
    const before = await Promise.all([ada, bob, eve].map(listOf))
    expect(before.map(({ length }) => length)).toEqual([2, 2, 2])

    // Bob can still renew his file's link. Eve can't, because her trial is over.
    expect(await act('cleanup-expired')).toEqual({ deletedCount: 2 })
    const [ofAda = [], ofBob = [], ofEve = []] = await Promise.all([ada, bob, eve].map(listOf))
    expect([ofAda.length, ofBob.length, ofEve.length]).toEqual([1, 2, 1])
    for (const file of living) expect([...ofAda, ...ofBob, ...ofEve]).toContain(file.id)
    expect(await expireFiles(app.deps)).toEqual({ purged: 0, failed: 0 })
    for (const key of keysOver) expect(await app.storage.storedSize(key)).toBeNull()

    expect(await act('cleanup-expired')).toEqual({ deletedCount: 0 })
    expect(await auditedDetails('clean-up-expired')).toEqual([
      { deletedCount: 0 },
      { deletedCount: 2 },
    ])
  })

  it('deletes rows whose bytes are already gone', async () => {
    const ada = await makePerson(app)
    await makeFile(ada)
    app.clock.advance(4 * day)
    await expireFiles(app.deps)
    expect(await listOf(ada)).toHaveLength(1)
    expect(await act('cleanup-expired')).toEqual({ deletedCount: 1 })
    expect(await listOf(ada)).toEqual([])
    expect(await app.deps.db.$count(files)).toBe(0)
  })

  it('leaves bytes that storage fails to remove to the purge job', async () => {
    const file = await makeFile(await makePerson(app))
    const { storageKey } = await rowOf(app, file.id)
    app.clock.advance(4 * day)
    const refusing = withStore({ remove: () => Promise.reject(new Error('EIO')) })
    expect(await cleanUpExpired(refusing, actor())).toBe(1)
    expect(await app.storage.storedSize(storageKey)).toBe(1000)
    expect(await expireFiles(app.deps)).toEqual({ purged: 1, failed: 0 })
    expect(await app.storage.storedSize(storageKey)).toBeNull()
  })

  it('pages through all files and counts each once, even in concurrent runs', async () => {
    const ada = await makePerson(app)
    await insertFiles(app, ada.id, 230)
    app.clock.advance(31 * day)
    Object.assign(admin, makeClient(app, await logIn(app, admin.email, admin.password)))
    const runs = await Promise.all([1, 2].map(() => cleanUpExpired(app.deps, actor(), 50)))
    expect(runs.reduce((sum, count) => sum + count, 0)).toBe(230)
    const lines = (await auditedDetails('clean-up-expired')) as { deletedCount: number }[]
    expect(lines.reduce((sum, { deletedCount }) => sum + deletedCount, 0)).toBe(230)
    expect(await listOf(ada)).toEqual([])
  })

  it('logs the total in its last line', async () => {
    const ada = await makePerson(app)
    await insertFiles(app, ada.id, 120)
    app.clock.advance(31 * day)
    Object.assign(admin, makeClient(app, await logIn(app, admin.email, admin.password)))
    expect(await cleanUpExpired(app.deps, actor(), 50)).toBe(120)
    expect(await auditedDetails('clean-up-expired')).toEqual([
      { deletedCount: 20, totalDeleted: 120 },
      { deletedCount: 50, totalDeleted: 100 },
      { deletedCount: 50 },
    ])
    expect(await lastDone('clean-up-expired')).toMatchObject({ totalDeleted: 120 })
  })
})

it('POST /api/admin/sanitize-filenames sanitizes all users’ file names and returns the count', async () => {
  const [one, two] = [await makeFile(await makePerson(app)), await makeFile(await makePerson(app))]
  await app.deps.db.update(files).set({ originalName: '<quoted>.pdf' })
  expect(await act('sanitize-filenames')).toEqual({ updated: 2, errors: 0 })
  for (const { id } of [one, two])
    expect(await rowOf(app, id)).toMatchObject({ originalName: 'quoted.pdf' })
  expect(await auditedDetails('sanitize-file-names')).toEqual([{ updated: 2, errors: 0 }])
})

describe('POST /api/admin/expire-files', () => {
  it('removes the bytes of ended files and keeps the rows', async () => {
    const ada = await makePerson(app)
    const file = await makeFile(ada)
    const { storageKey } = await rowOf(app, file.id)
    expect(await act('expire-files')).toEqual({ expiredCount: 0, failed: 0 })
    app.clock.advance(3 * day)
    expect(await act('expire-files')).toEqual({ expiredCount: 1, failed: 0 })
    expect(await app.storage.storedSize(storageKey)).toBeNull()
    expect(await listOf(ada)).toEqual([file.id])
    expect(await act('expire-files')).toEqual({ expiredCount: 0, failed: 0 })
    expect(await auditedDetails('expire-files')).toEqual([
      { expiredCount: 0, failed: 0 },
      { expiredCount: 1, failed: 0 },
      { expiredCount: 0, failed: 0 },
    ])
  })

  it('counts each file once when the job runs too, even if the job hangs', async () => {
    const ada = await makePerson(app, { tier: 'premium' })
    for (let made = 0; made < 3; made += 1) await makeFile(ada)
    app.clock.advance(31 * day)
    const reached = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    const hanging = withStore({
      remove: async (key) => {
        reached.resolve()
        await go.promise
        await app.storage.remove(key)
      },
    })
    const job = expireFiles(hanging)
    await reached.promise
    expect(await expireFilesNow(app.deps, actor())).toMatchObject({ expiredCount: 0 })
    // The job has hung long enough for another run to take over its files.
    app.clock.advance(2 * minute)
    expect(await expireFilesNow(app.deps, actor())).toMatchObject({ expiredCount: 3 })
    go.resolve()
    expect(await job).toEqual({ purged: 0, failed: 0 })
  })

  it('counts failed and successful removals', async () => {
    const ada = await makePerson(app)
    const [stuck] = [await makeFile(ada), await makeFile(ada), await makeFile(ada)]
    const { storageKey } = await rowOf(app, stuck.id)
    app.clock.advance(3 * day)
    const refusing = withStore({
      remove: (key) =>
        key === storageKey ? Promise.reject(new Error('EIO')) : app.storage.remove(key),
    })
    const figures = { expiredCount: 2, failed: 1 }
    expect(await expireFilesNow(refusing, actor())).toEqual(figures)
    expect(await auditedDetails('expire-files')).toEqual([figures])
  })

  it('reports a storage failure if no bytes were removed', async () => {
    const ada = await makePerson(app)
    await makeFile(ada)
    app.clock.advance(3 * day)
    const away = withStore({ remove: () => Promise.reject(new Error('EIO')) })
    await expect(expireFilesNow(away, actor())).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      headers: { 'retry-after': '5' },
      message: expect.stringContaining('the bytes of 1 file. The server retries by itself.'),
    })
    expect(await auditedDetails('expire-files')).toEqual([{ expiredCount: 0, failed: 1 }])
  })
})

describe('POST /api/admin/expire-trials', () => {
  it('downgrades users whose trial is over and counts each once when the job runs too', async () => {
    await expireTrials(app.deps)
    const premiumTrialEndsAt = new Date(app.clock().getTime() + day)
    const trial = { tier: 'premium', premiumTrialEndsAt } as const
    const people = [await makePerson(app, trial), await makePerson(app, trial)]
    await makePerson(app, { tier: 'premium' })
    expect(await act('expire-trials')).toEqual({ expiredCount: 0 })
    app.clock.advance(day)
    const [byHand, job] = await Promise.all([
      act('expire-trials') as Promise<{ expiredCount: number }>,
      expireTrials(app.deps),
    ])
    expect(byHand.expiredCount + job.expiredCount).toBe(2)
    const ids = people.map(({ id }) => id)
    const rows = await app.deps.db.select().from(users).where(inArray(users.id, ids))
    expect(rows.map(({ tier }) => tier)).toEqual(['free', 'free'])
    expect(await auditedDetails('expire-trials')).toEqual([
      { expiredCount: byHand.expiredCount },
      { expiredCount: 0 },
    ])
    // The log also has a line per user whose trial ended, as after a run of the job.
    const ofUsers = await app.deps.db.$count(auditLog, inArray(auditLog.subject, ids))
    expect(ofUsers).toBe(2)
  })
})
