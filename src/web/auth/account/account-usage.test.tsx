// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openPage, type WebPage } from '../../../../tests/support/web-page.ts'
import type { User } from '../../../shared/contract/account.ts'
import { AccountUsage } from './account-usage.tsx'

const dayMs = 86_400_000

let page: WebPage
beforeEach(() => {
  page = openPage()
})
afterEach(() => page.close())

function renderTierText(user: Partial<User>): string | null | undefined {
  const ada = { tier: 'free', isAdmin: false, premiumTrialEndsAt: null, ...user }
  page.show(<AccountUsage user={ada as User} />)
  return screen.getByText('Tier').parentElement?.textContent
}

function makeTrialFields(days: number): Partial<User> {
  return { premiumTrialEndsAt: new Date(Date.now() + days * dayMs).toISOString() }
}

test('shows the end of a running trial below the tier, but not that of a past trial', () => {
  expect(renderTierText({ tier: 'premium', ...makeTrialFields(3) })).toMatch(
    /^TierPremiumtrial until \w/,
  )
  page.close()
  page = openPage()
  expect(renderTierText(makeTrialFields(-3))).toBe('TierFree')
})

test('shows the administrator where to switch the tier, and offers a retry if the figures fail to load', async () => {
  expect(renderTierText({ isAdmin: true })).toBe('TierFreeswitch it on the dashboard')
  expect(await screen.findByRole('button', { name: 'Try again' })).toBeTruthy()
})
