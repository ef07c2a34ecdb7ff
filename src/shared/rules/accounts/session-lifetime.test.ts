import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { maxIdleDays, maxSessionDays, sessionExpiry } from './session-lifetime.ts'

const dayMs = 86_400_000
const login = new Date('2026-11-22T08:00:00Z')
function timeAfterLogin(days: number, ms = 0) {
  return new Date(login.getTime() + days * dayMs + ms)
}

describe('a session', () => {
  test.each([
    ['never used again ends 14 days after login', 0, 14],
    ['used on day 13 ends on day 27', 13, 27],
    ['used on day 76 ends on day 90 by both rules', 76, 90],
    ['used just after day 76 still ends on day 90', 76.001, 90],
    ['used on day 89 ends on day 90', 89, 90],
  ])('%s', (_, lastSeenDay, endDay) => {
    expect(sessionExpiry({ createdAt: login, lastSeenAt: timeAfterLogin(lastSeenDay) })).toEqual(
      timeAfterLogin(endDay),
    )
  })

  it('ends within 90 days of the login and 14 days of the last use, and is never shortened by use', () => {
    const offset = fc.integer({ min: 0, max: maxSessionDays * dayMs })
    fc.assert(
      fc.property(offset, offset, (firstOffset, secondOffset) => {
        const [firstUse, secondUse] = [
          Math.min(firstOffset, secondOffset),
          Math.max(firstOffset, secondOffset),
        ]
        const endAfterFirstUse = sessionExpiry({
          createdAt: login,
          lastSeenAt: timeAfterLogin(0, firstUse),
        })
        expect(endAfterFirstUse.getTime()).toBeLessThanOrEqual(
          timeAfterLogin(maxSessionDays).getTime(),
        )
        expect(endAfterFirstUse.getTime()).toBeLessThanOrEqual(
          timeAfterLogin(maxIdleDays, firstUse).getTime(),
        )
        const endAfterSecondUse = sessionExpiry({
          createdAt: login,
          lastSeenAt: timeAfterLogin(0, secondUse),
        })
        expect(endAfterSecondUse.getTime()).toBeGreaterThanOrEqual(endAfterFirstUse.getTime())
      }),
    )
  })
})
