import { expect, type Page } from '@playwright/test'
import { eq } from 'drizzle-orm'
import { sessions, users } from '../../../src/server/db/schema.ts'
import type { TestApp } from '../../support/app-server.ts'
import { saveBrand } from '../../support/brands.ts'
import { makeFile, makePerson } from '../../support/make.ts'
import { signIn } from './dashboard.ts'
import type { Screens } from './open-screens.ts'

const hour = 3_600_000

/** Makes the account page offer Google sign-in, even though the server doesn't support it. */
function offerGoogle(page: Page) {
  return page.route('**/api/auth/ways', (route) =>
    route.fulfill({ json: { google: true, signup: 'open', sendsMail: true } }),
  )
}

/** Creates a user with the longest allowed name and many sessions. */
async function makePersonWithSessions(app: TestApp) {
  const person = await makePerson(app)
  const longName = {
    firstName: 'Wolfeschlegelstein'.repeat(6).slice(0, 100),
    lastName: 'y '.repeat(50),
  }
  const email = `${'long'.repeat(15)}@${'mail.'.repeat(20)}example.org`
  await app.deps.db
    .update(users)
    .set({ ...longName, email, emailVerified: true })
    .where(eq(users.id, person.id))
  const [row] = await app.deps.db.select().from(sessions).where(eq(sessions.userId, person.id))
  if (!row) throw new Error('no session')
  const otherSessions = Array.from({ length: 12 }, (_, index) => ({
    ...row,
    id: `${row.id}-${index}`,
    token: `${row.token}-${index}`,
    userAgent:
      index % 2 ? 'x'.repeat(400) : 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Firefox/133.0',
    ipAddress: '2001:db8:1234:5678:9abc:def0:1234:5678',
    updatedAt: new Date(row.updatedAt.getTime() - index * index * hour),
  }))
  await app.deps.db.insert(sessions).values(otherSessions)
  return { ...person, email }
}

/** Opens the account page. It offers the given sign-in methods, whatever the server supports. */
async function openAccountPage(page: Page, methods: ('password' | 'google')[]) {
  await offerGoogle(page)
  const since = new Date().toISOString()
  await page.route('**/api/auth/user/ways', (route) =>
    route.fulfill({ json: methods.map((method) => ({ way: method, since })) }),
  )
  await page.goto('/account')
}

/**
 * Screens of the account page. The first one signs in a user, who stays signed in through 'account
 * with long names and many sessions'.
 */
export const accountScreens: Screens = {
  'adding Google': async ({ app, page }) => {
    await signIn(page, app, await makePerson(app))
    await openAccountPage(page, ['password'])
    await page.getByRole('button', { name: 'Add Google' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add Google' })
    await dialog.getByRole('button', { name: 'Go to Google' }).click()
    await expect(dialog.getByText('Please fill in this field.')).toBeVisible()
  },
  'account without a password': async ({ page }) => {
    await openAccountPage(page, ['google'])
    await expect(page.getByRole('button', { name: 'Send the email' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Remove Google' })).toBeDisabled()
    await expect(page.getByText(/^Custom branding is part of Premium/)).toBeVisible()
  },
  'deleting an account without a password': async ({ page }) => {
    await page.getByRole('button', { name: 'Delete account' }).click()
    await expect(page.getByRole('link', { name: 'Continue with Google' })).toBeVisible()
  },
  'creating an API key': async ({ page }) => {
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'New API key' }).click()
    const dialog = page.getByRole('dialog', { name: 'New API key' })
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await expect(dialog.getByText('Please enter a name in one line.')).toBeVisible()
  },
  'a new API key': async ({ page }) => {
    const dialog = page.getByRole('dialog', { name: /API key$/ })
    await dialog.getByLabel('Name', { exact: true }).fill('W'.repeat(60))
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await expect(dialog.getByText('Copy it now. It is not shown again.')).toBeVisible()
  },
  'a list of API keys': async ({ page }) => {
    await page.getByRole('button', { name: 'Done' }).click()
    await expect(page.getByRole('button', { name: /^Revoke W+$/ })).toBeVisible()
  },
  'Admin Center, closed to other users': async ({ page }) => {
    await page.goto('/admin')
    await expect(page.getByRole('heading', { name: 'Admin Access Required' })).toBeVisible()
  },
  'a server that cannot be reached': async ({ errors, page }) => {
    errors.expect(/503 \(Service Unavailable\).*\/api\/auth\/user$/)
    await page.route('**/api/auth/user', (route) => route.fulfill({ status: 503 }))
    await page.goto('/account')
    await expect(page.getByText('Mayfly cannot be reached right now')).toBeVisible()
  },
  'a screen whose code is gone': async ({ errors, page }) => {
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(page.getByRole('heading', { name: 'Account', exact: true })).toBeVisible()
    errors.expect(/404 \(Not Found\).*\/assets\/admin-page/)
    errors.allow(/Failed to fetch dynamically imported module|Unable to preload/)
    await page.route(/\/assets\/admin-page/, (route) => route.fulfill({ status: 404 }))
    await page.goto('/admin')
    await expect(page.getByText('This screen could not be shown')).toBeVisible()
  },
  'account with long names and many sessions': async ({ app, page }) => {
    const person = await makePersonWithSessions(app)
    await offerGoogle(page)
    await signIn(page, app, person)
    await page.goto('/account')
    const { id } = await makeFile(person, { name: `${'minutes of a long meeting '.repeat(9)}.pdf` })
    await person.fetch(`/api/files/${id}`, { method: 'DELETE' })
    await page.getByRole('button', { name: 'Show receipts' }).click()
    await expect(page.getByText('Confirmed by storage.')).toBeVisible()
    await expect(page.getByRole('button', { name: /^Sign out (?!everywhere)/ })).toHaveCount(13)
    await expect(page.getByRole('button', { name: 'Add Google' })).toBeVisible()
    await page.getByLabel('Current password', { exact: true }).fill('x')
    await page.getByLabel('New password', { exact: true }).fill('short')
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(page.getByText("Passwords don't match")).toBeVisible()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await expect(page.getByText("Passwords don't match")).toBeHidden()
  },
  'deleting the account': async ({ page }) => {
    await page.getByRole('button', { name: 'Delete account' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete account' })
    await dialog.getByRole('button', { name: 'Delete account' }).click()
    await expect(dialog.getByText('Please fill in this field.')).toBeVisible()
  },
  'branding of a Premium account': async ({ app, page }) => {
    const person = await makePerson(app, { tier: 'premium' })
    await saveBrand(person, { name: 'W'.repeat(60), accent: '#ffd400', message: 'x'.repeat(280) })
    await signIn(page, app, person)
    await page.goto('/account')
    const form = page.getByRole('region', { name: 'Branding' })
    await form.getByLabel('Accent color', { exact: true }).fill('red')
    await form.getByRole('button', { name: 'Save branding' }).click()
    await expect(form.getByText('Must be a color')).toBeVisible()
    await expect(form.getByAltText('Your logo')).toBeVisible()
  },
}
