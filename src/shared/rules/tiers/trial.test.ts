import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Tier, tiers } from './tier.ts'
import {
  effectiveTier,
  isTrialEmailStale,
  type TierFacts,
  type TrialEmail,
  trialEmailDue,
  trialEmails,
  trialEnd,
  trialNotice,
} from './trial.ts'

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

describe('trialNotice', () => {
  const hour = 60 * 60_000
  const day = 24 * hour
  const trial = (tier: Tier): TierFacts => ({
    tier,
    premiumTrialStartedAt: started,
    premiumTrialEndsAt: end,
  })

  it.each([
    [30 * day, '30 days left', 1, 'calm'],
    [29.5 * day, '30 days left', 29.5 / 30, 'calm'],
    [15 * day, '15 days left', 0.5, 'calm'],
    [day, '1 day left', 1 / 30, 'calm'],
    [day - 1, '23 hours left', (day - 1) / (30 * day), 'amber'],
    [9 * hour, '9 hours left', 0.0125, 'amber'],
    [hour - 1, 'Less than 1 hour left', (hour - 1) / (30 * day), 'red'],
    [1, 'Less than 1 hour left', 1 / (30 * day), 'red'],
    // A browser's slow clock must not make the bar longer than the trial.
    [31 * day, '31 days left', 1, 'calm'],
  ])('%d ms before the end: %s', (leftMs, label, left, tone) => {
    const notice = trialNotice(trial('premium'), shifted(-leftMs))
    expect(notice).toEqual({ kind: 'running', label, left: expect.closeTo(left, 9), tone })
  })

  it('the trial is expired from its very end on, tidied up or not', () => {
    for (const tier of tiers) {
      for (const late of [0, 1, 400 * day]) {
        expect(trialNotice(trial(tier), shifted(late))).toEqual({ kind: 'expired' })
      }
    }
  })

  it('the trial is expired for whom the server calls free, whatever the own clock says', () => {
    expect(trialNotice(trial('free'), shifted(-5000))).toEqual({ kind: 'expired' })
  })

  it('the trial is offered to free users who have not had one, and to nobody else', () => {
    const of = (tier: Tier | null, premiumTrialStartedAt: Date | null) =>
      trialNotice({ tier, premiumTrialStartedAt, premiumTrialEndsAt: null }, end)
    expect(of('free', null)).toEqual({ kind: 'offer' })
    expect(of(null, null)).toEqual({ kind: 'offer' })
    expect(of('premium', null)).toBeNull()
    expect(of('premium', started)).toBeNull()
    // This trial was ended early by a switch to free.
    expect(of('free', started)).toBeNull()
  })

  it('of a trial that begins now has the whole time', () => {
    const facts: TierFacts = {
      tier: 'premium',
      premiumTrialStartedAt: end,
      premiumTrialEndsAt: trialEnd(end),
    }
    expect(trialNotice(facts, end)).toMatchObject({ label: '30 days left', left: 1 })
  })
})

const trialEndsAt = new Date('2026-11-05T12:00:00.000Z')

describe('the emails about a trial', () => {
  it('are due three days before its trialEndsAt, one day before it, and at it', () => {
    const due = trialEmails.map((email) => [email, trialEmailDue(email, trialEndsAt).toISOString()])
    // In New York the clocks go back on 1 November, but a day still has 24 hours.
    expect(due).toEqual([
      ['three-days', '2026-11-02T12:00:00.000Z'],
      ['one-day', '2026-11-04T12:00:00.000Z'],
      ['ended', '2026-11-05T12:00:00.000Z'],
    ])
  })

  it.each<[TrialEmail, string]>([
    ['three-days', '2026-11-03T00:00:00.000Z'],
    ['one-day', '2026-11-05T00:00:00.000Z'],
    ['ended', '2026-11-12T12:00:00.000Z'],
  ])('%s is sent until %s and not from then on', (email, moment) => {
    const limit = new Date(moment)
    expect(isTrialEmailStale(email, trialEndsAt, trialEmailDue(email, trialEndsAt))).toBe(false)
    expect(isTrialEmailStale(email, trialEndsAt, new Date(limit.getTime() - 1))).toBe(false)
    expect(isTrialEmailStale(email, trialEndsAt, limit)).toBe(true)
  })

  it('are not too late where the clock of the database runs a little ahead', () => {
    for (const email of trialEmails) {
      const early = new Date(trialEmailDue(email, trialEndsAt).getTime() - 5000)
      expect(isTrialEmailStale(email, trialEndsAt, early)).toBe(false)
    }
  })

  it('never come two at once, however long a server stood still', () => {
    for (let hours = -96; hours < 200; hours += 1) {
      const now = new Date(trialEndsAt.getTime() + hours * 3_600_000)
      const sent = trialEmails.filter(
        (email) =>
          trialEmailDue(email, trialEndsAt) <= now && !isTrialEmailStale(email, trialEndsAt, now),
      )
      expect(sent.length).toBeLessThanOrEqual(1)
    }
  })
})
