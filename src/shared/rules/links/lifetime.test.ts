import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  datesAfterConfirm,
  defaultExpirationDays,
  firstLifetime,
  lifetimeDays,
  renewedExpiry,
} from './lifetime.ts'

const anyDate = fc.date({
  min: new Date('2020-01-01T00:00:00Z'),
  max: new Date('2100-01-01T00:00:00Z'),
  noInvalidDate: true,
})
const anyDays = fc.integer({ min: 1, max: 365 })
const day = 86_400_000

describe('defaultExpirationDays', () => {
  it('is 3, as in the spec', () => {
    expect(defaultExpirationDays).toBe(3)
  })
})

describe('firstLifetime', () => {
  it('counts days of exactly 24 hours, even across daylight saving time and the end of February', () => {
    const createLimits = (expirationDays: number) => ({ expirationDays, maxLifetimeDays: 30 })
    expect(firstLifetime(new Date('2026-03-06T23:59:59.999Z'), createLimits(3))).toEqual({
      expiresAt: new Date('2026-03-09T23:59:59.999Z'),
      maxLifetimeAt: new Date('2026-04-05T23:59:59.999Z'),
    })
    expect(firstLifetime(new Date('2028-02-27T00:00:00.000Z'), createLimits(5)).expiresAt).toEqual(
      new Date('2028-03-03T00:00:00.000Z'),
    )
  })

  it('adds the exact days, capped by the maximum lifetime, and doesn’t modify its argument', () => {
    fc.assert(
      fc.property(anyDate, anyDays, anyDays, (createdAt, chosenDays, maxLifetimeDays) => {
        const createdMs = createdAt.getTime()
        const dates = firstLifetime(createdAt, { expirationDays: chosenDays, maxLifetimeDays })
        expect(dates.expiresAt.getTime() - createdMs).toBe(
          Math.min(chosenDays, maxLifetimeDays) * day,
        )
        expect(dates.maxLifetimeAt.getTime() - createdMs).toBe(maxLifetimeDays * day)
        expect(lifetimeDays({ createdAt, ...dates })).toBe(maxLifetimeDays)
        expect(createdAt.getTime()).toBe(createdMs)
      }),
    )
  })
})

describe('renewedExpiry', () => {
  const now = new Date('2026-05-01T10:00:00.000Z')
  const fromNow = (ms: number) => new Date(now.getTime() + ms)

  it.each([
    ['far below the limit: the requested days', 20 * day, 7 * day],
    ['a millisecond below the limit', 7 * day + 1, 7 * day],
    ['exactly at the limit', 7 * day, 7 * day],
    ['a millisecond over the limit', 7 * day - 1, 7 * day - 1],
    ['almost at the limit: capped to it', 1, 1],
  ])('%s', (_, maxLifetimeOffset, expected) => {
    expect(renewedExpiry(now, 7, fromNow(maxLifetimeOffset))).toEqual(fromNow(expected))
  })

  it('returns maxLifetimeAt or the requested expiry, whichever is earlier', () => {
    fc.assert(
      fc.property(anyDate, anyDays, anyDate, (renewedAt, chosenDays, maxLifetimeAt) => {
        const expiresAtMs = renewedExpiry(renewedAt, chosenDays, maxLifetimeAt).getTime()
        const requestedExpiryMs = renewedAt.getTime() + chosenDays * day
        expect(expiresAtMs).toBeLessThanOrEqual(maxLifetimeAt.getTime())
        expect(expiresAtMs).toBeLessThanOrEqual(requestedExpiryMs)
        expect([requestedExpiryMs, maxLifetimeAt.getTime()]).toContain(expiresAtMs)
      }),
    )
  })

  it('keeps any series of renewals within the maximum lifetime', () => {
    fc.assert(
      fc.property(
        anyDate,
        anyDays,
        anyDays,
        fc.array(fc.record({ waited: fc.integer({ min: 0, max: 7 * day }), chosen: anyDays })),
        (createdAt, expirationDays, maxLifetimeDays, renewals) => {
          const { expiresAt, maxLifetimeAt } = firstLifetime(createdAt, {
            expirationDays,
            maxLifetimeDays,
          })
          let expiry = expiresAt
          let nowMs = createdAt.getTime()
          for (const { waited, chosen } of renewals) {
            nowMs += waited
            if (nowMs >= maxLifetimeAt.getTime()) break
            expiry = renewedExpiry(new Date(nowMs), chosen, maxLifetimeAt)
            expect(expiry.getTime()).toBeGreaterThan(nowMs)
          }
          expect(expiry.getTime() - createdAt.getTime()).toBeLessThanOrEqual(maxLifetimeDays * day)
        },
      ),
    )
  })
})

