import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { idleDays, maxSessionDays, sessionEnd } from './session-life.ts'

const dayMs = 86_400_000
const login = new Date('2026-11-22T08:00:00Z')
function later(days: number, ms = 0) {
  return new Date(login.getTime() + days * dayMs + ms)
}

describe('a session', () => {
  test.each([
    ['never used again ends 14 days after login', 0, 14],
    ['used on day 13 ends on day 27', 13, 27],
    ['used on day 76 ends on day 90 by both rules', 76, 90],
    ['used just after day 76 still ends on day 90', 76.001, 90],
    ['used on day 89 ends on day 90', 89, 90],
  ])('%s', (_, seenOn, end) => {
    expect(sessionEnd({ createdAt: login, lastSeenAt: later(seenOn) })).toEqual(later(end))
  })

  it('ends within 90 days of the login and 14 days of the last use, and use never shortens it', () => {
    const moment = fc.integer({ min: 0, max: maxSessionDays * dayMs })
    fc.assert(
      fc.property(moment, moment, (one, other) => {
        const [seen, again] = [Math.min(one, other), Math.max(one, other)]
        const end = sessionEnd({ createdAt: login, lastSeenAt: later(0, seen) })
        expect(end.getTime()).toBeLessThanOrEqual(later(maxSessionDays).getTime())
        expect(end.getTime()).toBeLessThanOrEqual(later(idleDays, seen).getTime())
        const prolonged = sessionEnd({ createdAt: login, lastSeenAt: later(0, again) })
        expect(prolonged.getTime()).toBeGreaterThanOrEqual(end.getTime())
      }),
    )
  })
})
