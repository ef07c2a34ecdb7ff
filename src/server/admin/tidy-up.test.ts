import { inArray } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { getFileRow } from '../../../tests/support/file-rows.ts'
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
import type { AuditEntry } from '../../shared/contract/admin.ts'
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

function getAdminActor() {
  return { id: admin.id, ipAddress: '127.0.0.1' }
}

/** Calls an administrator action and returns the counts in its response. */
async function runAction(path: string, body?: unknown): Promise<unknown> {
  const response = await admin.post(`/api/admin/${path}`, body)
  expect(response.status).toBe(200)
  return response.json()
}

/** Returns the audit log details of the actions in this test, newest first. */
async function listAuditDetails(action: AuditAction): Promise<unknown[]> {
  const lines = await json<AuditEntry[]>(
    await admin.fetch(`/api/admin/audit?action=${action}&search=${admin.email}`),
  )
  for (const line of lines) {
    expect(line).toMatchObject({ actor: admin.email, subject: null, ipAddress: '127.0.0.1' })
  }
  return lines.map(({ details }) => details)
}

/** Returns the details of an action's newest entry, as shown in the Admin Center. */
async function findLastResult(action: AuditAction) {
  const lines = await json<AuditEntry[]>(await admin.fetch('/api/admin/maintenance'))
  return lines.find((line) => line.action === action)?.details
}

async function listFileIds(person: Person): Promise<string[]> {
  const client = makeClient(app, await logIn(app, person.email, person.password))
  return (await json<File[]>(await client.fetch('/api/files'))).map(({ id }) => id)
}

function createDepsWithStore(changes: Partial<Storage>) {
  return { ...app.deps, stores: createStores({ ...app.storage, ...changes }) }
}

it('GET /api/admin/maintenance returns the last result of each action that has run', async () => {
  expect(await json(await admin.fetch('/api/admin/maintenance'))).toEqual([])
  await runAction('expire-files')
  await runAction('sanitize-filenames')
  app.clock.advance(minute)
  await runAction('expire-files')
  await runAction('settings', { key: 'app_version', value: 'v1' })
  const lines = await json<AuditEntry[]>(await admin.fetch('/api/admin/maintenance'))
  const now = app.clock()
  expect(lines).toMatchObject([
    { action: 'expire-files', at: now.toISOString(), actor: admin.email },
    { action: 'sanitize-file-names', at: new Date(now.getTime() - minute).toISOString() },
  ])
})

