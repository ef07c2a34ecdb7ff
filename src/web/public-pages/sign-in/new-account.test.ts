// @vitest-environment happy-dom
import { afterEach, expect, test } from 'vitest'
import { readNewAccount, storeNewAccount, takeNewAccount } from './new-account.ts'

afterEach(() => {
  sessionStorage.clear()
  history.replaceState(null, '')
})

test.each([
  null,
  'ada@example.org',
  {},
  { email: 'ada@example.org' },
  { email: 1, requiresVerification: true },
])('finds no account in the history state %j', (state) => {
  expect(readNewAccount(state)).toBeNull()
})

test('an account survives reloads, but not a later visit', () => {
  const account = { email: 'ada@example.org', requiresVerification: true }
  storeNewAccount(account)
  expect(takeNewAccount()).toEqual(account)
  expect(takeNewAccount()).toEqual(account)
  // A later visit has a history entry of its own.
  history.replaceState(null, '')
  expect(takeNewAccount()).toBeNull()
})
