import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Tier, tiers, tierTraits } from '../tiers/tier.ts'
import { type LinkDates, type LinkStatus, linkLabel, linkName, linkStatus } from './link-status.ts'

const hour = 3_600_000
const day = 24 * hour
const now = new Date('2026-03-08T06:30:00.000Z')
function fromNow(ms: number) {
  return new Date(now.getTime() + ms)
}

/** Creates a link whose dates are given in milliseconds from now. */
function makeLink(
  expiryOffset: number,
  endOffset: number,
  purgeOffset: number | null = null,
): LinkDates {
  return {
    expiresAt: fromNow(expiryOffset),
    maxLifetimeAt: fromNow(endOffset),
    purgingAt: purgeOffset === null ? null : fromNow(purgeOffset),
  }
}

describe('linkStatus, at the boundaries', () => {
  it.each<[string, LinkDates, LinkStatus, LinkStatus]>([
    // Columns: the case, the link, and its status for a free owner and for a premium owner.
    ['a millisecond before expiresAt', makeLink(1, day), 'active', 'active'],
    ['at expiresAt', makeLink(0, day), 'deleted', 'private'],
    ['a millisecond after expiresAt', makeLink(-1, day), 'deleted', 'private'],
    ['a millisecond before maxLifetimeAt', makeLink(-day, 1), 'deleted', 'private'],
    ['at maxLifetimeAt', makeLink(-day, 0), 'deleted', 'deleted'],
    ['a millisecond after maxLifetimeAt', makeLink(-day, -1), 'deleted', 'deleted'],
    ['both dates a millisecond away', makeLink(1, 1), 'active', 'active'],
    ['both dates now', makeLink(0, 0), 'deleted', 'deleted'],
    ['maxLifetimeAt passed before expiresAt', makeLink(day, 0), 'deleted', 'deleted'],
    ['purged after expiry', makeLink(-day, day, -1), 'deleted', 'deleted'],
    ['purged before both dates', makeLink(day, 2 * day, 0), 'deleted', 'deleted'],
  ])('%s', (_, link, freeStatus, premiumStatus) => {
    expect(linkStatus(link, 'free', now)).toBe(freeStatus)
    expect(linkStatus(link, 'premium', now)).toBe(premiumStatus)
  })
})

describe('linkLabel, in the wording of the spec', () => {
  it.each<[string, LinkDates, Tier]>([
    ['Permanently expired', makeLink(-day, 0), 'premium'],
    ['Permanently expired', makeLink(-day, 0), 'free'],
    ['Permanently expired', makeLink(-day, -1, -hour), 'free'],
    ['Expired & deleted', makeLink(0, 27 * day), 'free'],
    ['Expired & deleted', makeLink(-1, 27 * day, 0), 'premium'],
    ['Expired & deleted', makeLink(day, 27 * day, 0), 'premium'],
    ['Private (27 days to renew)', makeLink(0, 27 * day), 'premium'],
    ['Private (27 days to renew)', makeLink(0, 26 * day + 1), 'premium'],
    ['Private (26 days to renew)', makeLink(0, 26 * day), 'premium'],
    ['Private (2 days to renew)', makeLink(0, day + 1), 'premium'],
    ['Private (1 day to renew)', makeLink(0, day), 'premium'],
    ['Private (1 day to renew)', makeLink(0, 1), 'premium'],
    ['7 days left', makeLink(7 * day, 30 * day), 'premium'],
    ['7 days left', makeLink(7 * day - 1, 30 * day), 'premium'],
    ['7 days left', makeLink(6.5 * day, 30 * day), 'premium'],
    ['6 days left', makeLink(6.5 * day - 1, 30 * day), 'premium'],
    ['3 days left', makeLink(3 * day - 1, 30 * day), 'free'],
    ['2 days left', makeLink(2 * day, 30 * day), 'free'],
    ['2 days left', makeLink(1.5 * day, 30 * day), 'free'],
    ['1 day left', makeLink(1.5 * day - 1, 30 * day), 'free'],
    ['1 day left', makeLink(day, 30 * day), 'free'],
    ['23 hours left', makeLink(day - 1, 30 * day), 'free'],
    ['2 hours left', makeLink(2 * hour, 30 * day), 'free'],
    ['1 hour left', makeLink(2 * hour - 1, 30 * day), 'free'],
    ['1 hour left', makeLink(hour, 30 * day), 'free'],
    ['Less than 1 hour left', makeLink(hour - 1, 30 * day), 'free'],
    ['Less than 1 hour left', makeLink(1, 30 * day), 'free'],
    ['1 hour left', makeLink(5 * day, hour), 'premium'],
  ])('%s', (label, link, tier) => {
    expect(linkLabel(link, tier, now)).toBe(label)
  })
})

