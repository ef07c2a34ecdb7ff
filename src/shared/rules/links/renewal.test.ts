import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Tier } from '../tiers/tier.ts'
import { firstLifetime, renewedExpiry } from './lifetime.ts'
import { checkRenewal, type LinkFacts, linkStatus } from './link-status.ts'

const day = 86_400_000
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

describe('checkRenewal', () => {
  it.each<[string, LinkFacts, Tier, ReturnType<typeof checkRenewal>]>([
    ['before its expiry', link(1, day), 'premium', { ok: true }],
    ['exactly at its expiry', link(0, day), 'premium', { ok: true }],
    ['long after its expiry', link(-27 * day, day), 'premium', { ok: true }],
    ['a millisecond before 30 days', link(-day, 1), 'premium', { ok: true }],
    ['exactly at 30 days', link(-day, 0), 'premium', { ok: false, code: 'FILE_GONE' }],
    ['after 30 days', link(-day, -1), 'premium', { ok: false, code: 'FILE_GONE' }],
    [
      'after its bytes are deleted',
      link(day, 2 * day, 0),
      'premium',
      { ok: false, code: 'FILE_GONE' },
    ],
    ['by a free user, active', link(day, 2 * day), 'free', { ok: false, code: 'TIER_RENEWAL' }],
    ['by a free user, expired', link(-day, -1), 'free', { ok: false, code: 'TIER_RENEWAL' }],
  ])('%s', (_, facts, tier, expected) => {
    expect(checkRenewal(facts, tier, now)).toEqual(expected)
  })

  it('allows a renewal exactly if it results in an active link within 30 days of creation', () => {
    const lives = fc.record({
      createdAt: fc.date({
        min: new Date('2020-01-01T00:00:00Z'),
        max: new Date('2100-01-01T00:00:00Z'),
        noInvalidDate: true,
      }),
      first: fc.integer({ min: 1, max: 30 }),
      chosen: fc.integer({ min: 1, max: 30 }),
      waited: fc.oneof(
        fc.integer({ min: 0, max: 31 * day }),
        fc.constantFrom(30 * day - 1, 30 * day, 3 * day, 3 * day - 1),
      ),
    })
    fc.assert(
      fc.property(lives, ({ createdAt, first, chosen, waited }) => {
        const file = {
          ...firstLifetime(createdAt, { expirationDays: first, maxLifetimeDays: 30 }),
          purgingAt: null,
        }
        const at = new Date(createdAt.getTime() + waited)
        const allowed = checkRenewal(file, 'premium', at).ok
        expect(allowed).toBe(waited < 30 * day)
        if (!allowed) return
        const expiresAt = renewedExpiry(at, chosen, file.maxLifetimeAt)
        expect(linkStatus({ ...file, expiresAt }, 'premium', at)).toBe('active')
        expect(expiresAt.getTime()).toBeLessThanOrEqual(createdAt.getTime() + 30 * day)
      }),
    )
  })
})
