import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Tier, tiers } from './tier.ts'
import {
  effectiveTier,
  isTrialEmailStale,
  type StoredTier,
  type TrialEmail,
  trialEmailDue,
  trialEmails,
  trialEnd,
  trialNotice,
} from './trial.ts'

const end = new Date('2026-03-08T12:00:00.000Z')
function dateFromEnd(ms: number) {
  return new Date(end.getTime() + ms)
}
const trialStart = new Date('2026-02-06T12:00:00.000Z')

describe('effectiveTier', () => {
  it('is premium until the last millisecond of the trial and free from its end on', () => {
    const trial = {
      tier: 'premium',
      premiumTrialStartedAt: trialStart,
      premiumTrialEndsAt: end,
    } as const
    expect(effectiveTier(trial, dateFromEnd(-1))).toBe('premium')
    expect(effectiveTier(trial, end)).toBe('free')
    expect(effectiveTier(trial, dateFromEnd(1))).toBe('free')
  })

  it('is premium without a trial end, even after an earlier trial', () => {
    for (const premiumTrialStartedAt of [null, trialStart]) {
      const paidState = {
        tier: 'premium',
        premiumTrialStartedAt,
        premiumTrialEndsAt: null,
      } as const
      expect(effectiveTier(paidState, end)).toBe('premium')
    }
  })

  it('is free if the tier is missing, regardless of the dates', () => {
    for (const tier of [null, undefined, 'free'] as const) {
      for (const premiumTrialEndsAt of [null, end]) {
        const state = { tier, premiumTrialStartedAt: trialStart, premiumTrialEndsAt }
        expect(effectiveTier(state, dateFromEnd(-1))).toBe('free')
      }
    }
  })

  it('is premium exactly while a premium trial has time left', () => {
    fc.assert(
      fc.property(
        fc.date({ noInvalidDate: true }),
        fc.date({ noInvalidDate: true }),
        (trialEnd, now) => {
          const state = { premiumTrialStartedAt: null, premiumTrialEndsAt: trialEnd }
          const leftMs = trialEnd.getTime() - now.getTime()
          expect(effectiveTier({ ...state, tier: 'premium' }, now)).toBe(
            leftMs > 0 ? 'premium' : 'free',
          )
          expect(effectiveTier({ ...state, tier: 'free' }, now)).toBe('free')
        },
      ),
    )
  })
})

describe('trialNotice', () => {
  const hour = 60 * 60_000
  const day = 24 * hour
  const createTrial = (tier: Tier): StoredTier => ({
    tier,
    premiumTrialStartedAt: trialStart,
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
    // If the browser's clock is slow, the bar must not become longer than the whole trial.
    [31 * day, '31 days left', 1, 'calm'],
  ])("%d ms before the end is '%s'", (leftMs, label, fractionLeft, tone) => {
    const notice = trialNotice(createTrial('premium'), dateFromEnd(-leftMs))
    expect(notice).toEqual({
      kind: 'running',
      label,
      fractionLeft: expect.closeTo(fractionLeft, 9),
      tone,
    })
  })

  it('is expired from the exact end on, even before the database is updated', () => {
    for (const tier of tiers) {
      for (const lateMs of [0, 1, 400 * day]) {
        expect(trialNotice(createTrial(tier), dateFromEnd(lateMs))).toEqual({ kind: 'expired' })
      }
    }
  })

  it('is expired if the server reports the free tier, regardless of the browser’s clock', () => {
    expect(trialNotice(createTrial('free'), dateFromEnd(-5000))).toEqual({ kind: 'expired' })
  })

  it('is an offer only for free users without an earlier trial', () => {
    const getNotice = (tier: Tier | null, premiumTrialStartedAt: Date | null) =>
      trialNotice({ tier, premiumTrialStartedAt, premiumTrialEndsAt: null }, end)
    expect(getNotice('free', null)).toEqual({ kind: 'offer' })
    expect(getNotice(null, null)).toEqual({ kind: 'offer' })
    expect(getNotice('premium', null)).toBeNull()
    expect(getNotice('premium', trialStart)).toBeNull()
    // This user ended the trial early by switching to the free tier.
    expect(getNotice('free', trialStart)).toBeNull()
  })

  it('shows the full time left for a trial that starts now', () => {
    const state: StoredTier = {
      tier: 'premium',
      premiumTrialStartedAt: end,
      premiumTrialEndsAt: trialEnd(end),
    }
    expect(trialNotice(state, end)).toMatchObject({ label: '30 days left', fractionLeft: 1 })
  })
})

const trialEndsAt = new Date('2026-11-05T12:00:00.000Z')

describe('trial emails', () => {
  it('are due three days before the end, one day before it, and at the end', () => {
    const dueTimes = trialEmails.map((email) => [
      email,
      trialEmailDue(email, trialEndsAt).toISOString(),
    ])
    // Daylight saving time ends in New York on 1 November, but each day still counts as 24 hours.
    expect(dueTimes).toEqual([
      ['three-days', '2026-11-02T12:00:00.000Z'],
      ['one-day', '2026-11-04T12:00:00.000Z'],
      ['ended', '2026-11-05T12:00:00.000Z'],
    ])
  })

  it.each<[TrialEmail, string]>([
    ['three-days', '2026-11-03T00:00:00.000Z'],
    ['one-day', '2026-11-05T00:00:00.000Z'],
    ['ended', '2026-11-12T12:00:00.000Z'],
  ])('%s is stale from %s on', (email, staleDate) => {
    const staleTime = new Date(staleDate)
    expect(isTrialEmailStale(email, trialEndsAt, trialEmailDue(email, trialEndsAt))).toBe(false)
    expect(isTrialEmailStale(email, trialEndsAt, new Date(staleTime.getTime() - 1))).toBe(false)
    expect(isTrialEmailStale(email, trialEndsAt, staleTime)).toBe(true)
  })

  it('are not stale if the database clock is slightly ahead', () => {
    for (const email of trialEmails) {
      const fiveSecondsEarly = new Date(trialEmailDue(email, trialEndsAt).getTime() - 5000)
      expect(isTrialEmailStale(email, trialEndsAt, fiveSecondsEarly)).toBe(false)
    }
  })

  it('never overlap, however long the server was down', () => {
    for (let hours = -96; hours < 200; hours += 1) {
      const now = new Date(trialEndsAt.getTime() + hours * 3_600_000)
      const emailsToSend = trialEmails.filter(
        (email) =>
          trialEmailDue(email, trialEndsAt) <= now && !isTrialEmailStale(email, trialEndsAt, now),
      )
      expect(emailsToSend.length).toBeLessThanOrEqual(1)
    }
  })
})
