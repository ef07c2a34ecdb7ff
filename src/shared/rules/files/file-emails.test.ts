import { describe, expect, it } from 'vitest'
import { dayInMs, hourInMs } from '../format/units.ts'
import { endsSoonMs, isFileEmailValid } from './file-emails.ts'

const now = new Date('2026-03-01T12:00:00Z')

/** A file whose link ends in `leftMs` milliseconds. */
function ending(leftMs: number, purgingAt: Date | null = null) {
  return { expiresAt: new Date(now.getTime() + leftMs), purgingAt }
}

describe('the email before the end of a link', () => {
  it.each([
    ['ends in an hour', ending(hourInMs), true],
    ['ends in this millisecond', ending(1), true],
    ['has just ended', ending(0), false],
    ['ends in exactly a day', ending(endsSoonMs), true],
    ['was renewed for longer', ending(endsSoonMs + 1), false],
    ['is being deleted', ending(hourInMs, now), false],
  ])('for a link that %s is valid: %s', (_, file, isRight) => {
    expect(isFileEmailValid('link-ends', file, now)).toBe(isRight)
  })

  it('is due 24 hours before', () => {
    expect(endsSoonMs).toBe(dayInMs)
  })
})

it('the email about a first download remains valid whatever happens to the link', () => {
  for (const file of [ending(9 * dayInMs), ending(-dayInMs), ending(hourInMs, now)]) {
    expect(isFileEmailValid('first-download', file, now)).toBe(true)
  }
})
