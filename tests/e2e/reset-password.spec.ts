import type { Page } from '@playwright/test'
import type { TestApp } from '../support/app-server.ts'
import { makeClient, makePerson } from '../support/make.ts'
import { openDashboard } from './support/dashboard.ts'
import { pressOn, typeInto } from './support/keyboard.ts'
import { expect, test } from './support/test.ts'

function resetDialog(page: Page) {
  return page.getByRole('dialog', { name: 'Reset your password' })
}

async function requestResetEmail(page: Page, email: string) {
  await page.goto('/login')
  await pressOn(page, page.getByRole('button', { name: 'Forgot password?' }))
  await typeInto(page, resetDialog(page).getByLabel('Email address'), email)
  await page.keyboard.press('Enter')
  await expect(page.getByText('Password reset email sent')).toBeVisible()
}

/** Returns the reset link from the only email sent. */
async function readResetLink(app: TestApp): Promise<string> {
  const [mail] = await app.sendQueuedEmails()
  return /https?:\S+\/reset-password\S+/.exec(mail?.content.text ?? '')?.[0] ?? ''
}

async function fillPasswords(page: Page, password: string, confirmPassword = password) {
  await typeInto(page, page.getByLabel('New password', { exact: true }), password)
  await typeInto(page, page.getByLabel('Confirm password', { exact: true }), confirmPassword)
  await pressOn(page, page.getByRole('button', { name: 'Reset Password' }))
}

async function signIn(page: Page, email: string, password: string) {
  await typeInto(page, page.getByLabel('Email', { exact: true }), email)
  await typeInto(page, page.getByLabel('Password', { exact: true }), password)
  await page.keyboard.press('Enter')
}

test('a forgotten password is reset by keyboard, from the login to the dashboard', async ({
  app,
  page,
}) => {
  const { email } = await makePerson(app)
  await page.goto('/login')
  const forgotPasswordButton = page.getByRole('button', { name: 'Forgot password?' })
  await pressOn(page, forgotPasswordButton)
  await pressOn(page, page.getByRole('button', { name: 'Send Reset Email' }))
  await expect(page.getByText('Email required')).toBeVisible()
  await expect(page.getByText('Please enter your email address.')).toBeVisible()
  await expect(page.getByLabel('Email address')).toBeFocused()
  await pressOn(page, page.getByRole('button', { name: 'Cancel' }))
  await expect(resetDialog(page)).toBeHidden()
  await expect(forgotPasswordButton).toBeFocused()
  expect(await app.sendQueuedEmails()).toEqual([])

  await requestResetEmail(page, email)
  await expect(
    page.getByText("If an account exists, we've sent password reset instructions to your email."),
  ).toBeVisible()
  await expect(resetDialog(page)).toBeHidden()

  await page.goto(await readResetLink(app))
  // The token is removed from the location bar but survives a reload.
  await expect(page).toHaveURL('/reset-password')
  await page.reload()
  await fillPasswords(page, 'a new password', 'another one')
  await expect(page.getByText("Passwords don't match")).toBeVisible()
  await expect(page.getByText('Please make sure both password fields match.')).toBeVisible()
  await fillPasswords(page, '12345')
  await expect(page.getByText('Password too short')).toBeVisible()
  await fillPasswords(page, 'a new password')
  await expect(page.getByText('Password reset successful!')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Password Reset Successful' })).toBeVisible()

  await pressOn(page, page.getByRole('link', { name: 'Go to Login' }))
  await signIn(page, email, 'a new password')
  await expect(page.getByText('Welcome back!')).toBeVisible()
  await expect(page.getByText(/^Welcome/).first()).toBeVisible()
})

test('a used link, or one without a token, shows an error and leads back', async ({
  app,
  errors,
  page,
}) => {
  const { email } = await makePerson(app)
  await requestResetEmail(page, email)
  const link = await readResetLink(app)
  for (const time of ['first', 'second']) {
    await page.goto(link)
    const expiredMessage = page.getByText('This link was already used or has expired')
    if (time === 'first') await expect(expiredMessage).toBeHidden()
    else {
      await expect(expiredMessage).toBeVisible()
      errors.expect(/400 \(Bad Request\).*\/api\/auth\/reset-password$/)
    }
    await fillPasswords(page, 'a new password')
    const title = time === 'first' ? 'Password Reset Successful' : 'Invalid Reset Link'
    await expect(page.getByRole('heading', { name: title })).toBeVisible()
  }
  await expect(page.getByText('Invalid reset link', { exact: true })).toBeVisible()

  await page.goto('/reset-password')
  await expect(page.getByRole('heading', { name: 'Invalid Reset Link' })).toBeVisible()
  await page.getByRole('link', { name: 'Back to Login' }).click()
  await expect(page).toHaveURL('/login')
})

test('a reset while signed in signs this browser out too', async ({ app, errors, page }) => {
  errors.expect(/401 \(Unauthorized\).*\/api\/auth\/user$/)
  const person = await makePerson(app)
  await openDashboard(page, app, person)
  await makeClient(app).post('/api/auth/forgot-password', { email: person.email })
  await page.goto(await readResetLink(app))
  await fillPasswords(page, 'a new password')
  await expect(page.getByRole('heading', { name: 'Password Reset Successful' })).toBeVisible()
  await expect(page.getByRole('banner').getByRole('link', { name: 'Sign In' })).toBeVisible()
  await pressOn(page, page.getByRole('link', { name: 'Go to Login' }))
  await signIn(page, person.email, 'a new password')
  await expect(page.getByRole('heading', { name: 'Welcome back, Ada' })).toBeVisible()
})