describe('datesAfterConfirm', () => {
  const startedAt = new Date('2026-03-01T00:00:00Z')
  const onDay = (days: number) => new Date(startedAt.getTime() + days * day)
  const started = {
    expirationDays: 3,
    maxLifetimeDays: 30,
    createdAt: startedAt,
    expiresAt: onDay(30),
    maxLifetimeAt: onDay(30),
    readyAt: null,
  }
  const withFiles = {
    ...started,
    createdAt: onDay(1),
    expiresAt: onDay(4),
    maxLifetimeAt: onDay(31),
  }

  it.each([
    ['the only file', started, false, true, 2, [2, 5, 32, 2]],
    ['the first of several files', started, false, false, 2, [2, 5, 32, null]],
    ['a file in between', withFiles, true, false, 2, [1, 4, 31, null]],
    ['the last file', withFiles, true, true, 2, [1, 5, 31, 2]],
    [
      'the last file, just before the link expires',
      withFiles,
      true,
      true,
      3.99,
      [1, 6.99, 31, 3.99],
    ],
    ['the last file of an expired link', withFiles, true, true, 4, [1, 4, 31, 4]],
    [
      'the last file, near the end of the maximum lifetime',
      { ...withFiles, expiresAt: onDay(31) },
      true,
      true,
      30,
      [1, 31, 31, 30],
    ],
    ['a file added later', { ...withFiles, readyAt: onDay(2) }, true, true, 3, [1, 4, 31, 2]],
    [
      'a file added after the others were deleted',
      { ...withFiles, readyAt: onDay(2) },
      false,
      true,
      3,
      [1, 4, 31, 2],
    ],
  ])('for %s', (_, link, hasFiles, isComplete, nowDay, expected) => {
    const dates = datesAfterConfirm(link, { hasFiles, isComplete }, onDay(nowDay))
    const times = Object.values(dates).map(
      (date) => date && (date.getTime() - startedAt.getTime()) / day,
    )
    expect(times).toEqual(expected)
  })

  it('keeps a link within its maximum lifetime, and never shortens or revives it', () => {
    const days = fc.integer({ min: 1, max: 365 })
    const delays = fc.array(fc.integer({ min: 0, max: 20 * day }), { minLength: 1, maxLength: 10 })
    fc.assert(
      fc.property(days, days, delays, fc.nat(9), (expirationDays, maxLifetimeDays, waits, last) => {
        const maxLifetime = { expirationDays: maxLifetimeDays, maxLifetimeDays }
        const dates = firstLifetime(startedAt, maxLifetime)
        let link = {
          ...{ expirationDays, maxLifetimeDays, createdAt: startedAt, ...dates },
          readyAt: null as Date | null,
        }
        let now = startedAt
        for (const [index, wait] of waits.entries()) {
          now = new Date(now.getTime() + wait)
          const before = link
          const state = {
            hasFiles: index > 0,
            isComplete: index >= Math.min(last, waits.length - 1),
          }
          link = { ...link, ...datesAfterConfirm(link, state, now) }
          expect(link.expiresAt <= link.maxLifetimeAt).toBe(true)
          if (index === 0) continue
          expect(link.maxLifetimeAt).toEqual(before.maxLifetimeAt)
          expect(link.expiresAt >= before.expiresAt).toBe(true)
          if (before.expiresAt <= now) expect(link.expiresAt).toEqual(before.expiresAt)
          if (before.readyAt !== null) expect(link).toEqual(before)
        }
      }),
    )
  })
})