/** Calls the administrator's action to expire files, with these dependencies. */
async function expireFilesNow(
  deps: TestApp['deps'],
  { id, ipAddress }: ReturnType<typeof getAdminActor>,
) {
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
    const expiredFiles = [await makeFile(ada), await makeFile(eve)]
    await makeFile(bob)
    const expiredKeys = await Promise.all(
      expiredFiles.map(async (file) => (await getFileRow(app, file.id)).storageKey),
    )
    app.clock.advance(4 * day)
    for (const person of [ada, bob, eve])
      Object.assign(person, makeClient(app, await logIn(app, person.email, person.password)))
    const activeFiles = [await makeFile(ada), await makeFile(bob), await makeFile(eve)]
    const fileIdsBefore = await Promise.all([ada, bob, eve].map(listFileIds))
    expect(fileIdsBefore.map(({ length }) => length)).toEqual([2, 2, 2])

    // Bob can still renew his file's link. Eve can't, because her trial is over.
    expect(await runAction('cleanup-expired')).toEqual({ deletedCount: 2 })
    const [adaFiles = [], bobFiles = [], eveFiles = []] = await Promise.all(
      [ada, bob, eve].map(listFileIds),
    )
    expect([adaFiles.length, bobFiles.length, eveFiles.length]).toEqual([1, 2, 1])
    for (const file of activeFiles)
      expect([...adaFiles, ...bobFiles, ...eveFiles]).toContain(file.id)
    expect(await expireFiles(app.deps)).toEqual({ purged: 0, failed: 0 })
    for (const key of expiredKeys) expect(await app.storage.storedSize(key)).toBeNull()

    expect(await runAction('cleanup-expired')).toEqual({ deletedCount: 0 })
    expect(await listAuditDetails('clean-up-expired')).toEqual([
      { deletedCount: 0 },
      { deletedCount: 2 },
    ])
  })

  it('deletes rows whose bytes are already gone', async () => {
    const ada = await makePerson(app)
    await makeFile(ada)
    app.clock.advance(4 * day)
    await expireFiles(app.deps)
    expect(await listFileIds(ada)).toHaveLength(1)
    expect(await runAction('cleanup-expired')).toEqual({ deletedCount: 1 })
    expect(await listFileIds(ada)).toEqual([])
    expect(await app.deps.db.$count(files)).toBe(0)
  })

  it('leaves bytes that storage fails to remove to the purge job', async () => {
    const file = await makeFile(await makePerson(app))
    const { storageKey } = await getFileRow(app, file.id)
    app.clock.advance(4 * day)
    const failingDeps = createDepsWithStore({ remove: () => Promise.reject(new Error('EIO')) })
    expect(await cleanUpExpired(failingDeps, getAdminActor())).toBe(1)
    expect(await app.storage.storedSize(storageKey)).toBe(1000)
    expect(await expireFiles(app.deps)).toEqual({ purged: 1, failed: 0 })
    expect(await app.storage.storedSize(storageKey)).toBeNull()
  })

  it('pages through all files and counts each once, even in concurrent runs', async () => {
    const ada = await makePerson(app)
    await insertFiles(app, ada.id, 230)
    app.clock.advance(31 * day)
    Object.assign(admin, makeClient(app, await logIn(app, admin.email, admin.password)))
    const deletedCounts = await Promise.all(
      [1, 2].map(() => cleanUpExpired(app.deps, getAdminActor(), 50)),
    )
    expect(deletedCounts.reduce((sum, count) => sum + count, 0)).toBe(230)
    const lines = (await listAuditDetails('clean-up-expired')) as { deletedCount: number }[]
    expect(lines.reduce((sum, { deletedCount }) => sum + deletedCount, 0)).toBe(230)
    expect(await listFileIds(ada)).toEqual([])
  })

  it('logs the total in its last entry', async () => {
    const ada = await makePerson(app)
    await insertFiles(app, ada.id, 120)
    app.clock.advance(31 * day)
    Object.assign(admin, makeClient(app, await logIn(app, admin.email, admin.password)))
    expect(await cleanUpExpired(app.deps, getAdminActor(), 50)).toBe(120)
    expect(await listAuditDetails('clean-up-expired')).toEqual([
      { deletedCount: 20, totalDeleted: 120 },
      { deletedCount: 50, totalDeleted: 100 },
      { deletedCount: 50 },
    ])
    expect(await findLastResult('clean-up-expired')).toMatchObject({ totalDeleted: 120 })
  })
})

it('POST /api/admin/sanitize-filenames sanitizes all users’ file names and returns the count', async () => {
  const [firstFile, secondFile] = [
    await makeFile(await makePerson(app)),
    await makeFile(await makePerson(app)),
  ]
  await app.deps.db.update(files).set({ originalName: '<quoted>.pdf' })
  expect(await runAction('sanitize-filenames')).toEqual({ updated: 2, errors: 0 })
  for (const { id } of [firstFile, secondFile])
    expect(await getFileRow(app, id)).toMatchObject({ originalName: 'quoted.pdf' })
  expect(await listAuditDetails('sanitize-file-names')).toEqual([{ updated: 2, errors: 0 }])
})

