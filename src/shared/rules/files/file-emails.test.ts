import { describe, expect, it } from 'vitest'
import { dayInMs, hourInMs } from '../format/units.ts'
import { endsSoonMs, isFileEmailValid } from './file-emails.ts'

const now = new Date('2026-03-01T12:00:00Z')

function fileEndingIn(leftMs: number, purgingAt: Date | null = null) {
  return { expiresAt: new Date(now.getTime() + leftMs), purgingAt }
}

describe('the expiry email', () => {
  it.each([
    ['ends in an hour', fileEndingIn(hourInMs), true],
    ['ends in this millisecond', fileEndingIn(1), true],
    ['has just ended', fileEndingIn(0), false],
    ['ends in exactly a day', fileEndingIn(endsSoonMs), true],
    ['was renewed for longer', fileEndingIn(endsSoonMs + 1), false],
    ['is being deleted', fileEndingIn(hourInMs, now), false],
  ])('for a link that %s is valid: %s', (_, file, isValid) => {
    expect(isFileEmailValid('link-ends', file, now)).toBe(isValid)
  })

  it('is due 24 hours before the link expires', () => {
    expect(endsSoonMs).toBe(dayInMs)
  })
})

it('the email about a first download stays valid whatever happens to the link', () => {
  for (const file of [
    fileEndingIn(9 * dayInMs),
    fileEndingIn(-dayInMs),
    fileEndingIn(hourInMs, now),
  ]) {
    expect(isFileEmailValid('first-download', file, now)).toBe(true)
  }
})
