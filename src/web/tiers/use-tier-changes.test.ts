// @vitest-environment happy-dom
import { act } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  later,
  openPage,
  refused,
  unauthorized,
  type WebPage,
} from '../../../tests/support/web-page.ts'
import type { User } from '../../shared/contract/account.ts'
import { currentUserQuery } from '../api/use-current-user.ts'
import { useTierChanges } from './use-tier-changes.ts'

const start = 'POST /api/auth/start-trial'
const toggle = 'POST /api/auth/toggle-premium'

let page: WebPage
let done: User[]
beforeEach(() => {
  page = openPage()
  done = []
  page.client.setQueryData(currentUserQuery.queryKey, user('free'))
})
afterEach(() => page.close())

function user(tier: User['tier'], premiumTrialEndsAt: string | null = null): User {
  return { id: 'ada', tier, premiumTrialEndsAt } as User
}

function open() {
  const shown = page.run(() => useTierChanges((changed) => done.push(changed)))
  return () => shown.result.current
}

function known() {
  return page.client.getQueryData(currentUserQuery.queryKey)
}

function isUserInvalidated() {
  return page.client.getQueryState(currentUserQuery.queryKey)?.isInvalidated
}

test('starting a trial updates the user and shows when it ends', async () => {
  const premium = user('premium', '2030-01-31T12:00:00.000Z')
  page.on(start, () => ({ message: '', user: premium }))
  const changes = open()
  act(() => changes().startTrial())
  await expect.poll(() => done).toEqual([premium])
  expect(known()).toEqual(premium)
  await expect.poll(page.text).toMatch(/^Your Premium trial has startedIt ends on .*31 .*\.$/)
})

test('switching the tier updates the user and shows the new tier', async () => {
  page.on(toggle, () => ({ message: '', user: user('premium') }))
  const changes = open()
  act(() => changes().switchTo('premium'))
  await expect.poll(page.text).toBe('Your account is Premium now')
  expect(page.asked).toMatchObject([{ call: toggle, body: { tier: 'premium' } }])
  expect(known()).toEqual(user('premium'))
})

test.each([
  ['startTrial', start, 'TRIAL_USED', 'Failed to start trialThe words of the server.'],
  ['startTrial', start, undefined, 'Failed to start trialPlease try again.'],
  ['switchTo', toggle, undefined, 'ErrorFailed to change tier. Please try again.'],
] as const)(
  'after %s fails (%s, %s), shows the error and reloads the user',
  async (name, call, code, told) => {
    page.on(call, () => refused(409, code, code && 'The words of the server.'))
    const changes = open()
    act(() => (name === 'startTrial' ? changes().startTrial() : changes().switchTo('free')))
    await expect.poll(page.text).toBe(told)
    expect(done).toEqual([])
    expect(isUserInvalidated()).toBe(true)
    expect(changes().isPending).toBe(false)
  },
)

test.each([
  ['startTrial', start],
  ['switchTo', toggle],
] as const)('%s without a session shows only the session toast', async (name, call) => {
  page.on(call, unauthorized)
  const changes = open()
  act(() => (name === 'startTrial' ? changes().startTrial() : changes().switchTo('free')))
  await expect.poll(page.signedOut).toBe(1)
  expect(page.text()).toBe('')
  expect(isUserInvalidated()).toBe(false)
})

test('all buttons are pending while the tier changes', async () => {
  const { answer: response, resolve } = later()
  page.on(toggle, response)
  const [one, other] = [open(), open()]
  act(() => one().switchTo('premium'))
  await expect.poll(() => other().isPending).toBe(true)
  await act(async () => resolve({ message: '', user: user('premium') }))
  await expect.poll(() => one().isPending || other().isPending).toBe(false)
})
