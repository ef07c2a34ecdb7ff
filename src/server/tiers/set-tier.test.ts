import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Client,
  json,
  logIn,
  makeClient,
  makePerson,
  type Person,
} from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { expectError } from '../../../tests/support/upload-requests.ts'
import type { User } from '../../shared/contract/account.ts'
import { defaultLimits, type Limits } from '../../shared/rules/tiers/tier-limits.ts'
import { auditLog, users } from '../db/schema.ts'
import { setTier } from './set-tier.ts'

const day = 24 * 60 * 60_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

function startTrial(person: Client) {
  return person.post('/api/auth/start-trial')
}

/** Signs a user in again after the session has expired. */
async function signInAgain(person: Person): Promise<Person> {
  const cookie = await logIn(app, person.email, person.password)
  return { ...person, ...makeClient(app, cookie) }
}

function toggleTier(person: Client, body?: unknown) {
  return person.post('/api/auth/toggle-premium', body)
}

async function readChangedUser(response: Response): Promise<User> {
  expect(response.status).toBe(200)
  return (await json<{ user: User }>(response)).user
}

/** Fetches the user. Drops the limits, which the response also contains. */
async function fetchUser(person: Client): Promise<User> {
  const { limits, ...user } = await json<User & { limits: Limits }>(
    await person.fetch('/api/auth/user'),
  )
  expect(limits).toEqual(defaultLimits)
  return user
}

function listAuditLines(subject: string) {
  return app.deps.db
    .select()
    .from(auditLog)
    .where(eq(auditLog.subject, subject))
    .orderBy(auditLog.id)
}

describe('POST /api/auth/start-trial', () => {
  it('gives a free user 30 days of Premium', async () => {
    const ada = await makePerson(app)
    const now = app.clock()
    const user = await readChangedUser(await startTrial(ada))
    expect(user).toMatchObject({
      id: ada.id,
      tier: 'premium',
      premiumTrialStartedAt: now.toISOString(),
      premiumTrialEndsAt: new Date(now.getTime() + 30 * day).toISOString(),
    })
    expect(await fetchUser(ada)).toEqual(user)
  })

  it('is rejected if the user is or was on a trial', async () => {
    const ada = await makePerson(app)
    const originalTime = app.clock()
    const user = await readChangedUser(await startTrial(ada))
    await expectError(await startTrial(ada), 409, 'TRIAL_USED')
    for (const days of [30, 400]) {
      app.clock.advance(days * day)
      const signedInClient = await signInAgain(ada)
      await expectError(await startTrial(signedInClient), 409, 'TRIAL_USED')
      expect(await fetchUser(signedInClient)).toEqual({ ...user, tier: 'free' })
    }
    app.clock.set(originalTime)
  })

  it('is rejected on Premium and allowed once the user is on Free again', async () => {
    const ada = await makePerson(app, { tier: 'premium' })
    await expectError(await startTrial(ada), 409, 'ALREADY_PREMIUM')
    expect((await fetchUser(ada)).premiumTrialStartedAt).toBeNull()
    await toggleTier(ada)
    expect((await readChangedUser(await startTrial(ada))).tier).toBe('premium')
  })
})

