import { expect, type Page } from '@playwright/test'
import { eq } from 'drizzle-orm'
import { sessions, users } from '../../../src/server/db/schema.ts'
import type { TestApp } from '../../support/app-server.ts'
import { makeFile, makePerson, signUp } from '../../support/make.ts'
import { newAddress, signUpForToken } from '../../support/signup.ts'
import { openDashboard } from './dashboard.ts'
import { keepFile } from './public-screens.ts'
import type { Screens, Stage } from './stage.ts'

const hour = 3_600_000

/** Makes a person with the longest allowed names, who is signed in in many browsers. */
async function makePersonWithSessions(app: TestApp) {
  const person = await makePerson(app)
  const long = {
    firstName: 'Wolfeschlegelstein'.repeat(6).slice(0, 100),
    lastName: 'y '.repeat(50),
  }
  const email = `${'long'.repeat(15)}@${'mail.'.repeat(20)}example.org`
  await app.deps.db
    .update(users)
    .set({ ...long, email, emailVerified: true })
    .where(eq(users.id, person.id))
  const [row] = await app.deps.db.select().from(sessions).where(eq(sessions.userId, person.id))
  if (!row) throw new Error('no session')
  const others = Array.from({ length: 12 }, (_, at) => ({
    ...row,
    id: `${row.id}-${at}`,
    token: `${row.token}-${at}`,
    userAgent: at % 2 ? 'x'.repeat(400) : 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Firefox/133.0',
    ipAddress: '2001:db8:1234:5678:9abc:def0:1234:5678',
    updatedAt: new Date(row.updatedAt.getTime() - at * at * hour),
  }))
  await app.deps.db.insert(sessions).values(others)
  return { ...person, email }
}

/** Makes the server seem to offer signing in with Google. */
export function offerGoogle(page: Page) {
  return page.route('**/api/auth/ways', (route) =>
    route.fulfill({ json: { google: true, signup: 'open' } }),
  )
}

/** Opens the account page of a person who seems to have these ways to sign in. */
async function openAccount({ app, page }: Stage, ways: ('password' | 'google')[]) {
  await offerGoogle(page)
  await page.route('**/api/auth/user/ways', (route) =>
    route.fulfill({ json: ways.map((way) => ({ way, since: app.clock().toISOString() })) }),
  )
  await openDashboard(page, app, await makePerson(app))
  await page.goto('/account')
}

/** The screens of a new password. */
export const newPasswordScreens: Screens = {
  'an invalid reset link': async ({ page }) => {
    await page.goto('/reset-password')
    await expect(page.getByRole('link', { name: 'Back to Login' })).toBeVisible()
  },
  'reset password': async ({ page }) => {
    await page.goto('/reset-password?token=x')
    await expect(page.getByRole('button', { name: 'Reset Password' })).toBeVisible()
  },
  'a password that was reset': async ({ page }) => {
    await page.route('**/api/auth/reset-password', (route) =>
      route.fulfill({ json: { message: 'Password reset successful!' } }),
    )
    await page.goto('/reset-password?token=x')
    await page.getByLabel('New password', { exact: true }).fill('a new password')
    await page.getByLabel('Confirm password', { exact: true }).fill('a new password')
    await page.getByRole('button', { name: 'Reset Password' }).click()
    await expect(page.getByRole('heading', { name: 'Password Reset Successful' })).toBeVisible()
  },
}