const anyOffset = fc.oneof(
  fc.constantFrom(-1, 0, 1, hour - 1, hour, day - 1, day),
  fc.integer({ min: -40 * day, max: 40 * day }),
)
const anyLink = fc
  .tuple(anyOffset, anyOffset, fc.option(anyOffset))
  .map(([expiryOffset, endOffset, purgeOffset]) => makeLink(expiryOffset, endOffset, purgeOffset))
const anyTier = fc.constantFrom(...tiers)

describe('for any order of dates', () => {
  it('a link is active exactly until the earlier of its two end dates, unless its bytes are being deleted', () => {
    fc.assert(
      fc.property(anyLink, anyTier, (link, tier) => {
        const isValid = now < link.expiresAt && now < link.maxLifetimeAt && link.purgingAt === null
        expect(linkStatus(link, tier, now) === 'active').toBe(isValid)
      }),
    )
  })

  it('a link is private only for an owner who can renew it, while its bytes exist and time remains', () => {
    fc.assert(
      fc.property(anyLink, anyTier, (link, tier) => {
        if (linkStatus(link, tier, now) !== 'private') return
        expect(tierTraits[tier].renewal).toBe(true)
        expect(link.purgingAt).toBeNull()
        expect(now < link.maxLifetimeAt && now >= link.expiresAt).toBe(true)
      }),
    )
  })

  it('a status never improves over time', () => {
    const rank = { active: 2, private: 1, deleted: 0 }
    fc.assert(
      fc.property(anyLink, anyTier, fc.nat(60 * day), (link, tier, laterMs) => {
        expect(rank[linkStatus(link, tier, fromNow(laterMs))]).toBeLessThanOrEqual(
          rank[linkStatus(link, tier, now)],
        )
      }),
    )
  })

  it('a label is accurate to half a day and, below one day, never exceeds the time left', () => {
    fc.assert(
      fc.property(fc.integer({ min: hour, max: 30 * day }), (leftMs) => {
        const [count = '', unit = ''] = linkLabel(makeLink(leftMs, 30 * day), 'free', now).split(
          ' ',
        )
        const labelMs = Number(count) * (unit.startsWith('day') ? day : hour)
        if (leftMs >= day) expect(Math.abs(labelMs - leftMs)).toBeLessThanOrEqual(day / 2)
        else expect(labelMs <= leftMs && leftMs - labelMs < hour).toBe(true)
      }),
    )
  })

  it('a label matches the status, counts from 1, and uses the right plural', () => {
    const labelPatterns = {
      active: /^(?:(\d+) (days?|hours?) left|Less than 1 hour left)$/,
      private: /^Private \((\d+) (days?) to renew\)$/,
      deleted: /^(?:Permanently expired|Expired & deleted)$/,
    }
    fc.assert(
      fc.property(anyLink, anyTier, (link, tier) => {
        const label = linkLabel(link, tier, now)
        const match = labelPatterns[linkStatus(link, tier, now)].exec(label)
        expect(match, label).not.toBeNull()
        const [, count, noun] = match ?? []
        if (count === undefined) return
        expect(Number(count)).toBeGreaterThan(0)
        expect(noun?.endsWith('s')).toBe(count !== '1')
      }),
    )
  })
})

it.each([
  [{ title: null, fileCount: 0 }, 'a.txt'],
  [{ title: null, fileCount: 1 }, 'a.txt'],
  [{ title: null, fileCount: 2 }, 'a.txt and 1 more'],
  [{ title: null, fileCount: 1000 }, 'a.txt and 999 more'],
  [{ title: 'Holidays', fileCount: 1 }, 'Holidays'],
  [{ title: 'Holidays', fileCount: 1000 }, 'Holidays'],
])('names a link with %j %s', (link, name) => {
  expect(linkName({ ...link, firstFileName: 'a.txt' })).toBe(name)
})
