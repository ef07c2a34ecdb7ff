import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Tier, tiers, tierTraits } from '../tiers/tier.ts'
import {
  type LinkFacts,
  type LinkStatus,
  linkLabel,
  linkStatus,
  nextLabelChange,
} from './link-status.ts'

const hour = 3_600_000
const day = 24 * hour
const now = new Date('2026-03-08T06:30:00.000Z')
function inMs(ms: number) {
  return new Date(now.getTime() + ms)
}

/** Creates a link from its dates, in milliseconds from now. */
function link(expires: number, ends: number, purged: number | null = null): LinkFacts {
  return {
    expiresAt: inMs(expires),
    maxLifetimeAt: inMs(ends),
    purgingAt: purged === null ? null : inMs(purged),
  }
}

describe('linkStatus, at the boundaries', () => {
  it.each<[string, LinkFacts, LinkStatus, LinkStatus]>([
    // Columns: case, link, status for a free owner, status for a premium owner.
    ['a millisecond before expiresAt', link(1, day), 'active', 'active'],
    ['at expiresAt', link(0, day), 'deleted', 'private'],
    ['a millisecond after expiresAt', link(-1, day), 'deleted', 'private'],
    ['a millisecond before maxLifetimeAt', link(-day, 1), 'deleted', 'private'],
    ['at maxLifetimeAt', link(-day, 0), 'deleted', 'deleted'],
    ['a millisecond after maxLifetimeAt', link(-day, -1), 'deleted', 'deleted'],
    ['both dates a millisecond away', link(1, 1), 'active', 'active'],
    ['both dates now', link(0, 0), 'deleted', 'deleted'],
    ['maxLifetimeAt passed before expiresAt', link(day, 0), 'deleted', 'deleted'],
    ['purged after expiry', link(-day, day, -1), 'deleted', 'deleted'],
    ['purged before both dates', link(day, 2 * day, 0), 'deleted', 'deleted'],
  ])('%s', (_, facts, free, premium) => {
    expect(linkStatus(facts, 'free', now)).toBe(free)
    expect(linkStatus(facts, 'premium', now)).toBe(premium)
  })
})

describe('linkLabel, in the wording of the spec', () => {
  it.each<[string, LinkFacts, Tier]>([
    ['Permanently expired', link(-day, 0), 'premium'],
    ['Permanently expired', link(-day, 0), 'free'],
    ['Permanently expired', link(-day, -1, -hour), 'free'],
    ['Expired & deleted', link(0, 27 * day), 'free'],
    ['Expired & deleted', link(-1, 27 * day, 0), 'premium'],
    ['Expired & deleted', link(day, 27 * day, 0), 'premium'],
    ['Private (27 days to renew)', link(0, 27 * day), 'premium'],
    ['Private (27 days to renew)', link(0, 26 * day + 1), 'premium'],
    ['Private (26 days to renew)', link(0, 26 * day), 'premium'],
    ['Private (2 days to renew)', link(0, day + 1), 'premium'],
    ['Private (1 day to renew)', link(0, day), 'premium'],
    ['Private (1 day to renew)', link(0, 1), 'premium'],
    ['7 days left', link(7 * day, 30 * day), 'premium'],
    ['7 days left', link(7 * day - 1, 30 * day), 'premium'],
    ['7 days left', link(6.5 * day, 30 * day), 'premium'],
    ['6 days left', link(6.5 * day - 1, 30 * day), 'premium'],
    ['3 days left', link(3 * day - 1, 30 * day), 'free'],
    ['2 days left', link(2 * day, 30 * day), 'free'],
    ['2 days left', link(1.5 * day, 30 * day), 'free'],
    ['1 day left', link(1.5 * day - 1, 30 * day), 'free'],
    ['1 day left', link(day, 30 * day), 'free'],
    ['23 hours left', link(day - 1, 30 * day), 'free'],
    ['2 hours left', link(2 * hour, 30 * day), 'free'],
    ['1 hour left', link(2 * hour - 1, 30 * day), 'free'],
    ['1 hour left', link(hour, 30 * day), 'free'],
    ['Less than 1 hour left', link(hour - 1, 30 * day), 'free'],
    ['Less than 1 hour left', link(1, 30 * day), 'free'],
    ['1 hour left', link(5 * day, hour), 'premium'],
  ])('%s', (label, facts, tier) => {
    expect(linkLabel(facts, tier, now)).toBe(label)
  })
})

const offset = fc.oneof(
  fc.constantFrom(-1, 0, 1, hour - 1, hour, day - 1, day),
  fc.integer({ min: -40 * day, max: 40 * day }),
)
const facts = fc
  .tuple(offset, offset, fc.option(offset))
  .map(([expires, ends, purged]) => link(expires, ends, purged))
const anyTier = fc.constantFrom(...tiers)

