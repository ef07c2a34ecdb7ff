import { describe, expect, it } from 'vitest'
import { receiptCutoff, removalDueAt } from './receipt.ts'

it('receipts are shown for exactly 30 days of 24 hours, regardless of daylight saving time', () => {
  const now = new Date('2026-04-10T12:00:00.000Z')
  expect(receiptCutoff(now)).toEqual(new Date('2026-03-11T12:00:00.000Z'))
})

describe('the bytes of a file must be deleted', () => {
  const expiresAt = new Date('2026-11-21T20:40:11.000Z')
  const maxLifetimeAt = new Date('2026-12-14T20:40:11.000Z')
  const recordedDate = new Date('2026-11-18T08:00:00.000Z')
  const file = { expiresAt, maxLifetimeAt, purgingAt: null, purgeDueAt: null }

  it.each([
    ['at its maximum lifetime if it can be renewed', file, true, maxLifetimeAt],
    ['at its expiry if it cannot be renewed', file, false, expiresAt],
    [
      'never after its maximum lifetime',
      { ...file, expiresAt: maxLifetimeAt, maxLifetimeAt: expiresAt },
      false,
      expiresAt,
    ],
    [
      'at the time the server recorded',
      { ...file, purgingAt: recordedDate, purgeDueAt: recordedDate },
      true,
      recordedDate,
    ],
    ['at an unknown time if none was recorded', { ...file, purgingAt: recordedDate }, true, null],
  ])('%s', (_, dates, canRenew, expected) => {
    expect(removalDueAt(dates, canRenew)).toEqual(expected)
  })
})
