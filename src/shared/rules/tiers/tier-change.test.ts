import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { errorTable } from '../../contract/errors.ts'
import { type Tier, tiers } from './tier.ts'
import { changeTier, type TierRequest, tierReasons } from './tier-change.ts'
import { effectiveTier, type TierFacts } from './trial.ts'

const now = new Date('2026-03-08T12:00:00.000Z')
const thirtyDays = 30 * 24 * 60 * 60 * 1000
function moment(ms: number) {
  return new Date(now.getTime() + ms)
}
const used = moment(-5 * 86_400_000)

/** All states of a user's tier. */
const tierStates = {
  'free, trial unused': facts('free', null, null),
  'without a tier': { ...facts('free', null, null), tier: null },
  'in the trial': facts('premium', used, moment(1)),
  'trial ending now': facts('premium', used, now),
  'trial ended and reset to free': facts('free', used, now),
  'free, trial canceled early': facts('free', used, null),
  'premium, trial unused': facts('premium', null, null),
  'premium after a trial': facts('premium', used, null),
} satisfies Record<string, TierFacts>
type TierState = keyof typeof tierStates

function facts(tier: Tier, started: Date | null, ends: Date | null): TierFacts {
  return { tier, premiumTrialStartedAt: started, premiumTrialEndsAt: ends }
}

function change(state: TierState, request: TierRequest) {
  return changeTier(tierStates[state], request, now)
}

describe('starting a trial', () => {
  it.each<[TierState, string]>([
    ['free, trial unused', 'ok'],
    ['without a tier', 'ok'],
    ['in the trial', 'TRIAL_USED'],
    ['trial ending now', 'TRIAL_USED'],
    ['trial ended and reset to free', 'TRIAL_USED'],
    ['free, trial canceled early', 'TRIAL_USED'],
    ['premium, trial unused', 'ALREADY_PREMIUM'],
    ['premium after a trial', 'TRIAL_USED'],
  ])('%s: %s', (state, expected) => {
    const verdict = change(state, { reason: 'trial' })
    expect(verdict.ok ? 'ok' : verdict.code).toBe(expected)
    if (!verdict.ok) expect(errorTable[verdict.code].status).toBe(409)
    else expect(verdict.facts).toEqual(facts('premium', now, moment(thirtyDays)))
  })

  it('gives 30 days of 24 hours, across a change to daylight saving time', () => {
    const verdict = change('free, trial unused', { reason: 'trial' })
    if (!verdict.ok) throw new Error(verdict.code)
    expect(effectiveTier(verdict.facts, moment(thirtyDays - 1))).toBe('premium')
    expect(effectiveTier(verdict.facts, moment(thirtyDays))).toBe('free')
  })
})

describe('switching the tier', () => {
  const tiersAsked = { without: undefined, free: 'free', premium: 'premium' } as const

  it.each<[TierState, keyof typeof tiersAsked, TierFacts | 'unchanged']>([
    ['free, trial unused', 'without', facts('premium', null, null)],
    ['free, trial unused', 'free', 'unchanged'],
    ['free, trial unused', 'premium', facts('premium', null, null)],
    ['without a tier', 'without', facts('premium', null, null)],
    ['in the trial', 'without', facts('free', used, null)],
    ['in the trial', 'free', facts('free', used, null)],
    ['in the trial', 'premium', facts('premium', used, null)],
    ['trial ending now', 'without', facts('premium', used, null)],
    ['trial ending now', 'free', 'unchanged'],
    ['trial ending now', 'premium', facts('premium', used, null)],
    ['trial ended and reset to free', 'without', facts('premium', used, null)],
    ['trial ended and reset to free', 'free', 'unchanged'],
    ['trial ended and reset to free', 'premium', facts('premium', used, null)],
    ['free, trial canceled early', 'without', facts('premium', used, null)],
    ['premium, trial unused', 'without', facts('free', null, null)],
    ['premium, trial unused', 'free', facts('free', null, null)],
    ['premium, trial unused', 'premium', 'unchanged'],
    ['premium after a trial', 'without', facts('free', used, null)],
    ['premium after a trial', 'premium', 'unchanged'],
  ])('%s, target: %s', (state, to, expected) => {
    for (const reason of ['preview', 'administrator'] as const) {
      const verdict = change(state, { reason, to: tiersAsked[to] })
      if (!verdict.ok) throw new Error(verdict.code)
      // The same object tells the caller that there is nothing to write.
      if (expected === 'unchanged') expect(verdict.facts).toBe(tierStates[state])
      else expect(verdict.facts).toEqual(expected)
    }
  })
})

describe('any series of changes', () => {
  const dates = fc.date({ noInvalidDate: true, min: moment(-1e10), max: moment(1e10) })
  const anyFacts = fc.constantFrom(...Object.values(tierStates))
  const anyRequest: fc.Arbitrary<TierRequest> = fc.constantFrom(
    ...tierReasons.flatMap((reason): TierRequest[] =>
      reason === 'trial' ? [{ reason }] : [undefined, ...tiers].map((to) => ({ reason, to })),
    ),
  )

  it('starts at most one trial, and each switch takes effect at once', () => {
    fc.assert(
      fc.property(anyFacts, fc.array(fc.tuple(anyRequest, dates)), (first, steps) => {
        let current: TierFacts = first
        let started = current.premiumTrialStartedAt === null ? 0 : 1
        for (const [request, at] of steps.toSorted(([, a], [, b]) => a.getTime() - b.getTime())) {
          const before = effectiveTier(current, at)
          const verdict = changeTier(current, request, at)
          if (!verdict.ok) continue
          current = verdict.facts
          const after = effectiveTier(current, at)
          if (request.reason === 'trial') {
            started += 1
            expect([before, after]).toEqual(['free', 'premium'])
          } else expect(after).toBe(request.to ?? (before === 'free' ? 'premium' : 'free'))
        }
        expect(started).toBeLessThanOrEqual(1)
        expect(current.premiumTrialStartedAt !== null).toBe(started === 1)
      }),
    )
  })
})
