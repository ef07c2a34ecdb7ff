import { eq, isNotNull, sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../tests/support/eventually.ts'
import { later, rowOf } from '../../../tests/support/file-rows.ts'
import {
  askForRenewal,
  makeFile,
  makePerson,
  type Person,
  signInAgain,
} from '../../../tests/support/make.ts'
import { insertFiles } from '../../../tests/support/many-files.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { files, users } from '../db/schema.ts'
import { expireTrials, setTier } from '../tiers/set-tier.ts'
import { expireFiles, reportOverdue } from './expire-files.ts'
import { lookAtFiles } from './purge-queries.ts'
import { markDeleted } from './queries.ts'
import { recheckFiles } from './recheck-files.ts'
import { renewFile } from './renew-file.ts'

/*
 * The purge looks at a file when its link ends, and then plans its next look. These tests let
 * something happen between two looks. The bytes must still go when they are due, and not before.
 */

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
/** The facts of a user whose trial ends after `ms`. */
function trial(ms: number) {
  const [premiumTrialStartedAt, premiumTrialEndsAt] = [later(app, ms - 30 * day), later(app, ms)]
  return { tier: 'premium', premiumTrialStartedAt, premiumTrialEndsAt } as const
}
/** Makes a file whose link has ended and which the purge has looked at once. */
async function makeKept(facts: Parameters<typeof makePerson>[1] = { tier: 'premium' }) {
  const owner = await makePerson(app, facts)
  const file = await makeFile(owner)
  app.clock.advance(3 * day)
  expect(await isPurged(file.id)).toBe(false)
  expect((await rowOf(app, file.id)).purgeTryAt).not.toBeNull()
  return { owner, file, maxLifetimeAt: new Date(file.maxLifetimeAt) }
}

describe('a file that its owner can renew', () => {
  it('is looked at once, and then at the end of its longest life', async () => {
    const { file, maxLifetimeAt } = await makeKept()
    expect((await rowOf(app, file.id)).purgeTryAt).toEqual(maxLifetimeAt)
    app.clock.set(new Date(maxLifetimeAt.getTime() - 1))
    expect(await isPurged(file.id)).toBe(false)
    app.clock.set(maxLifetimeAt)
    expect(await isPurged(file.id)).toBe(true)
    expect((await rowOf(app, file.id)).purgeDueAt).toEqual(maxLifetimeAt)
  })

  it('is looked at again when its renewed link ends', async () => {
    const { owner, file } = await makeKept()
    expect((await askForRenewal(await signInAgain(app, owner), file.id)).status).toBe(200)
    expect((await rowOf(app, file.id)).purgeTryAt).toBeNull()
    await switchTo(owner, 'free')
    app.clock.advance(3 * day - 1)
    expect(await isPurged(file.id)).toBe(false)
    app.clock.advance(1)
    expect(await isPurged(file.id)).toBe(true)
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
    app.clock.advance(minute)
    expect(await isPurged(file.id)).toBe(true)
    expect((await rowOf(app, file.id)).purgeDueAt).toEqual(switched)
  })

  it('goes too when somebody changed the tier in the database', async () => {
    const { owner, file } = await makeKept()
    await app.pool.query("update users set tier = 'free' where id = $1", [owner.id])
    expect(await isPurged(file.id)).toBe(true)
  })

  it('stays when the owner is Premium again before the purge runs', async () => {
    const { owner, file, maxLifetimeAt } = await makeKept()
    await switchTo(owner, 'free')
    await switchTo(owner, 'premium')
    expect(await isPurged(file.id)).toBe(false)
    expect((await rowOf(app, file.id)).purgeTryAt).toEqual(maxLifetimeAt)
  })

  it('stays when the owner was free and is Premium before the link ends', async () => {
    const owner = await makePerson(app)
    const file = await makeFile(owner)
    await switchTo(owner, 'premium')
    app.clock.advance(4 * day)
    expect(await isPurged(file.id)).toBe(false)
  })

  it('is counted as overdue even if no purge has looked at it since', async () => {
    const { owner } = await makeKept()
    await switchTo(owner, 'free')
    const due = app.clock()
    app.clock.advance(15 * minute - 1)
    expect(await reportOverdue(app.deps)).toBe(0)
    app.clock.advance(1)
    expect(await reportOverdue(app.deps)).toBe(1)
    expect(app.logged.at(-1)).toMatchObject({ count: 1, since: due.toISOString() })
  })

  it('goes even if the tier changes while the purge looks at it', async () => {
    const owner = await makePerson(app, { tier: 'premium' })
    const file = await makeFile(owner)
    app.clock.advance(3 * day)
    let switching: Promise<string> | undefined
    await app.deps.db.transaction(async (tx) => {
      await lookAtFiles(tx, { storage: 'disk', now: app.clock(), limit: 100 })
      let isSwitched = false
      switching = switchTo(owner, 'free').then((user) => {
        isSwitched = true
        return user?.tier ?? ''
      })
      await eventually(async () => {
        const { rows } = await app.pool.query(
          "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        )
        expect(isSwitched || rows.length > 0).toBe(true)
      })
      // Meanwhile another server removes the planned looks of all users whose tier has changed.
      await recheckFiles(app.deps)
    })
    expect(await switching).toBe('free')
    expect(await isPurged(file.id)).toBe(true)
  })

  it('is not looked at while its tier is being changed', async () => {
    const owner = await makePerson(app, { tier: 'premium' })
    const file = await makeFile(owner)
    app.clock.advance(3 * day)
    await app.deps.db.transaction(async (tx) => {
      await tx.update(users).set({ tier: 'free' }).where(eq(users.id, owner.id))
      expect(await isPurged(file.id)).toBe(false)
      expect((await rowOf(app, file.id)).purgeTryAt).toBeNull()
    })
    expect(await isPurged(file.id)).toBe(true)
  })
})

describe('a file of an owner with a trial', () => {
  it('goes at the end of the trial, before any job has tidied the trial up', async () => {
    const { file } = await makeKept(trial(10 * day))
    app.clock.advance(7 * day - 1)
    expect(await isPurged(file.id)).toBe(false)
    app.clock.advance(1)
    const end = app.clock()
    expect(await isPurged(file.id)).toBe(true)
    expect((await rowOf(app, file.id)).purgeDueAt).toEqual(end)
  })

  it('goes at the end of the trial, after a job has tidied the trial up', async () => {
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
    app.clock.advance(8 * day)
    expect(await isPurged(file.id)).toBe(false)
    app.clock.set(maxLifetimeAt)
    expect(await isPurged(file.id)).toBe(true)
  })

  it('is renewed beyond the end of the trial, and goes when that link ends', async () => {
    const { owner, file } = await makeKept(trial(4 * day))
    await renewFile(app.deps, { id: owner.id, tier: 'premium' }, file.id, 3)
    app.clock.advance(2 * day)
    expect(await isPurged(file.id)).toBe(false)
    app.clock.advance(day)
    expect(await isPurged(file.id)).toBe(true)
  })
})

it('a file of an owner whose tier is unknown is looked at every hour', async () => {
  const owner = await makePerson(app, { tier: 'premium' })
  const file = await makeFile(owner)
  await app.deps.db.execute(sql`update users set tier = 'business' where id = ${owner.id}`)
  app.clock.advance(3 * day)
  expect(await isPurged(file.id)).toBe(false)
  expect((await rowOf(app, file.id)).purgeTryAt).toEqual(later(app, 60 * minute))
  await app.deps.db.update(users).set({ tier: 'premium' }).where(eq(users.id, owner.id))
})

it('looks again at more than a thousand files of one owner, also where it was cut off', async () => {
  const owner = await makePerson(app, { tier: 'premium' })
  await insertFiles(app, owner.id, 1100)
  const { db } = app.deps
  // Users of other tests are dealt with first.
  await recheckFiles({ db })
  await db.update(files).set({ purgeTryAt: files.maxLifetimeAt })
  await switchTo(owner, 'free')
  let batches = 0
  const cut = Object.create(db, {
    transaction: {
      value: (work: Parameters<typeof db.transaction>[0]) => {
        batches += 1
        if (batches > 1) throw new Error('cut off')
        return db.transaction(work)
      },
    },
  })
  const planned = () => db.$count(files, isNotNull(files.purgeTryAt))
  await expect(recheckFiles({ db: cut })).rejects.toThrow('cut off')
  expect(await planned()).toBe(100)
  await Promise.all([recheckFiles({ db }), recheckFiles({ db })])
  await recheckFiles({ db })
  expect(await planned()).toBe(0)
})

it('purges what is due among hundreds that stay, when all wake up at once', async () => {
  const [free, premium] = [await makePerson(app), await makePerson(app, { tier: 'premium' })]
  await insertFiles(app, free.id, 250)
  await insertFiles(app, premium.id, 250)
  app.clock.advance(10 * day)
  const runs = await Promise.all([1, 2, 3].map(() => expireFiles(app.deps)))
  // A file that one server has locked is skipped by the others, and left to the next run.
  runs.push(await expireFiles(app.deps))
  expect(runs.reduce((sum, { purged }) => sum + purged, 0)).toBe(250)
  expect(await reportOverdue(app.deps)).toBe(0)
  const isKept = sql`${files.ownerId} = ${premium.id} and ${files.purgedAt} is null
    and ${files.purgeTryAt} = ${files.maxLifetimeAt}`
  expect(await app.deps.db.$count(files, isKept)).toBe(250)
})
