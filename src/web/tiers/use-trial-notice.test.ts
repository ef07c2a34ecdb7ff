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
/** The number of times the page has reloaded the user. */
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

/** Creates a user whose trial ends in `leftMs` milliseconds, or without a trial if null. */
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

test('offers a trial to a free user who has not had one', () => {
  expect(banner(user('free', null)).notice()).toMatchObject({ kind: 'offer' })
})

test('shows nothing for Premium without a trial', () => {
  expect(banner(user('premium', null)).notice()).toBeNull()
})

test('updates the remaining time every minute', async () => {
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

test('at the end of the trial, changes the notice and reloads the user', async () => {
  const { notice, pass } = banner(user('premium', 90_000))
  // React renders only at the end of `pass`, and only then sets the next timer, so one call can't
  // span both.
  await pass(60_000)
  await pass(29_999)
  expect(notice()).toMatchObject({ kind: 'running' })
  expect(reads).toBe(0)
  await pass(1)
  expect(notice()).toMatchObject({ kind: 'expired' })
  expect(reads).toBe(1)
})

test('reloads the user every five seconds while the server still answers premium', async () => {
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

test('a page that becomes visible updates the notice at once', async () => {
  const { notice, pass } = banner(user('premium', 10 * minute))
  // Time passes but no timers run, as in a background tab.
  vi.setSystemTime(start.getTime() + 10 * minute)
  expect(notice()).toMatchObject({ kind: 'running' })
  act(() => void document.dispatchEvent(new Event('visibilitychange')))
  expect(notice()).toMatchObject({ kind: 'expired' })
  await pass(0)
})

test('an unmounted banner leaves no timer', () => {
  const { leave } = banner(user('premium', 10 * minute))
  leave()
  expect(vi.getTimerCount()).toBe(0)
})