describe('POST /api/auth/toggle-premium', () => {
  it("switches only the caller's tier", async () => {
    const [ada, bob] = [await makePerson(app), await makePerson(app)]
    expect((await readChangedUser(await toggleTier(ada))).tier).toBe('premium')
    expect((await fetchUser(ada)).tier).toBe('premium')
    expect((await fetchUser(bob)).tier).toBe('free')
    expect((await readChangedUser(await toggleTier(ada, {}))).tier).toBe('free')
    expect((await fetchUser(ada)).tier).toBe('free')
  })

  it('is idempotent if the tier is given', async () => {
    const ada = await makePerson(app)
    for (const tier of ['premium', 'premium', 'free', 'free'] as const) {
      expect((await readChangedUser(await toggleTier(ada, { tier }))).tier).toBe(tier)
    }
    expect(await listAuditLines(ada.id)).toHaveLength(2)
  })

  it.each<['premium' | 'free']>([['premium'], ['free']])(
    "ends a running trial when switching to %s, and the trial can't be restarted",
    async (tier) => {
      const ada = await makePerson(app)
      const { premiumTrialStartedAt } = await readChangedUser(await startTrial(ada))
      app.clock.advance(10 * day)
      const user = await readChangedUser(await toggleTier(ada, { tier }))
      expect(user).toMatchObject({ tier, premiumTrialStartedAt, premiumTrialEndsAt: null })
      await toggleTier(ada, { tier: 'free' })
      await expectError(await startTrial(ada), 409, 'TRIAL_USED')
      app.clock.advance(-10 * day)
    },
  )

  it('makes a running trial permanent, and upgrades after a trial has ended', async () => {
    const originalTime = app.clock()
    const [upgradedUser, expiredUser] = [await makePerson(app), await makePerson(app)]
    for (const person of [upgradedUser, expiredUser]) await startTrial(person)
    await toggleTier(upgradedUser, { tier: 'premium' })
    app.clock.advance(30 * day)
    const [upgradedClient, expiredClient] = [
      await signInAgain(upgradedUser),
      await signInAgain(expiredUser),
    ]
    expect((await fetchUser(upgradedClient)).tier).toBe('premium')
    expect((await fetchUser(expiredClient)).tier).toBe('free')
    expect(await readChangedUser(await toggleTier(expiredClient))).toMatchObject({
      tier: 'premium',
      premiumTrialEndsAt: null,
    })
    app.clock.set(originalTime)
  })

  it.each([
    [{ tier: 'gold' }],
    [{ tier: null }],
    [{ tier: ['premium'] }],
    [{ Tier: 'premium' }],
    [{ tier: 'premium', userId: 'somebody else' }],
    [[]],
    ['premium'],
    [null],
  ])('rejects %j and changes nothing', async (body) => {
    const ada = await makePerson(app)
    await expectError(await toggleTier(ada, body), 400, 'INVALID_INPUT')
    expect((await fetchUser(ada)).tier).toBe('free')
    expect(await listAuditLines(ada.id)).toEqual([])
  })

  it('applies the limits of the new tier immediately', async () => {
    const ada = await makePerson(app)
    const requestLargeUpload = (expirationDays: string) =>
      ada.post('/api/files/get-upload-url', {
        fileName: 'notes.txt',
        fileSize: 600 * 1024 ** 2,
        fileType: 'text/plain',
        expirationDays,
      })
    await expectError(await requestLargeUpload('7'), 413, 'TIER_FILE_SIZE')
    await toggleTier(ada)
    for (let fileIndex = 0; fileIndex < 4; fileIndex += 1)
      expect((await requestLargeUpload('7')).status).toBe(200)
    await toggleTier(ada)
    await expectError(await requestLargeUpload('3'), 413, 'TIER_FILE_SIZE')
  })
})

