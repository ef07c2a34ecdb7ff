// @vitest-environment happy-dom
import { act, fireEvent, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openPage, type WebPage } from '../../../tests/support/web-page.ts'
import type { User } from '../../shared/contract/account.ts'
import { TrialBanner } from './trial-banner.tsx'

const dayMs = 86_400_000

let page: WebPage
let doneCount: number
beforeEach(() => {
  page = openPage()
  doneCount = 0
  localStorage.clear()
})
afterEach(() => {
  page.close()
  localStorage.clear()
})

/** Creates a user whose trial ends in `daysLeft` days. If null, the user has had no trial. */
function makeUser(tier: User['tier'], daysLeft: number | null, id = 'ada'): User {
  const endsAt = daysLeft === null ? null : new Date(Date.now() + daysLeft * dayMs).toISOString()
  return {
    id,
    tier,
    premiumTrialStartedAt: endsAt && new Date(0).toISOString(),
    premiumTrialEndsAt: endsAt,
  } as User
}

function makeUserWithoutTrial() {
  return makeUser('free', null)
}
function makeUserInTrial() {
  return makeUser('premium', 12)
}
function makeUserAfterTrial() {
  return makeUser('free', -1)
}

function show(user: User, isPrimary = false) {
  page.show(
    <TrialBanner
      user={user}
      isPrimary={isPrimary}
      onDone={() => {
        doneCount += 1
      }}
    />,
  )
  return {
    text: () => screen.queryByRole('complementary')?.textContent ?? null,
    press: (name: string) =>
      act(async () => void fireEvent.click(screen.getByRole('button', { name }))),
    canDismiss: () => screen.queryByRole('button', { name: 'Dismiss' }) !== null,
  }
}

function reload(user: User) {
  page.close()
  page = openPage()
  return show(user)
}

test.each([
  ['without a trial', makeUserWithoutTrial, 'Premium, free for 30 days'],
  ['in a trial', makeUserInTrial, '12 days left'],
  ['after a trial', makeUserAfterTrial, 'Trial expired'],
])('shows the right banner to a user %s', (_, makeInitialUser, expectedText) => {
  expect(show(makeInitialUser()).text()).toContain(expectedText)
})

test('shows the exact end of a running trial, also to screen readers', () => {
  show(makeUserInTrial())
  const { title } = screen.getByRole('status')
  expect(title).toMatch(/^until \w{3} \d+ \w{3}( \d{4})?, \d\d:\d\d$/)
  expect(screen.getByText(title).className).toBe('sr-only')
})

test('the administrator gets no trial offer, but sees a running trial', () => {
  expect(show({ ...makeUserWithoutTrial(), isAdmin: true }).text()).toBeNull()
  page.close()
  page = openPage()
  expect(show({ ...makeUserInTrial(), isAdmin: true }).text()).toContain('12 days left')
})

test('Premium without a trial has no banner', () => {
  expect(show(makeUser('premium', null)).text()).toBeNull()
})

describe('the button', () => {
  test('starts the offered trial', async () => {
    page.on('POST /api/auth/start-trial', () => ({ message: '', user: makeUserInTrial() }))
    await show(makeUserWithoutTrial()).press('Start trial')
    await expect.poll(() => doneCount).toBe(1)
  })

  test.each([
    ['keeps Premium during a trial', makeUserInTrial, 'Keep Premium'],
    ['upgrades to Premium after the trial has ended', makeUserAfterTrial, 'Upgrade Now'],
  ])('%s, once the user confirms the price', async (_, makeInitialUser, name) => {
    page.on('GET /api/settings/premium-price', () => ({ price: 12 }))
    page.on('POST /api/auth/toggle-premium', () => ({
      message: '',
      user: makeUser('premium', null),
    }))
    const { press } = show(makeInitialUser())
    await press(name)
    const findDialog = () => screen.queryByRole('alertdialog')
    await expect.poll(() => findDialog()?.textContent).toContain('$12 per month')
    expect(findDialog()?.textContent).toContain('nothing is charged')
    const getTierChangeBodies = () => page.requests.flatMap(({ body }) => body ?? [])
    expect(getTierChangeBodies()).toEqual([])
    await press('Cancel')
    await expect.poll(findDialog).toBeNull()
    expect([getTierChangeBodies(), doneCount]).toEqual([[], 0])

    await press(name)
    const confirmButton = within(findDialog() as HTMLElement).getByRole('button', { name })
    await act(async () => void fireEvent.click(confirmButton))
    await expect.poll(() => doneCount).toBe(1)
    expect(getTierChangeBodies()).toEqual([{ tier: 'premium' }])
  })
})

describe('a dismissed banner', () => {
  test.each([
    ['the trial offer', makeUserWithoutTrial],
    ['the expiry notice', makeUserAfterTrial],
  ])('stays hidden after a reload: %s', async (_, makeInitialUser) => {
    const { press, text } = show(makeInitialUser())
    await press('Dismiss')
    expect([text(), doneCount]).toEqual([null, 1])
    expect(reload(makeInitialUser()).text()).toBeNull()
  })

  test('is shown again for another notice, another user, or a requested trial', async () => {
    await show(makeUserWithoutTrial()).press('Dismiss')
    page.close()
    page = openPage()
    expect(show(makeUserWithoutTrial(), true).text()).toContain('Premium, free for 30 days')
    expect(reload(makeUserAfterTrial()).text()).toContain('Trial expired')
    expect(reload(makeUser('free', null, 'bob')).text()).toContain('Premium, free for 30 days')
  })

  test('cannot be dismissed while the trial runs', () => {
    expect(show(makeUserInTrial()).canDismiss()).toBe(false)
  })
})
