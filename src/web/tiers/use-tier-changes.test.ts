// @vitest-environment happy-dom
import { act } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  delayedResponse,
  errorResponse,
  openPage,
  unauthorized,
  type WebPage,
} from '../../../tests/support/web-page.ts'
import type { User } from '../../shared/contract/account.ts'
import { currentUserQuery } from '../api/use-current-user.ts'
import { useTierChanges } from './use-tier-changes.ts'

const startTrialEndpoint = 'POST /api/auth/start-trial'
const toggleTierEndpoint = 'POST /api/auth/toggle-premium'

let page: WebPage
let changedUsers: User[]
beforeEach(() => {
  page = openPage()
  changedUsers = []
  page.client.setQueryData(currentUserQuery.queryKey, makeUser('free'))
})
afterEach(() => page.close())

function makeUser(tier: User['tier'], premiumTrialEndsAt: string | null = null): User {
  return { id: 'ada', tier, premiumTrialEndsAt } as User
}

function renderTierChanges() {
  const hook = page.run(() => useTierChanges((changedUser) => changedUsers.push(changedUser)))
  return () => hook.result.current
}

function getCachedUser() {
  return page.client.getQueryData(currentUserQuery.queryKey)
}

function isUserInvalidated() {
  return page.client.getQueryState(currentUserQuery.queryKey)?.isInvalidated
}

test('starting a trial updates the user and shows when the trial ends', async () => {
  const premiumUser = makeUser('premium', '2030-01-31T12:00:00.000Z')
  page.on(startTrialEndpoint, () => ({ message: '', user: premiumUser }))
  const tierChanges = renderTierChanges()
  act(() => tierChanges().startTrial())
  await expect.poll(() => changedUsers).toEqual([premiumUser])
  expect(getCachedUser()).toEqual(premiumUser)
  await expect.poll(page.text).toMatch(/^Your Premium trial has startedIt ends on .*31 .*\.$/)
})

test('switching the tier updates the user and shows the new tier', async () => {
  page.on(toggleTierEndpoint, () => ({ message: '', user: makeUser('premium') }))
  const tierChanges = renderTierChanges()
  act(() => tierChanges().switchTo('premium'))
  await expect.poll(page.text).toBe('Your account is Premium now')
  expect(page.requests).toMatchObject([{ call: toggleTierEndpoint, body: { tier: 'premium' } }])
  expect(getCachedUser()).toEqual(makeUser('premium'))
})

test.each([
  ['startTrial', startTrialEndpoint, 'TRIAL_USED', 'Failed to start trialThe server message.'],
  ['startTrial', startTrialEndpoint, undefined, 'Failed to start trialPlease try again.'],
  ['switchTo', toggleTierEndpoint, undefined, 'ErrorFailed to change tier. Please try again.'],
] as const)(
  'after %s fails (%s, %s), shows the error and reloads the user',
  async (name, call, code, expectedText) => {
    page.on(call, () => errorResponse(409, code, code && 'The server message.'))
    const tierChanges = renderTierChanges()
    act(() => (name === 'startTrial' ? tierChanges().startTrial() : tierChanges().switchTo('free')))
    await expect.poll(page.text).toBe(expectedText)
    expect(changedUsers).toEqual([])
    expect(isUserInvalidated()).toBe(true)
    expect(tierChanges().isPending).toBe(false)
  },
)

test.each([
  ['startTrial', startTrialEndpoint],
  ['switchTo', toggleTierEndpoint],
] as const)('%s without a session shows only the session toast', async (name, call) => {
  page.on(call, unauthorized)
  const tierChanges = renderTierChanges()
  act(() => (name === 'startTrial' ? tierChanges().startTrial() : tierChanges().switchTo('free')))
  await expect.poll(page.signOutCount).toBe(1)
  expect(page.text()).toBe('')
  expect(isUserInvalidated()).toBe(false)
})

test('all buttons are pending while the tier changes', async () => {
  const { respond: response, resolve } = delayedResponse()
  page.on(toggleTierEndpoint, response)
  const [first, second] = [renderTierChanges(), renderTierChanges()]
  act(() => first().switchTo('premium'))
  await expect.poll(() => second().isPending).toBe(true)
  await act(async () => resolve({ message: '', user: makeUser('premium') }))
  await expect.poll(() => first().isPending || second().isPending).toBe(false)
})