/** The screens of signing in and up, and of one's own account. */
export const accountScreens: Screens = {
  login: async ({ page }) => {
    await offerGoogle(page)
    await page.goto('/login?fault=google-not-linked')
    await expect(page.getByRole('alert')).toContainText('add Google on your account page')
    await expect(page.getByRole('link', { name: 'Sign in with Google' })).toBeVisible()
  },
  'login of an unverified address': async ({ app, noise, page }) => {
    noise.expect(/403 \(Forbidden\).*\/api\/auth\/login$/)
    app.deps.config.requireEmailVerification = true
    const { email, password } = await signUp(app)
    await page.goto('/login')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign In' }).click()
    await expect(page.getByRole('button', { name: 'Send the mail again' })).toBeVisible()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await expect(page.getByText('Login failed')).toBeHidden()
  },
  'an address that is being verified': async ({ page }) => {
    // The call stays without an answer.
    await page.route('**/api/auth/verify-email', () => {})
    await page.goto('/verify-email?token=x')
    await expect(page.getByRole('heading', { name: 'Verifying your email' })).toBeVisible()
  },
  'a verified address': async ({ app, page }) => {
    app.deps.config.requireEmailVerification = true
    await page.goto(`/verify-email?token=${await signUpForToken(app, { email: newAddress() })}`)
    await expect(page.getByRole('link', { name: 'Go to Login' })).toBeVisible()
  },
  'a verification that the network held up': async ({ noise, page }) => {
    noise.allow(/ERR_FAILED/)
    await page.route('**/api/auth/verify-email', (route) => route.abort())
    await page.goto('/verify-email?token=x')
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
  },
  'closed signup while a file waits': async ({ app, folder, page }) => {
    // The landing page still leads here. It has the settings of the server's start.
    app.deps.config.signup = 'closed'
    const { name } = await keepFile({ folder, page })
    await expect(page.getByRole('heading', { name: 'Signing up is closed' })).toBeVisible()
    await expect(page.getByText(`${name} waits in this browser.`)).toBeVisible()
    await expect(page.getByRole('link', { name: 'Sign Up' })).toBeHidden()
  },
  'signup for some domains': async ({ app, page }) => {
    app.deps.config.signup = ['example.org', 'a-company-of-a-long-name.example.com']
    await page.goto('/signup')
    await expect(page.getByText(/^Only addresses of example\.org or/)).toBeVisible()
  },
  'signup with errors': async ({ page }) => {
    await offerGoogle(page)
    await page.goto('/signup')
    await expect(page.getByRole('link', { name: 'Sign up with Google' })).toBeVisible()
    await page.getByLabel('Email').fill('nowhere')
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.getByRole('button', { name: 'Sign Up' }).click()
    await expect(page.getByText('Please enter a valid email address.')).toBeVisible()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await expect(page.getByText('Password mismatch')).toBeHidden()
  },
  'account with long names and many sessions': async ({ app, page }) => {
    const person = await makePersonWithSessions(app)
    await offerGoogle(page)
    await openDashboard(page, app, person)
    await page.goto('/account')
    const { id } = await makeFile(person, { name: `${'minutes of a long meeting '.repeat(9)}.pdf` })
    await person.fetch(`/api/files/${id}`, { method: 'DELETE' })
    await page.getByRole('button', { name: 'Show receipts' }).click()
    await expect(page.getByText('Storage has confirmed that nothing is left.')).toBeVisible()
    await page.getByRole('button', { name: 'Show 8 more' }).click()
    await expect(page.getByRole('button', { name: /^Sign out (?!everywhere)/ })).toHaveCount(13)
    await expect(page.getByRole('button', { name: 'Add Google' })).toBeVisible()
    await page.getByLabel('Current password', { exact: true }).fill('x')
    await page.getByLabel('New password', { exact: true }).fill('short')
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(page.getByText("Passwords don't match")).toBeVisible()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await expect(page.getByText("Passwords don't match")).toBeHidden()
  },
  'adding Google': async (stage) => {
    await openAccount(stage, ['password'])
    await stage.page.getByRole('button', { name: 'Add Google' }).click()
    const dialog = stage.page.getByRole('dialog', { name: 'Add Google' })
    await dialog.getByRole('button', { name: 'Go to Google' }).click()
    await expect(dialog.getByText('Please fill in this field.')).toBeVisible()
  },
  'the question before removing Google': async (stage) => {
    await openAccount(stage, ['password', 'google'])
    await stage.page.getByRole('button', { name: 'Remove Google' }).click()
    await expect(stage.page.getByRole('alertdialog')).toContainText('Remove Google')
  },
  'account without a password': async (stage) => {
    await openAccount(stage, ['google'])
    await expect(stage.page.getByRole('button', { name: 'Send the letter' })).toBeVisible()
    await expect(stage.page.getByRole('button', { name: 'Remove Google' })).toBeDisabled()
  },
  'account that cannot be loaded': async ({ app, noise, page }) => {
    noise.expect(/ERR_FAILED/)
    await openDashboard(page, app, await makePerson(app))
    await page.route(/\/api\/auth\/(sessions|user\/\w+)$/, (route) => route.abort())
    await page.goto('/account')
    for (const what of ['Your sessions', 'The ways to sign in', 'The figures']) {
      await expect(page.getByText(`${what} could not be loaded`)).toBeVisible()
    }
  },
}
