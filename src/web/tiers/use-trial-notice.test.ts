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
let reloadCount: number
beforeEach(() => {
  vi.useFakeTimers({ now: start })
  page = openPage()
  reloadCount = 0
  vi.spyOn(page.client, 'invalidateQueries').mockImplementation(async (filters) => {
    expect(filters?.queryKey).toEqual(currentUserQuery.queryKey)
    reloadCount += 1
  })
})
afterEach(() => {
  page.close()
  vi.useRealTimers()
})

/**
 * Creates a user whose trial ends in `remainingMs` milliseconds. If null, the user has had no
 * trial.
 */
function makeUser(tier: User['tier'], remainingMs: number | null): User {
  const endsAt = remainingMs === null ? null : new Date(start.getTime() + remainingMs).toISOString()
  return {
    id: 'ada',
    tier,
    premiumTrialStartedAt: endsAt && start.toISOString(),
    premiumTrialEndsAt: endsAt,
  } as User
}

function renderNotice(user: User) {
  const hook = page.run(({ user }: { user: User }) => useTrialNotice(user), { user })
  return {
    notice: () => hook.result.current,
    become: (next: User) => hook.rerender({ user: next }),
    advance: (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms)),
    leave: hook.unmount,
  }
}

test('offers a trial to a free user who has not had one', () => {
  expect(renderNotice(makeUser('free', null)).notice()).toMatchObject({ kind: 'offer' })
})

test('shows nothing for Premium without a trial', () => {
  expect(renderNotice(makeUser('premium', null)).notice()).toBeNull()
})

test('updates the remaining time every minute', async () => {
  const { notice, advance } = renderNotice(makeUser('premium', 125 * minute))
  const getRemainingText = () => {
    const now = notice()
    return now?.kind === 'running' ? now.label : now?.kind
  }
  expect(getRemainingText()).toBe('2 hours left')
  await advance(5 * minute)
  expect(getRemainingText()).toBe('2 hours left')
  await advance(minute)
  expect(getRemainingText()).toBe('1 hour left')
})

test('within a minute of the end of the trial, changes the notice and reloads the user', async () => {
  const { notice, advance } = renderNotice(makeUser('premium', 90_000))
  // Advances in two steps, because React renders and sets the second timer only at the end of the
  // first `advance`.
  await advance(60_000)
  expect(notice()).toMatchObject({ kind: 'running' })
  expect(reloadCount).toBe(0)
  await advance(60_000)
  expect(notice()).toMatchObject({ kind: 'expired' })
  expect(reloadCount).toBe(1)
})

test('reloads the user every five seconds while the server still returns premium', async () => {
  const { advance, become } = renderNotice(makeUser('premium', 1000))
  await advance(minute)
  expect(reloadCount).toBe(1)
  await advance(4999)
  expect(reloadCount).toBe(1)
  await advance(1)
  expect(reloadCount).toBe(2)
  become(makeUser('free', 1000))
  await advance(10 * minute)
  expect(reloadCount).toBe(2)
})

test('updates the notice at once when the page becomes visible', async () => {
  const { notice, advance } = renderNotice(makeUser('premium', 10 * minute))
  // Time passes but no timers run, as in a background tab.
  vi.setSystemTime(start.getTime() + 10 * minute)
  expect(notice()).toMatchObject({ kind: 'running' })
  act(() => void document.dispatchEvent(new Event('visibilitychange')))
  expect(notice()).toMatchObject({ kind: 'expired' })
  await advance(0)
})

test('leaves no timer after the banner unmounts', () => {
  const { leave } = renderNotice(makeUser('premium', 10 * minute))
  leave()
  expect(vi.getTimerCount()).toBe(0)
})
