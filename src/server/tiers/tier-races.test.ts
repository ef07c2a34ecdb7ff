import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { json, makePerson, type Person } from '../../../tests/support/make.ts'
import { chooseRounds } from '../../../tests/support/rounds.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { User } from '../../shared/contract/account.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import type { TierRequest } from '../../shared/rules/tiers/tier-change.ts'
import { effectiveTier, type StoredTier } from '../../shared/rules/tiers/trial.ts'
import { auditLog, users } from '../db/schema.ts'
import type { AppError } from '../errors.ts'
import { expireTrials, setTier } from './set-tier.ts'

const rounds = chooseRounds(4, 100)
const day = 24 * 60 * 60_000

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())
beforeEach(async () => {
  // Ends any trials that earlier tests started.
  await runJob()
  ada = await makePerson(app)
})

const neverOnTrial: StoredTier = {
  tier: 'free',
  premiumTrialStartedAt: null,
  premiumTrialEndsAt: null,
}

interface TierState {
  tier: string
  trialEndsAt: string | null
}
type TierChangeDetails = { reason: string; from: TierState; to: TierState }

/**
 * Sets the user's tier and trial, runs all `actions` in parallel and returns their results. Asserts
 * that the audit log is consistent in whatever order they ran: each entry starts from the state in
 * which the previous one ended, and at most one entry starts a trial.
 */
async function race<Results extends unknown[]>(
  initialState: StoredTier,
  ...actions: { [At in keyof Results]: () => Promise<Results[At]> }
): Promise<{
  results: Results
  lines: TierChangeDetails[]
  after: StoredTier & { email: string }
}> {
  const isAda = eq(users.id, ada.id)
  await app.deps.db
    .update(users)
    .set({ ...initialState, tier: initialState.tier ?? 'free' })
    .where(isAda)
  const entryCountBefore = await app.deps.db.$count(auditLog, eq(auditLog.subject, ada.id))

  const results = (await Promise.all(actions.map((action) => action()))) as Results
  const [userAfter] = await app.deps.db.select().from(users).where(isAda)
  if (!userAfter) throw new Error('the user is gone')
  const rows = await app.deps.db
    .select({ details: auditLog.details })
    .from(auditLog)
    .where(eq(auditLog.subject, ada.id))
    .orderBy(auditLog.id)
    .offset(entryCountBefore)
  const lines = rows.map(({ details }) => details as unknown as TierChangeDetails)
  const toState = ({ tier, premiumTrialEndsAt }: StoredTier): TierState => ({
    tier: tier ?? 'free',
    trialEndsAt: premiumTrialEndsAt?.toISOString() ?? null,
  })
  expect(lines.map(({ from }) => from).concat(toState(userAfter))).toEqual(
    [toState(initialState)].concat(lines.map(({ to }) => to)),
  )
  const trials = lines.filter(({ reason, to }) => reason === 'trial' && to.tier === 'premium')
  expect(trials.length).toBeLessThanOrEqual(initialState.premiumTrialStartedAt === null ? 1 : 0)
  return { results, lines, after: userAfter }
}

/**
 * Changes Ada's tier without an HTTP request. Returns the status code that the API would respond
 * with, followed by the tier or the error code, such as '200 premium' or '409 TRIAL_USED'.
 */
async function requestTier(request: TierRequest): Promise<string> {
  const change = { userId: ada.id, request, actor: ada.id, ipAddress: '127.0.0.1' }
  return setTier(app.deps, change).then(
    (user) => `200 ${user?.tier}`,
    (error: AppError) => `${error.status} ${error.code}`,
  )
}

function startTrial() {
  return requestTier({ reason: 'trial' })
}

function toggleTier(to?: Tier) {
  return requestTier({ reason: 'preview', to })
}

async function startTrialByHttp() {
  const response = await ada.post('/api/auth/start-trial')
  const { user, code } = await json<{ user?: User; code?: string }>(response)
  return `${response.status} ${user?.tier ?? code}`
}

function runJob() {
  return expireTrials(app.deps)
}

