import { describe, expect, it } from 'vitest'
import {
  isTrialLetterStale,
  type TrialLetter,
  trialLetterDue,
  trialLetters,
} from './trial-letters.ts'

const end = new Date('2026-11-05T12:00:00.000Z')

describe('the letters about a trial', () => {
  it('are due three days before its end, one day before it, and at it', () => {
    const due = trialLetters.map((letter) => [letter, trialLetterDue(letter, end).toISOString()])
    // In New York the clocks go back on 1 November, but a day still has 24 hours.
    expect(due).toEqual([
      ['three-days', '2026-11-02T12:00:00.000Z'],
      ['one-day', '2026-11-04T12:00:00.000Z'],
      ['ended', '2026-11-05T12:00:00.000Z'],
    ])
  })

  it.each<[TrialLetter, string]>([
    ['three-days', '2026-11-03T00:00:00.000Z'],
    ['one-day', '2026-11-05T00:00:00.000Z'],
    ['ended', '2026-11-12T12:00:00.000Z'],
  ])('%s is sent until %s and not from then on', (letter, moment) => {
    const limit = new Date(moment)
    expect(isTrialLetterStale(letter, end, trialLetterDue(letter, end))).toBe(false)
    expect(isTrialLetterStale(letter, end, new Date(limit.getTime() - 1))).toBe(false)
    expect(isTrialLetterStale(letter, end, limit)).toBe(true)
  })

  it('are not too late where the clock of the database runs a little ahead', () => {
    for (const letter of trialLetters) {
      const early = new Date(trialLetterDue(letter, end).getTime() - 5000)
      expect(isTrialLetterStale(letter, end, early)).toBe(false)
    }
  })

  it('never come two at once, however long a server stood still', () => {
    for (let hours = -96; hours < 200; hours += 1) {
      const now = new Date(end.getTime() + hours * 3_600_000)
      const sent = trialLetters.filter(
        (letter) => trialLetterDue(letter, end) <= now && !isTrialLetterStale(letter, end, now),
      )
      expect(sent.length).toBeLessThanOrEqual(1)
    }
  })
})
