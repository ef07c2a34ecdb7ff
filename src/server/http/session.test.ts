import { expect, it } from 'vitest'
import { toSessionUser } from './session.ts'

const now = new Date('2030-01-01T00:00:00.000Z')

type StoredUser = Parameters<typeof toSessionUser>[0]

/** Creates a user row. `changes` may contain invalid values. */
function createUser(changes: Record<string, unknown> = {}) {
  return {
    id: 'ada',
    email: 'ada@example.org',
    name: 'Ada Lovelace',
    firstName: 'Ada',
    lastName: 'Lovelace',
    emailVerified: true,
    role: 'user',
    tier: 'free',
    premiumTrialStartedAt: null,
    premiumTrialEndsAt: null,
    image: null,
    ...changes,
  } as StoredUser
}

it.each([
  ['during the trial', 1, 'premium'],
  ['at the exact end of the trial', 0, 'free'],
  ['after the trial', -1, 'free'],
])('a user %s has the current tier', (_, leftMs, tier) => {
  const premiumTrialEndsAt = new Date(now.getTime() + leftMs)
  expect(toSessionUser(createUser({ tier: 'premium', premiumTrialEndsAt }), now).tier).toBe(tier)
})

it('Premium without an end date never expires', () => {
  expect(toSessionUser(createUser({ tier: 'premium' }), now).tier).toBe('premium')
})

it.each(['gold', '', 'Premium', '__proto__'])('an unknown tier %j is an error', (tier) => {
  expect(() => toSessionUser(createUser({ tier }), now)).toThrow(RangeError)
})