describe(`in ${rounds} parallel rounds`, () => {
  it('two requests start a single trial and send its emails once', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { results, lines, after } = await race(neverOnTrial, startTrialByHttp, startTrialByHttp)
      expect(results.toSorted()).toEqual(['200 premium', '409 TRIAL_USED'])
      expect(lines).toHaveLength(1)
      expect(after.premiumTrialStartedAt).toEqual(app.clock())
    }
    app.clock.advance(30 * day)
    const emails = (await app.sendQueuedEmails()).filter(({ to }) => to.address === ada.email)
    // Every round queued the same three emails. By now, two of them are stale.
    expect(emails.map(({ content }) => content.subject)).toEqual([
      'Your Mayfly Premium trial has ended',
    ])
  })

  it('a trial and a switch are serialized', async () => {
    const resultsByRound = new Set<string>()
    for (let round = 0; round < rounds; round += 1) {
      const { results, after } = await race(neverOnTrial, startTrial, toggleTier)
      resultsByRound.add(results.join(', '))
      const hasStartedTrial = results[0] === '200 premium'
      expect(after.premiumTrialStartedAt !== null).toBe(hasStartedTrial)
      expect(after.premiumTrialEndsAt).toBeNull()
      expect(after.tier).toBe(hasStartedTrial ? 'free' : 'premium')
    }
    for (const outcome of resultsByRound) {
      expect(['200 premium, 200 free', '409 ALREADY_PREMIUM, 200 premium']).toContain(outcome)
    }
  })

  it('a trial and a switch to Premium result in permanent Premium', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { results, after } = await race(neverOnTrial, startTrial, () => toggleTier('premium'))
      expect(['200 premium', '409 ALREADY_PREMIUM']).toContain(results[0])
      expect(results[1]).toBe('200 premium')
      expect(after).toMatchObject({ tier: 'premium', premiumTrialEndsAt: null })
    }
  })

  it('switches to the other tier are each applied once', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const raceResult = await race(neverOnTrial, toggleTier, toggleTier, toggleTier)
      expect(raceResult.results.toSorted()).toEqual(['200 free', '200 premium', '200 premium'])
      expect(raceResult.lines.map(({ to }) => to.tier)).toEqual(['premium', 'free', 'premium'])
      expect(raceResult.after.tier).toBe('premium')
    }
  })

  it('switches to the same tier count as one', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const toPremium = () => toggleTier('premium')
      const { results, lines } = await race(neverOnTrial, toPremium, toPremium)
      expect(results).toEqual(['200 premium', '200 premium'])
      expect(lines).toHaveLength(1)
    }
  })

  it.each([
    ['to the other tier', undefined, 'premium'],
    ['to Premium', 'premium', 'premium'],
    ['to Free', 'free', 'free'],
  ] as const)("the trial job doesn't undo a switch %s", async (_, tier, expected) => {
    const now = app.clock()
    for (let round = 0; round < rounds; round += 1) {
      const endedTrial: StoredTier = {
        tier: 'premium',
        premiumTrialStartedAt: new Date(now.getTime() - 30 * day),
        premiumTrialEndsAt: now,
      }
      const { results, after } = await race(endedTrial, runJob, () => toggleTier(tier), runJob)
      expect(results[1]).toBe(`200 ${expected}`)
      expect(effectiveTier(after, now)).toBe(expected)
      expect(results[0].expiredCount + results[2].expiredCount).toBeLessThanOrEqual(1)
      await runJob()
      const [finalUser] = await app.deps.db.select().from(users).where(eq(users.id, ada.id))
      expect(finalUser?.tier).toBe(expected)
    }
  })
})

describe('the job that ends trials', () => {
  const insertTrials = async (count: number, endsAt: Date) => {
    await app.pool.query(
      `insert into users (id, name, email, created_at, updated_at, tier,
         premium_trial_started_at, premium_trial_ends_at)
       select gen_random_uuid(), 'x', gen_random_uuid() || '@example.org', $2, $2, 'premium', $2, $3
       from generate_series(1, $1)`,
      [count, app.clock(), endsAt],
    )
  }

  it('divides its batches among servers', async () => {
    const now = app.clock()
    await insertTrials(1700, now)
    await insertTrials(3, new Date(now.getTime() + 1))
    const entryCount = await app.deps.db.$count(auditLog)
    const runs = await Promise.all([runJob(), runJob(), runJob()])
    const lastRun = await runJob()
    const expiredCounts = [...runs, lastRun].map(({ expiredCount }) => expiredCount)
    expect(expiredCounts.reduce((sum, count) => sum + count)).toBe(1700)
    expect(await runJob()).toEqual({ expiredCount: 0 })
    expect(await app.deps.db.$count(auditLog)).toBe(entryCount + 1700)
    app.clock.advance(1)
    expect(await runJob()).toEqual({ expiredCount: 3 })
    app.clock.set(now)
  })

  it('continues after an interruption', async () => {
    await insertTrials(600, app.clock())
    const { db } = app.deps
    const failingDb = Object.create(db, {
      transaction: {
        value: (work: Parameters<typeof db.transaction>[0]) =>
          db.transaction(async (tx) => {
            await work(tx)
            throw new Error('cut off')
          }),
      },
    })
    await expect(expireTrials({ ...app.deps, db: failingDb })).rejects.toThrow('cut off')
    expect(await runJob()).toEqual({ expiredCount: 600 })
  })
})