describe('the audit log', () => {
  it('records each tier change with actor, user, reason, IP address, and the tier before and after', async () => {
    const ada = await makePerson(app)
    const admin = await makePerson(app, { role: 'admin' })
    const now = app.clock()
    const trialEndsAt = new Date(now.getTime() + 30 * day).toISOString()
    await startTrial(ada)
    await toggleTier(ada)
    await toggleTier(admin)
    const makeLine = (actor: string, details: unknown) => ({
      id: expect.any(Number),
      at: now,
      actor,
      action: 'set-tier',
      subject: actor,
      ipAddress: '127.0.0.1',
      details,
    })
    const freeState = { tier: 'free', trialEndsAt: null }
    const trialState = { tier: 'premium', trialEndsAt }
    expect(await listAuditLines(ada.id)).toEqual([
      makeLine(ada.id, { reason: 'trial', from: freeState, to: trialState }),
      makeLine(ada.id, { reason: 'preview', from: trialState, to: freeState }),
    ])
    const premiumState = { tier: 'premium', trialEndsAt: null }
    expect(await listAuditLines(admin.id)).toEqual([
      makeLine(admin.id, { reason: 'administrator', from: freeState, to: premiumState }),
    ])
  })

  it('has no entry for a rejected change', async () => {
    const ada = await makePerson(app, { tier: 'premium' })
    await startTrial(ada)
    await toggleTier(ada, { tier: 'premium' })
    expect(await listAuditLines(ada.id)).toEqual([])
  })

  it('is written in the same transaction as the change', async () => {
    const ada = await makePerson(app)
    await app.pool.query('alter table audit_log rename to audit_log_away')
    try {
      expect((await startTrial(ada)).status).toBe(500)
      expect((await toggleTier(ada)).status).toBe(500)
    } finally {
      await app.pool.query('alter table audit_log_away rename to audit_log')
    }
    expect(await fetchUser(ada)).toMatchObject({ tier: 'free', premiumTrialStartedAt: null })
    expect(await app.sendQueuedEmails()).toEqual([])
  })

  it('has no entry for a change that was rolled back', async () => {
    const ada = await makePerson(app)
    const add = () => Promise.reject(new Error('no queue'))
    const mailQueue = { ...app.deps.mailQueue, add }
    const change = { userId: ada.id, actor: ada.id, ipAddress: '127.0.0.1' }
    const request = { reason: 'trial' } as const
    await expect(setTier({ ...app.deps, mailQueue }, { ...change, request })).rejects.toThrow()
    expect(await listAuditLines(ada.id)).toEqual([])
    expect(await fetchUser(ada)).toMatchObject({ tier: 'free', premiumTrialStartedAt: null })
  })

  it.each([
    ["update audit_log set details = '{}'"],
    ['update audit_log set actor = null, ip_address = null'],
    ["update audit_log set ip_address = '192.0.2.1'"],
    ['update audit_log set ip_address = null'],
    ['update audit_log set at = now()'],
    ['delete from audit_log'],
    ['truncate audit_log'],
  ])("can't be changed: %s", async (statement) => {
    const ada = await makePerson(app)
    await toggleTier(ada)
    const entriesBefore = await app.deps.db.select().from(auditLog).orderBy(auditLog.id)
    await expect(app.pool.query(statement)).rejects.toThrow('audit_log is append-only')
    expect(await app.deps.db.select().from(auditLog).orderBy(auditLog.id)).toEqual(entriesBefore)
  })

  it('has no foreign key that could delete its rows', async () => {
    const { rows } = await app.pool.query(
      "select conname from pg_constraint where contype = 'f' and conrelid = 'audit_log'::regclass",
    )
    expect(rows).toEqual([])
  })

  it('keeps the entries about a deleted user', async () => {
    const ada = await makePerson(app)
    await toggleTier(ada)
    const [line] = await listAuditLines(ada.id)
    await app.deps.db.delete(users).where(eq(users.id, ada.id))
    expect(await listAuditLines(ada.id)).toEqual([line])
    expect(JSON.stringify(line)).not.toContain(ada.email)
  })
})

describe('a user who changes the tier often', () => {
  it('is rate limited without affecting other users', async () => {
    const limitedApp = await startTestApp({ env: { RATE_LIMITS: 'on' } })
    const [ada, bob] = [await makePerson(limitedApp), await makePerson(limitedApp)]
    for (let index = 0; index < 60; index += 1) expect((await toggleTier(ada)).status).toBe(200)
    const rejectedResponse = await toggleTier(ada)
    expect(Number(rejectedResponse.headers.get('retry-after'))).toBeGreaterThan(0)
    await expectError(rejectedResponse, 429, 'TOO_MANY_REQUESTS')
    expect((await toggleTier(bob)).status).toBe(200)
    limitedApp.clock.advance(60 * 60_000)
    expect((await toggleTier(ada)).status).toBe(200)
    await limitedApp.close()
  })
})
