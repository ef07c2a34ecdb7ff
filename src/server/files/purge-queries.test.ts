import { eq, sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../tests/support/eventually.ts'
import { later, rowOf } from '../../../tests/support/file-rows.ts'
import {
  makeFile,
  makePerson,
  type Person,
  putBytes,
  startUpload,
} from '../../../tests/support/make.ts'
import { insertFiles } from '../../../tests/support/many-files.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { confirm } from '../../../tests/support/upload-requests.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { files, users } from '../db/schema.ts'
import { expireTrials, setTier } from '../tiers/set-tier.ts'
import { expireFiles, reportOverdue } from './expire-files.ts'
import { updatePurgeTimes } from './purge-queries.ts'
import { markDeleted } from './queries.ts'
import { renewFile } from './renew-file.ts'

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
/** Runs the purge. Returns true if it removed the bytes of this file. */
async function isPurged(id: string) {
  await expireFiles(app.deps)
  return (await rowOf(app, id)).purgedAt !== null
}
/** Expects that the purge removes the bytes of this file at this time and not before. */
async function expectPurgedAt(id: string, time: Date) {
  app.clock.set(new Date(time.getTime() - 1))
  expect(await isPurged(id)).toBe(false)
  app.clock.set(time)
  expect(await isPurged(id)).toBe(true)
  expect((await rowOf(app, id)).purgeDueAt).toEqual(time)
}
/** The facts of a user whose trial ends after `ms`. */
function trial(ms: number) {
  const [premiumTrialStartedAt, premiumTrialEndsAt] = [later(app, ms - 30 * day), later(app, ms)]
  return { tier: 'premium', premiumTrialStartedAt, premiumTrialEndsAt } as const
}
/** Makes a file whose link has ended and whose owner can renew it. */
async function makeKept(facts: Parameters<typeof makePerson>[1] = { tier: 'premium' }) {
  const owner = await makePerson(app, facts)
  const file = await makeFile(owner)
  app.clock.advance(3 * day)
  expect(await isPurged(file.id)).toBe(false)
  return { owner, file, maxLifetimeAt: new Date(file.maxLifetimeAt) }
}

describe('a file that its owner can renew', () => {
  it('goes at the end of its longest life', async () => {
    const { file, maxLifetimeAt } = await makeKept()
    await expectPurgedAt(file.id, maxLifetimeAt)
  })

  it('goes when its renewed link ends, if its owner is free then', async () => {
    const { owner, file } = await makeKept()
    const { expiresAt } = await renewFile(app.deps, owner.id, file.id, 3)
    await switchTo(owner, 'free')
    await expectPurgedAt(file.id, new Date(expiresAt))
  })

  it('goes when its owner has deleted it, and the server ended before it removed the bytes', async () => {
    const { owner, file } = await makeKept()
    await markDeleted(app.deps.db, owner.id, [file.id], app.clock())
    expect(await expireFiles(app.deps)).toMatchObject({ purged: 1 })
  })
})

describe('a file of an owner who becomes free', () => {
  it('goes at the next run, and was due when the tier changed', async () => {
    const { owner, file } = await makeKept()
    app.clock.advance(day)
    await switchTo(owner, 'free')
    const switched = app.clock()
    app.clock.advance(15 * minute)
    expect(await reportOverdue(app.deps)).toBe(1)
    expect(await isPurged(file.id)).toBe(true)
    expect((await rowOf(app, file.id)).purgeDueAt).toEqual(switched)
  })

  it('stays when the owner is Premium again before the purge runs', async () => {
    const { owner, file, maxLifetimeAt } = await makeKept()
    await switchTo(owner, 'free')
    await switchTo(owner, 'premium')
    await expectPurgedAt(file.id, maxLifetimeAt)
  })

  it('stays when the owner was free and is Premium before the link ends', async () => {
    const owner = await makePerson(app)
    const file = await makeFile(owner)
    await switchTo(owner, 'premium')
    await expectPurgedAt(file.id, new Date(file.maxLifetimeAt))
  })
})

describe('a file of an owner with a trial', () => {
  it('goes at the end of the trial, before any job has updated the user', async () => {
    const { owner, file } = await makeKept(trial(10 * day))
    const [user] = await app.deps.db.select().from(users).where(eq(users.id, owner.id))
    await expectPurgedAt(file.id, user?.premiumTrialEndsAt ?? new Date(0))
  })

  it('goes at the end of the trial, after a job has updated the user', async () => {
    const { file } = await makeKept(trial(10 * day))
    app.clock.advance(7 * day)
    await expireTrials(app.deps)
    expect(await isPurged(file.id)).toBe(true)
  })

  it('goes at once when the trial is given up for free', async () => {
    const { owner, file } = await makeKept(trial(10 * day))
    await switchTo(owner, 'free')
    expect(await isPurged(file.id)).toBe(true)
  })

  it('stays for its longest life when the owner pays before the end', async () => {
    const { owner, file, maxLifetimeAt } = await makeKept(trial(10 * day))
    await switchTo(owner, 'premium')
    await expectPurgedAt(file.id, maxLifetimeAt)
  })

  it('is renewed beyond the end of the trial, and goes when that link ends', async () => {
    const { owner, file } = await makeKept(trial(4 * day))
    const { expiresAt } = await renewFile(app.deps, owner.id, file.id, 3)
    await expectPurgedAt(file.id, new Date(expiresAt))
  })
})

describe('a change of the tier', () => {
  /** Changes the tier in a transaction that commits after `meanwhile` waits for its lock. */
  async function switchWhile(owner: Person, to: Tier, meanwhile: () => Promise<unknown>) {
    let waiting: Promise<unknown> = Promise.resolve()
    await app.deps.db.transaction(async (tx) => {
      await tx.update(users).set({ tier: to }).where(eq(users.id, owner.id))
      await updatePurgeTimes(tx, owner.id, app.clock())
      waiting = meanwhile()
      await eventually(async () => {
        const { rows } = await app.pool.query(
          "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        )
        expect(rows).not.toEqual([])
      })
    })
    await waiting
  }

  it('reaches a file that is confirmed at the same time', async () => {
    const owner = await makePerson(app)
    const upload = await startUpload(owner, { size: 10 })
    await putBytes(upload, new Uint8Array(10))
    await switchWhile(owner, 'premium', () => confirm(owner, upload.cloudKey))
    const [file] = await app.deps.db.select().from(files).where(eq(files.ownerId, owner.id))
    expect(file?.purgeAt).toEqual(file?.maxLifetimeAt)
  })

  it('reaches a file that is renewed at the same time', async () => {
    const owner = await makePerson(app, { tier: 'premium' })
    const file = await makeFile(owner)
    await switchWhile(owner, 'free', async () => {
      await expect(renewFile(app.deps, owner.id, file.id, 7)).rejects.toMatchObject({
        code: 'TIER_RENEWAL',
      })
    })
    const { purgeAt, expiresAt } = await rowOf(app, file.id)
    expect(purgeAt).toEqual(expiresAt)
  })

  it('reaches all files of an owner who has many', async () => {
    const owner = await makePerson(app, { tier: 'premium' })
    await insertFiles(app, owner.id, 25)
    await app.deps.db.transaction(async (tx) => {
      await tx.update(users).set({ tier: 'free' }).where(eq(users.id, owner.id))
      await updatePurgeTimes(tx, owner.id, app.clock(), 10)
    })
    expect(await app.deps.db.$count(files, sql`${files.purgeAt} = ${files.expiresAt}`)).toBe(25)
  })
})

it('purges what is due among hundreds that stay, when several servers start at once', async () => {
  const [free, premium] = [await makePerson(app), await makePerson(app, { tier: 'premium' })]
  await insertFiles(app, free.id, 250)
  await insertFiles(app, premium.id, 250)
  app.clock.advance(10 * day)
  const runs = await Promise.all([1, 2, 3].map(() => expireFiles(app.deps)))
  // A file that one server has locked is skipped by the others, and left to the next run.
  runs.push(await expireFiles(app.deps))
  expect(runs.reduce((sum, { purged }) => sum + purged, 0)).toBe(250)
  expect(await reportOverdue(app.deps)).toBe(0)
  const isKept = sql`${files.ownerId} = ${premium.id} and ${files.purgedAt} is null`
  expect(await app.deps.db.$count(files, isKept)).toBe(250)
})
