import { describe, expect, it } from 'vitest'
import { dayInMs, hourInMs } from '../format/units.ts'
import { endsSoonMs, isFileEmailValid } from './file-emails.ts'

const now = new Date('2026-03-01T12:00:00Z')

function createFileEndingIn(leftMs: number, purgingAt: Date | null = null) {
  return { expiresAt: new Date(now.getTime() + leftMs), purgingAt }
}

describe('the expiry email', () => {
  it.each([
    ['ends in an hour', createFileEndingIn(hourInMs), true],
    ['ends in this millisecond', createFileEndingIn(1), true],
    ['has just ended', createFileEndingIn(0), false],
    ['ends in exactly a day', createFileEndingIn(endsSoonMs), true],
    ['was renewed for longer', createFileEndingIn(endsSoonMs + 1), false],
    ['is being deleted', createFileEndingIn(hourInMs, now), false],
  ])('for a link that %s is valid: %s', (_, file, isValid) => {
    expect(isFileEmailValid('link-ends', file, now)).toBe(isValid)
  })

  it('is due 24 hours before the link expires', () => {
    expect(endsSoonMs).toBe(dayInMs)
  })
})

it('the email about a first download stays valid whatever happens to the link', () => {
  for (const file of [
    createFileEndingIn(9 * dayInMs),
    createFileEndingIn(-dayInMs),
    createFileEndingIn(hourInMs, now),
  ]) {
    expect(isFileEmailValid('first-download', file, now)).toBe(true)
  }
})
