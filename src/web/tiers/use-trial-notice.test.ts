// @vitest-environment happy-dom
import { act } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openPage, type WebPage } from '../../../tests/support/web-page.ts'
import type { User } from '../../shared/contract/account.ts'
import { currentUserQuery } from '../api/use-current-user.ts'
import { useTrialNotice } from './use-trial-notice.ts'

const minute = 60_000
const start = new Date('2030-01-01T00:00:00.000Z')

let page: WebPage
/** How often the page has asked the server for the user again. */
let reads: number
beforeEach(() => {
  vi.useFakeTimers({ now: start })
  page = openPage()
  reads = 0
  vi.spyOn(page.client, 'invalidateQueries').mockImplementation(async (filters) => {
    expect(filters?.queryKey).toEqual(currentUserQuery.queryKey)
    reads += 1
  })
})
afterEach(() => {
  page.close()
  vi.useRealTimers()
})

/**
 * Makes a user of this tier whose trial ends in `leftMs` milliseconds. null means that there is no
 * trial.
 */
function user(tier: User['tier'], leftMs: number | null): User {
  const ends = leftMs === null ? null : new Date(start.getTime() + leftMs).toISOString()
  return {
    id: 'ada',
    tier,
    premiumTrialStartedAt: ends && start.toISOString(),
    premiumTrialEndsAt: ends,
  } as User
}

function banner(of: User) {
  const shown = page.run(({ of }: { of: User }) => useTrialNotice(of), { of })
  return {
    notice: () => shown.result.current,
    become: (next: User) => shown.rerender({ of: next }),
    pass: (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms)),
    leave: shown.unmount,
  }
}

test('a free user without a trial is offered one', () => {
  expect(banner(user('free', null)).notice()).toMatchObject({ kind: 'offer' })
})

test('Premium without an end has no notice', () => {
  expect(banner(user('premium', null)).notice()).toBeNull()
})

test('the time left of a trial is updated each minute', async () => {
  const { notice, pass } = banner(user('premium', 125 * minute))
  const left = () => {
    const now = notice()
    return now?.kind === 'running' ? now.label : now?.kind
  }
  expect(left()).toBe('2 hours left')
  await pass(5 * minute)
  expect(left()).toBe('2 hours left')
  await pass(minute)
  expect(left()).toBe('1 hour left')
})

test('the notice changes at the end of the trial, and the user is reloaded', async () => {
  const { notice, pass } = banner(user('premium', 90_000))
  // React draws only at the end of `pass`, and the hook then sets its next timer. So the test
  // passes the time in two steps.
  await pass(60_000)
  await pass(29_999)
  expect(notice()).toMatchObject({ kind: 'running' })
  expect(reads).toBe(0)
  await pass(1)
  expect(notice()).toMatchObject({ kind: 'expired' })
  expect(reads).toBe(1)
})

test('while the server still answers premium, it is asked every five seconds', async () => {
  const { pass, become } = banner(user('premium', 1000))
  await pass(1000)
  expect(reads).toBe(1)
  await pass(4999)
  expect(reads).toBe(1)
  await pass(1)
  expect(reads).toBe(2)
  become(user('free', 1000))
  await pass(10 * minute)
  expect(reads).toBe(2)
})

test('a page that becomes visible reads the clock at once', async () => {
  const { notice, pass } = banner(user('premium', 10 * minute))
  // The time goes on, but no timer runs, as in a page in the background.
  vi.setSystemTime(start.getTime() + 10 * minute)
  expect(notice()).toMatchObject({ kind: 'running' })
  act(() => void document.dispatchEvent(new Event('visibilitychange')))
  expect(notice()).toMatchObject({ kind: 'expired' })
  await pass(0)
})

test('a removed banner leaves no timer', () => {
  const { leave } = banner(user('premium', 10 * minute))
  leave()
  expect(vi.getTimerCount()).toBe(0)
})
