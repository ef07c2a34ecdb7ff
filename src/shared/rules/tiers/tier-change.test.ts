import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { errorTable } from '../../contract/errors.ts'
import { type Tier, tiers } from './tier.ts'
import { changeTier, type TierRequest, tierReasons } from './tier-change.ts'
import { effectiveTier, type StoredTier } from './trial.ts'

const now = new Date('2026-03-08T12:00:00.000Z')
const thirtyDaysMs = 30 * 24 * 60 * 60 * 1000
function fromNow(ms: number) {
  return new Date(now.getTime() + ms)
}
const trialStart = fromNow(-5 * 86_400_000)

/** Every possible state of a user's tier and trial. */
const tierStates = {
  'free, trial unused': makeState('free', null, null),
  'without a tier': { ...makeState('free', null, null), tier: null },
  'in the trial': makeState('premium', trialStart, fromNow(1)),
  'trial ending now': makeState('premium', trialStart, now),
  'trial ended and reset to free': makeState('free', trialStart, now),
  'free, trial canceled early': makeState('free', trialStart, null),
  'premium, trial unused': makeState('premium', null, null),
  'premium after a trial': makeState('premium', trialStart, null),
} satisfies Record<string, StoredTier>
type StateName = keyof typeof tierStates

function makeState(tier: Tier, trialStart: Date | null, trialEnd: Date | null): StoredTier {
  return { tier, premiumTrialStartedAt: trialStart, premiumTrialEndsAt: trialEnd }
}

function requestChange(stateName: StateName, request: TierRequest) {
  return changeTier(tierStates[stateName], request, now)
}

describe('starting a trial', () => {
  it.each<[StateName, string]>([
    ['free, trial unused', 'ok'],
    ['without a tier', 'ok'],
    ['in the trial', 'TRIAL_USED'],
    ['trial ending now', 'TRIAL_USED'],
    ['trial ended and reset to free', 'TRIAL_USED'],
    ['free, trial canceled early', 'TRIAL_USED'],
    ['premium, trial unused', 'ALREADY_PREMIUM'],
    ['premium after a trial', 'TRIAL_USED'],
  ])('%s: %s', (stateName, expected) => {
    const result = requestChange(stateName, { reason: 'trial' })
    expect(result.ok ? 'ok' : result.code).toBe(expected)
    if (!result.ok) expect(errorTable[result.code].status).toBe(409)
    else expect(result.state).toEqual(makeState('premium', now, fromNow(thirtyDaysMs)))
  })

  it('lasts 30 days of 24 hours, even across a change to daylight saving time', () => {
    const result = requestChange('free, trial unused', { reason: 'trial' })
    if (!result.ok) throw new Error(result.code)
    expect(effectiveTier(result.state, fromNow(thirtyDaysMs - 1))).toBe('premium')
    expect(effectiveTier(result.state, fromNow(thirtyDaysMs))).toBe('free')
  })
})

describe('switching the tier', () => {
  const requestedTiers = { without: undefined, free: 'free', premium: 'premium' } as const

  it.each<[StateName, keyof typeof requestedTiers, StoredTier | 'unchanged']>([
    ['free, trial unused', 'without', makeState('premium', null, null)],
    ['free, trial unused', 'free', 'unchanged'],
    ['free, trial unused', 'premium', makeState('premium', null, null)],
    ['without a tier', 'without', makeState('premium', null, null)],
    ['in the trial', 'without', makeState('free', trialStart, null)],
    ['in the trial', 'free', makeState('free', trialStart, null)],
    ['in the trial', 'premium', makeState('premium', trialStart, null)],
    ['trial ending now', 'without', makeState('premium', trialStart, null)],
    ['trial ending now', 'free', 'unchanged'],
    ['trial ending now', 'premium', makeState('premium', trialStart, null)],
    ['trial ended and reset to free', 'without', makeState('premium', trialStart, null)],
    ['trial ended and reset to free', 'free', 'unchanged'],
    ['trial ended and reset to free', 'premium', makeState('premium', trialStart, null)],
    ['free, trial canceled early', 'without', makeState('premium', trialStart, null)],
    ['premium, trial unused', 'without', makeState('free', null, null)],
    ['premium, trial unused', 'free', makeState('free', null, null)],
    ['premium, trial unused', 'premium', 'unchanged'],
    ['premium after a trial', 'without', makeState('free', trialStart, null)],
    ['premium after a trial', 'premium', 'unchanged'],
  ])('%s, target: %s', (stateName, to, expected) => {
    for (const reason of ['preview', 'administrator'] as const) {
      const result = requestChange(stateName, { reason, to: requestedTiers[to] })
      if (!result.ok) throw new Error(result.code)
      // A result that is the same object means that there is nothing to write.
      if (expected === 'unchanged') expect(result.state).toBe(tierStates[stateName])
      else expect(result.state).toEqual(expected)
    }
  })
})

describe('any series of changes', () => {
  const anyDate = fc.date({ noInvalidDate: true, min: fromNow(-1e10), max: fromNow(1e10) })
  const anyState = fc.constantFrom(...Object.values(tierStates))
  const anyRequest: fc.Arbitrary<TierRequest> = fc.constantFrom(
    ...tierReasons.flatMap((reason): TierRequest[] =>
      reason === 'trial' ? [{ reason }] : [undefined, ...tiers].map((to) => ({ reason, to })),
    ),
  )

  it('starts at most one trial, and each switch takes effect immediately', () => {
    fc.assert(
      fc.property(anyState, fc.array(fc.tuple(anyRequest, anyDate)), (initialState, steps) => {
        let currentState: StoredTier = initialState
        let trialCount = currentState.premiumTrialStartedAt === null ? 0 : 1
        for (const [request, date] of steps.toSorted(([, a], [, b]) => a.getTime() - b.getTime())) {
          const tierBefore = effectiveTier(currentState, date)
          const result = changeTier(currentState, request, date)
          if (!result.ok) continue
          currentState = result.state
          const tierAfter = effectiveTier(currentState, date)
          if (request.reason === 'trial') {
            trialCount += 1
            expect([tierBefore, tierAfter]).toEqual(['free', 'premium'])
          } else expect(tierAfter).toBe(request.to ?? (tierBefore === 'free' ? 'premium' : 'free'))
        }
        expect(trialCount).toBeLessThanOrEqual(1)
        expect(currentState.premiumTrialStartedAt !== null).toBe(trialCount === 1)
      }),
    )
  })
})