describe('for any order of dates', () => {
  it('a link is active exactly while both dates are ahead and its bytes exist', () => {
    fc.assert(
      fc.property(facts, anyTier, (any, tier) => {
        const opens = now < any.expiresAt && now < any.maxLifetimeAt && any.purgingAt === null
        expect(linkStatus(any, tier, now) === 'active').toBe(opens)
      }),
    )
  })

  it('a link is private only for an owner who can renew it, while its bytes exist and time remains', () => {
    fc.assert(
      fc.property(facts, anyTier, (any, tier) => {
        if (linkStatus(any, tier, now) !== 'private') return
        expect(tierTraits[tier].renewal).toBe(true)
        expect(any.purgingAt).toBeNull()
        expect(now < any.maxLifetimeAt && now >= any.expiresAt).toBe(true)
      }),
    )
  })

  it('a status never improves over time', () => {
    const rank = { active: 2, private: 1, deleted: 0 }
    fc.assert(
      fc.property(facts, anyTier, fc.nat(60 * day), (any, tier, later) => {
        expect(rank[linkStatus(any, tier, inMs(later))]).toBeLessThanOrEqual(
          rank[linkStatus(any, tier, now)],
        )
      }),
    )
  })

  it('a label is accurate to half a day, and below one day never exceeds the time left', () => {
    fc.assert(
      fc.property(fc.integer({ min: hour, max: 30 * day }), (left) => {
        const [count = '', unit = ''] = linkLabel(link(left, 30 * day), 'free', now).split(' ')
        const told = Number(count) * (unit.startsWith('day') ? day : hour)
        if (left >= day) expect(Math.abs(told - left)).toBeLessThanOrEqual(day / 2)
        else expect(told <= left && left - told < hour).toBe(true)
      }),
    )
  })

  it('a label matches the status, counts from 1, and uses the right plural', () => {
    const words = {
      active: /^(?:(\d+) (days?|hours?) left|Less than 1 hour left)$/,
      private: /^Private \((\d+) (days?) to renew\)$/,
      deleted: /^(?:Permanently expired|Expired & deleted)$/,
    }
    fc.assert(
      fc.property(facts, anyTier, (any, tier) => {
        const label = linkLabel(any, tier, now)
        const found = words[linkStatus(any, tier, now)].exec(label)
        expect(found, label).not.toBeNull()
        const [, count, noun] = found ?? []
        if (count === undefined) return
        expect(Number(count)).toBeGreaterThan(0)
        expect(noun?.endsWith('s')).toBe(count !== '1')
      }),
    )
  })
})

describe('nextLabelChange', () => {
  it.each<[string, LinkFacts, Tier, number | null]>([
    ['7 days become 6 after half a day', link(7 * day, 30 * day), 'free', 0.5 * day + 1],
    ['exactly a day and a half: 2 days become 1', link(1.5 * day, day * 30), 'free', 1],
    ['1 day becomes 23 hours', link(1.5 * day - 1, 30 * day), 'free', 0.5 * day],
    ['exactly 24 hours become 23', link(day, 30 * day), 'free', 1],
    ['23 hours become 22', link(day - 1, 30 * day), 'free', hour],
    ['1 hour becomes less than 1 hour', link(hour, 30 * day), 'free', 1],
    ['the last hour ends when the link expires', link(hour - 1, 30 * day), 'free', hour - 1],
    ['the last millisecond', link(1, 30 * day), 'free', 1],
    ['the maximum lifetime ends the link early', link(5 * day, 10), 'premium', 10],
    ['27 days to renew become 26', link(0, 27 * day), 'premium', day],
    ['the last day to renew', link(-day, 1), 'premium', 1],
    ['expired and deleted until the 30 days are over', link(0, 27 * day), 'free', 27 * day],
    ['permanently expired, never changes', link(-day, 0), 'premium', null],
  ])('%s', (_, facts, tier, expected) => {
    expect(nextLabelChange(facts, tier, now)).toEqual(expected === null ? null : inMs(expected))
  })

  it('returns the exact millisecond of the next change for any link', () => {
    fc.assert(
      fc.property(facts, anyTier, fc.double({ min: 0, max: 1, noNaN: true }), (any, tier, part) => {
        const label = linkLabel(any, tier, now)
        const next = nextLabelChange(any, tier, now)
        if (next === null) {
          expect(linkLabel(any, tier, inMs(part * 90 * day))).toBe(label)
          return
        }
        const wait = next.getTime() - now.getTime()
        expect(wait).toBeGreaterThan(0)
        expect(linkLabel(any, tier, inMs(Math.floor(part * (wait - 1))))).toBe(label)
        expect(linkLabel(any, tier, inMs(wait - 1))).toBe(label)
        expect(linkLabel(any, tier, next)).not.toBe(label)
      }),
    )
  })
})
