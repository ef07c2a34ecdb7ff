import { eq, sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../tests/support/eventually.ts'
import { getFileRow, timeFromNow } from '../../../tests/support/file-rows.ts'
import {
  makeFile,
  makePerson,
  type Person,
  putBytes,
  startUpload,
} from '../../../tests/support/make.ts'
import { insertFiles } from '../../../tests/support/many-files.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { requestConfirm } from '../../../tests/support/upload-requests.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { files, links, users } from '../db/schema.ts'
import { renewFile } from '../links/renew-link.ts'
import { expireTrials, setTier } from '../tiers/set-tier.ts'
import { expireFiles, reportOverdue } from './expire-files.ts'
import { updatePurgeTimes } from './purge-queries.ts'
import { markDeleted } from './queries.ts'

const minute = 60_000
const day = 24 * 60 * minute

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterEach(() => app.deps.db.delete(files))
afterAll(() => app.close())

function switchTo(person: Person, to: Tier) {
  const request = { reason: 'preview', to } as const
  return setTier(app.deps, { userId: person.id, request, actor: person.id, ipAddress: '192.0.2.1' })
}
/** Runs the purge. Returns true if it removed this file's bytes. */
async function isPurged(id: string) {
  await expireFiles(app.deps)
  return (await getFileRow(app, id)).purgedAt !== null
}
/** Asserts that the purge removes this file's bytes at this time and not before. */
async function expectPurgedAt(id: string, time: Date) {
  app.clock.set(new Date(time.getTime() - 1))
  expect(await isPurged(id)).toBe(false)
  app.clock.set(time)
  expect(await isPurged(id)).toBe(true)
  expect((await getFileRow(app, id)).purgeDueAt).toEqual(time)
}
/** Returns the dates of a trial that ends in `ms` milliseconds. */
function trialEndingIn(ms: number) {
  const [premiumTrialStartedAt, premiumTrialEndsAt] = [
    timeFromNow(app, ms - 30 * day),
    timeFromNow(app, ms),
  ]
  return { tier: 'premium', premiumTrialStartedAt, premiumTrialEndsAt } as const
}
/** Creates an expired file that can be renewed. */
async function makeExpiredFile(
  accountFields: Parameters<typeof makePerson>[1] = { tier: 'premium' },
) {
  const owner = await makePerson(app, accountFields)
  const file = await makeFile(owner)
  app.clock.advance(3 * day)
  expect(await isPurged(file.id)).toBe(false)
  return { owner, file, maxLifetimeAt: new Date(file.maxLifetimeAt) }
}

describe('a renewable file', () => {
  it('is purged at the end of its maximum lifetime', async () => {
    const { file, maxLifetimeAt } = await makeExpiredFile()
    await expectPurgedAt(file.id, maxLifetimeAt)
  })

  it('is purged when its renewed link expires if its owner is on Free by then', async () => {
    const { owner, file } = await makeExpiredFile()
    const { expiresAt } = await renewFile(app.deps, owner.id, file.id, 3)
    await switchTo(owner, 'free')
    await expectPurgedAt(file.id, new Date(expiresAt))
  })

  it('is purged after its owner deleted it and the server stopped before removing the bytes', async () => {
    const { owner, file } = await makeExpiredFile()
    await markDeleted(app.deps.db, owner.id, [file.id], app.clock())
    expect(await expireFiles(app.deps)).toMatchObject({ purged: 1 })
  })
})

describe("after a change of the owner's tier, a file", () => {
  it('is purged by the next run if the tier is Free, with the change as its due time', async () => {
    const { owner, file } = await makeExpiredFile()
    app.clock.advance(day)
    await switchTo(owner, 'free')
    const switchedAt = app.clock()
    app.clock.advance(15 * minute)
    expect(await reportOverdue(app.deps)).toBe(1)
    expect(await isPurged(file.id)).toBe(true)
    expect((await getFileRow(app, file.id)).purgeDueAt).toEqual(switchedAt)
  })

  it('is kept if the owner is on Premium again before the purge runs', async () => {
    const { owner, file, maxLifetimeAt } = await makeExpiredFile()
    await switchTo(owner, 'free')
    await switchTo(owner, 'premium')
    await expectPurgedAt(file.id, maxLifetimeAt)
  })

  it('is kept if the tier is Premium before the link expires', async () => {
    const owner = await makePerson(app)
    const file = await makeFile(owner)
    await switchTo(owner, 'premium')
    await expectPurgedAt(file.id, new Date(file.maxLifetimeAt))
  })
})

describe('a file of an owner on a trial', () => {
  it('is purged at the end of the trial, before any job has updated the user', async () => {
    const { owner, file } = await makeExpiredFile(trialEndingIn(10 * day))
    const [user] = await app.deps.db.select().from(users).where(eq(users.id, owner.id))
    await expectPurgedAt(file.id, user?.premiumTrialEndsAt ?? new Date(0))
  })

  it('is purged at the end of the trial, after a job has updated the user', async () => {
    const { file } = await makeExpiredFile(trialEndingIn(10 * day))
    app.clock.advance(7 * day)
    await expireTrials(app.deps)
    expect(await isPurged(file.id)).toBe(true)
  })

  it('is purged at once when the owner ends the trial early', async () => {
    const { owner, file } = await makeExpiredFile(trialEndingIn(10 * day))
    await switchTo(owner, 'free')
    expect(await isPurged(file.id)).toBe(true)
  })

  it('is kept for its maximum lifetime if the owner pays before the trial ends', async () => {
    const { owner, file, maxLifetimeAt } = await makeExpiredFile(trialEndingIn(10 * day))
    await switchTo(owner, 'premium')
    await expectPurgedAt(file.id, maxLifetimeAt)
  })

  it('can be renewed beyond the end of the trial, and is purged when that link expires', async () => {
    const { owner, file } = await makeExpiredFile(trialEndingIn(4 * day))
    const { expiresAt } = await renewFile(app.deps, owner.id, file.id, 3)
    await expectPurgedAt(file.id, new Date(expiresAt))
  })
})

describe('a tier change', () => {
  /** Changes the tier in a transaction that commits once `action` is waiting for the lock. */
  async function switchTierDuring(owner: Person, to: Tier, action: () => Promise<unknown>) {
    let actionPromise: Promise<unknown> = Promise.resolve()
    await app.deps.db.transaction(async (tx) => {
      await tx.update(users).set({ tier: to }).where(eq(users.id, owner.id))
      await updatePurgeTimes(tx, owner.id, app.clock())
      actionPromise = action()
      await eventually(async () => {
        const { rows } = await app.pool.query(
          "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        )
        expect(rows).not.toEqual([])
      })
    })
    await actionPromise
  }

  it('applies to a file that is confirmed at the same time', async () => {
    const owner = await makePerson(app)
    const upload = await startUpload(owner, { size: 10 })
    await putBytes(upload, new Uint8Array(10))
    await switchTierDuring(owner, 'premium', () => requestConfirm(owner, upload.cloudKey))
    const [file] = await app.deps.db.select().from(files).where(eq(files.ownerId, owner.id))
    const { purgeAt, maxLifetimeAt } = await getFileRow(app, file?.id ?? '')
    expect(purgeAt).toEqual(maxLifetimeAt)
  })

  it('applies to a file that is renewed at the same time', async () => {
    const owner = await makePerson(app, { tier: 'premium' })
    const file = await makeFile(owner)
    await switchTierDuring(owner, 'free', async () => {
      await expect(renewFile(app.deps, owner.id, file.id, 7)).rejects.toMatchObject({
        code: 'TIER_RENEWAL',
      })
    })
    const { purgeAt, expiresAt } = await getFileRow(app, file.id)
    expect(purgeAt).toEqual(expiresAt)
  })

  it('applies to all files of an owner with many files', async () => {
    const owner = await makePerson(app, { tier: 'premium' })
    await insertFiles(app, owner.id, 25)
    await app.deps.db.transaction(async (tx) => {
      await tx.update(users).set({ tier: 'free' }).where(eq(users.id, owner.id))
      await updatePurgeTimes(tx, owner.id, app.clock())
    })
    const hasExpiry = sql`${files.purgeAt} = (select ${links.expiresAt} from ${links} where ${links.id} = ${files.linkId})`
    expect(await app.deps.db.$count(files, hasExpiry)).toBe(25)
  })
})

it('purges exactly the due files when several servers start at once', async () => {
  const [free, premium] = [await makePerson(app), await makePerson(app, { tier: 'premium' })]
  await insertFiles(app, free.id, 250)
  await insertFiles(app, premium.id, 250)
  app.clock.advance(10 * day)
  const runs = await Promise.all([1, 2, 3].map(() => expireFiles(app.deps)))
  // Files locked by another server are skipped until the next run.
  runs.push(await expireFiles(app.deps))
  expect(runs.reduce((sum, { purged }) => sum + purged, 0)).toBe(250)
  expect(await reportOverdue(app.deps)).toBe(0)
  const isUnpurged = sql`${files.ownerId} = ${premium.id} and ${files.purgedAt} is null`
  expect(await app.deps.db.$count(files, isUnpurged)).toBe(250)
})