describe('POST /api/admin/expire-files', () => {
  it('removes the bytes of ended files and keeps the rows', async () => {
    const ada = await makePerson(app)
    const file = await makeFile(ada)
    const { storageKey } = await getFileRow(app, file.id)
    expect(await runAction('expire-files')).toEqual({ expiredCount: 0, failed: 0 })
    app.clock.advance(3 * day)
    expect(await runAction('expire-files')).toEqual({ expiredCount: 1, failed: 0 })
    expect(await app.storage.storedSize(storageKey)).toBeNull()
    expect(await listFileIds(ada)).toEqual([file.id])
    expect(await runAction('expire-files')).toEqual({ expiredCount: 0, failed: 0 })
    expect(await listAuditDetails('expire-files')).toEqual([
      { expiredCount: 0, failed: 0 },
      { expiredCount: 1, failed: 0 },
      { expiredCount: 0, failed: 0 },
    ])
  })

  it('counts each file once when the job runs too, even if the job hangs', async () => {
    const ada = await makePerson(app, { tier: 'premium' })
    for (let count = 0; count < 3; count += 1) await makeFile(ada)
    app.clock.advance(31 * day)
    const removalStarted = Promise.withResolvers<void>()
    const removalAllowed = Promise.withResolvers<void>()
    const hangingDeps = createDepsWithStore({
      remove: async (key) => {
        removalStarted.resolve()
        await removalAllowed.promise
        await app.storage.remove(key)
      },
    })
    const jobPromise = expireFiles(hangingDeps)
    await removalStarted.promise
    expect(await expireFilesNow(app.deps, getAdminActor())).toMatchObject({ expiredCount: 0 })
    // By now, the job has been stuck for so long that another run may claim its files.
    app.clock.advance(2 * minute)
    expect(await expireFilesNow(app.deps, getAdminActor())).toMatchObject({ expiredCount: 3 })
    removalAllowed.resolve()
    expect(await jobPromise).toEqual({ purged: 0, failed: 0 })
  })

  it('counts failed and successful removals', async () => {
    const ada = await makePerson(app)
    const [failingFile] = [await makeFile(ada), await makeFile(ada), await makeFile(ada)]
    const { storageKey } = await getFileRow(app, failingFile.id)
    app.clock.advance(3 * day)
    const failingDeps = createDepsWithStore({
      remove: (key) =>
        key === storageKey ? Promise.reject(new Error('EIO')) : app.storage.remove(key),
    })
    const expectedCounts = { expiredCount: 2, failed: 1 }
    expect(await expireFilesNow(failingDeps, getAdminActor())).toEqual(expectedCounts)
    expect(await listAuditDetails('expire-files')).toEqual([expectedCounts])
  })

  it('reports a storage failure if no bytes could be removed', async () => {
    const ada = await makePerson(app)
    await makeFile(ada)
    app.clock.advance(3 * day)
    const failingDeps = createDepsWithStore({ remove: () => Promise.reject(new Error('EIO')) })
    await expect(expireFilesNow(failingDeps, getAdminActor())).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      headers: { 'retry-after': '5' },
      message: expect.stringContaining('the bytes of 1 file. The server retries by itself.'),
    })
    expect(await listAuditDetails('expire-files')).toEqual([{ expiredCount: 0, failed: 1 }])
  })
})

describe('POST /api/admin/expire-trials', () => {
  it('downgrades users whose trial has ended and counts each once when the job runs too', async () => {
    await expireTrials(app.deps)
    const premiumTrialEndsAt = new Date(app.clock().getTime() + day)
    const trial = { tier: 'premium', premiumTrialEndsAt } as const
    const trialUsers = [await makePerson(app, trial), await makePerson(app, trial)]
    await makePerson(app, { tier: 'premium' })
    expect(await runAction('expire-trials')).toEqual({ expiredCount: 0 })
    app.clock.advance(day)
    const [manualRun, jobRun] = await Promise.all([
      runAction('expire-trials') as Promise<{ expiredCount: number }>,
      expireTrials(app.deps),
    ])
    expect(manualRun.expiredCount + jobRun.expiredCount).toBe(2)
    const ids = trialUsers.map(({ id }) => id)
    const rows = await app.deps.db.select().from(users).where(inArray(users.id, ids))
    expect(rows.map(({ tier }) => tier)).toEqual(['free', 'free'])
    expect(await listAuditDetails('expire-trials')).toEqual([
      { expiredCount: manualRun.expiredCount },
      { expiredCount: 0 },
    ])
    // Like a run of the job, the action also logs an entry for each user whose trial ended.
    const trialEntryCount = await app.deps.db.$count(auditLog, inArray(auditLog.subject, ids))
    expect(trialEntryCount).toBe(2)
  })
})
