import type { User } from '../../src/shared/contract/account.ts'
import { makePerson } from '../support/make.ts'
import { advanceClocks, setClocks } from './support/clocks.ts'
import { chooseFiles, openDashboard, signIn } from './support/dashboard.ts'
import { writeSparseFile } from './support/files.ts'
import { pressOn } from './support/keyboard.ts'
import { expect, isPut, test } from './support/network.ts'
import { uploadItem } from './support/uploads.ts'

const second = 1000
const hour = 3600 * second
const day = 24 * hour

test('a trial is offered, counts down days and hours, and ends while the page is open', async ({
  app,
  page,
}) => {
  const person = await makePerson(app)
  await setClocks(app, [page])
  await signIn(page, app, person)
  // The landing page's trial button leads here.
  await page.goto('/?trial=offer')
  const banner = page.getByRole('complementary', { name: 'Premium trial' })
  const badge = page.getByRole('banner').getByText('Premium', { exact: true })
  await expect(banner).toContainText('Premium, free for 30 days')
  await expect(badge).toBeHidden()

  await pressOn(page, banner.getByRole('button', { name: 'Start trial' }))
  await expect(page.getByText('Your Premium trial has started')).toBeVisible()
  await expect(banner).toContainText('30 days left')
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('heading', { name: /^Welcome back/ })).toBeFocused()
  await expect(badge).toBeVisible()
  const dayChoices = page.getByRole('radiogroup', { name: 'Expires after' })
  await expect(dayChoices).toHaveText('3 days5 days7 days')

  // Spec §9: the countdown updates every 60 s. Each step sends a request, because an unused session
  // would end after 14 days.
  for (const timeLeft of ['17 days left', '4 days left']) {
    await advanceClocks(app, [page], 13 * day)
    await expect(banner).toContainText(timeLeft)
    const listResponsePromise = page.waitForResponse(/\/api\/links/)
    await page.getByRole('tab', { name: 'My Files' }).click()
    expect((await listResponsePromise).status()).toBe(200)
    await page.getByRole('tab', { name: 'Upload' }).click()
  }
  const user: User = await (await page.request.get('/api/auth/user')).json()
  const remainingMs = Date.parse(user.premiumTrialEndsAt ?? '') - app.clock().getTime()
  await advanceClocks(app, [page], remainingMs - 9 * hour - 50 * second)
  await expect(banner).toContainText('9 hours left')
  await advanceClocks(app, [page], 60 * second)
  await expect(banner).toContainText('8 hours left')
  await expect(banner.getByRole('button', { name: 'Dismiss' })).toBeHidden()

  await advanceClocks(app, [page], 9 * hour)
  await expect(banner).toContainText('Trial expired')
  await expect(badge).toBeHidden()
  await expect(page.getByText('3 days (default)')).toBeVisible()
  await pressOn(page, banner.getByRole('button', { name: 'Dismiss' }))
  await expect(banner).toBeHidden()
})

test('Keep Premium shows the price and makes Premium permanent', async ({ app, page }) => {
  const premiumTrialStartedAt = app.clock()
  const premiumTrialEndsAt = new Date(premiumTrialStartedAt.getTime() + day)
  const trialFields = { premiumTrialStartedAt, premiumTrialEndsAt }
  const person = await makePerson(app, { tier: 'premium', ...trialFields })
  await openDashboard(page, app, person)
  const banner = page.getByRole('complementary', { name: 'Premium trial' })
  await pressOn(page, banner.getByRole('button', { name: 'Keep Premium' }))
  const dialog = page.getByRole('alertdialog', { name: 'Premium with no end date' })
  await expect(dialog).toContainText('$8 per month')
  await pressOn(page, dialog.getByRole('button', { name: 'Keep Premium' }))
  // The open dialog hides the banner from screen readers, so wait until the dialog is closed.
  await expect(page.getByText('Your account is Premium now')).toBeVisible()
  await expect(dialog).toBeHidden()
  await expect(banner).toBeHidden()
  const user: User = await (await page.request.get('/api/auth/user')).json()
  expect(user).toMatchObject({ tier: 'premium', premiumTrialEndsAt: null })
})

test('Upgrade Now uploads a rejected file, and the administrator can downgrade again', async ({
  app,
  folder,
  network,
  page,
}) => {
  const person = await makePerson(app, { role: 'admin' })
  await openDashboard(page, app, person)
  // Stall PUTs in the proxy, to keep the large upload from finishing. A Playwright route would
  // buffer the bodies, and the toast could disappear before the test sees it.
  network.stall(isPut)
  const largeFilePath = await writeSparseFile(folder, 'large.iso', 600 * 1024 ** 2)
  await chooseFiles(page, [largeFilePath])
  const card = page.getByRole('region', { name: 'Upgrade to Premium' })
  await expect(card).toContainText('Free takes files up to 500MB')
  // The signed-in user is an administrator, who upgrades without a trial, so the card doesn't offer
  // one.
  await expect(card.getByRole('button')).toHaveText(['Upgrade Now', 'Continue with Free'])

  await card.getByRole('button', { name: 'Upgrade Now' }).click()
  await expect(page.getByText('Your account is Premium now')).toBeVisible()
  await expect(card).toBeHidden()
  await expect(
    page.getByRole('heading', { name: 'Drop files anywhere on this page' }),
  ).toBeFocused()
  await expect(page.getByText('Any type, up to 1GB each')).toBeVisible()
  await expect(uploadItem(page, 'large.iso')).toBeVisible()

  await page.getByRole('button', { name: 'Switch to Free' }).click()
  await expect(page.getByText('Your account is Free now')).toBeVisible()
  await expect(page.getByText('3 files at most')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Switch to Premium' })).toBeVisible()
})
