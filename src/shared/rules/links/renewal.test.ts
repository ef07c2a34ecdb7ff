import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Tier } from '../tiers/tier.ts'
import { firstLifetime, renewedExpiry } from './lifetime.ts'
import { checkRenewal, type DownloadLimit, type LinkDates, linkStatus } from './link-status.ts'

const day = 86_400_000
const now = new Date('2026-03-08T06:30:00.000Z')
function fromNow(ms: number) {
  return new Date(now.getTime() + ms)
}
const unlimited = { maxDownloads: null, downloadCount: 5 }
/** Creates a link whose dates are given in milliseconds from now. */
function makeLink(
  expiryOffset: number,
  endOffset: number,
  purgeOffset: number | null = null,
): LinkDates & DownloadLimit {
  return {
    ...unlimited,
    expiresAt: fromNow(expiryOffset),
    maxLifetimeAt: fromNow(endOffset),
    purgingAt: purgeOffset === null ? null : fromNow(purgeOffset),
  }
}

describe('checkRenewal', () => {
  it.each<[string, LinkDates & DownloadLimit, Tier, ReturnType<typeof checkRenewal>]>([
    ['before its expiry', makeLink(1, day), 'premium', { ok: true }],
    ['exactly at its expiry', makeLink(0, day), 'premium', { ok: true }],
    ['long after its expiry', makeLink(-27 * day, day), 'premium', { ok: true }],
    ['a millisecond before 30 days', makeLink(-day, 1), 'premium', { ok: true }],
    ['exactly at 30 days', makeLink(-day, 0), 'premium', { ok: false, code: 'FILE_GONE' }],
    ['after 30 days', makeLink(-day, -1), 'premium', { ok: false, code: 'FILE_GONE' }],
    [
      'after its bytes are deleted',
      makeLink(day, 2 * day, 0),
      'premium',
      { ok: false, code: 'FILE_GONE' },
    ],
    ['with a download left', { ...makeLink(1, day), maxDownloads: 6 }, 'premium', { ok: true }],
    [
      'without downloads left',
      { ...makeLink(1, day), maxDownloads: 5 },
      'premium',
      { ok: false, code: 'DOWNLOADS_USED_UP' },
    ],
    ['by a free user, active', makeLink(day, 2 * day), 'free', { ok: false, code: 'TIER_RENEWAL' }],
    ['by a free user, expired', makeLink(-day, -1), 'free', { ok: false, code: 'TIER_RENEWAL' }],
  ])('%s', (_, link, tier, expected) => {
    expect(checkRenewal(link, tier, now)).toEqual(expected)
  })

  it('allows a renewal exactly if it results in an active link within 30 days of the upload', () => {
    const anyRenewal = fc.record({
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
      fc.property(anyRenewal, ({ createdAt, first, chosen, waited }) => {
        const file = {
          ...unlimited,
          ...firstLifetime(createdAt, { expirationDays: first, maxLifetimeDays: 30 }),
          purgingAt: null,
        }
        const renewedAt = new Date(createdAt.getTime() + waited)
        const isAllowed = checkRenewal(file, 'premium', renewedAt).ok
        expect(isAllowed).toBe(waited < 30 * day)
        if (!isAllowed) return
        const expiresAt = renewedExpiry(renewedAt, chosen, file.maxLifetimeAt)
        expect(linkStatus({ ...file, expiresAt }, 'premium', renewedAt)).toBe('active')
        expect(expiresAt.getTime()).toBeLessThanOrEqual(createdAt.getTime() + 30 * day)
      }),
    )
  })
})
