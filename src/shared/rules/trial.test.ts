import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { effectiveTier } from './trial.ts'

const end = new Date('2026-03-08T12:00:00.000Z')
function shifted(ms: number) {
  return new Date(end.getTime() + ms)
}
const started = new Date('2026-02-06T12:00:00.000Z')

describe('effectiveTier', () => {
  it('premium lasts to the last millisecond of the trial and is free from its end on', () => {
    const trial = {
      tier: 'premium',
      premiumTrialStartedAt: started,
      premiumTrialEndsAt: end,
    } as const
    expect(effectiveTier(trial, shifted(-1))).toBe('premium')
    expect(effectiveTier(trial, end)).toBe('free')
    expect(effectiveTier(trial, shifted(1))).toBe('free')
  })

  it('premium without a trial end stays premium, also after an old trial', () => {
    for (const premiumTrialStartedAt of [null, started]) {
      const paid = { tier: 'premium', premiumTrialStartedAt, premiumTrialEndsAt: null } as const
      expect(effectiveTier(paid, end)).toBe('premium')
    }
  })

  it('a missing tier counts as free, whatever the dates say', () => {
    for (const tier of [null, undefined, 'free'] as const) {
      for (const premiumTrialEndsAt of [null, end]) {
        const facts = { tier, premiumTrialStartedAt: started, premiumTrialEndsAt }
        expect(effectiveTier(facts, shifted(-1))).toBe('free')
      }
    }
  })

  it('is premium exactly while a premium trial has time left', () => {
    fc.assert(
      fc.property(
        fc.date({ noInvalidDate: true }),
        fc.date({ noInvalidDate: true }),
        (ends, now) => {
          const facts = { premiumTrialStartedAt: null, premiumTrialEndsAt: ends }
          const left = ends.getTime() - now.getTime()
          expect(effectiveTier({ ...facts, tier: 'premium' }, now)).toBe(
            left > 0 ? 'premium' : 'free',
          )
          expect(effectiveTier({ ...facts, tier: 'free' }, now)).toBe('free')
        },
      ),
    )
  })
})
