import type { Page } from '@playwright/test'
import type { TestApp } from '../support/app-server.ts'
import { makePerson } from '../support/make.ts'
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

async function fillPasswords(page: Page, password: string) {
  await typeInto(page, page.getByLabel('New password', { exact: true }), password)
  await typeInto(page, page.getByLabel('Confirm password', { exact: true }), password)
  await pressOn(page, page.getByRole('button', { name: 'Reset Password' }))
}

async function signIn(page: Page, email: string, password: string) {
  await typeInto(page, page.getByLabel('Email', { exact: true }), email)
  await typeInto(page, page.getByLabel('Password', { exact: true }), password)
  await page.keyboard.press('Enter')
}

test('a forgotten password is reset by keyboard, from the login to the dashboard', async ({
  app,
  errors,
  page,
}) => {
  const { email } = await makePerson(app)
  await page.goto('/login')
  const forgotPasswordButton = page.getByRole('button', { name: 'Forgot password?' })
  await pressOn(page, forgotPasswordButton)
  await pressOn(page, page.getByRole('button', { name: 'Cancel' }))
  await expect(resetDialog(page)).toBeHidden()
  await expect(forgotPasswordButton).toBeFocused()

  await requestResetEmail(page, email)
  await expect(
    page.getByText("If an account exists, we've sent password reset instructions to your email."),
  ).toBeVisible()
  await expect(resetDialog(page)).toBeHidden()

  const link = await readResetLink(app)
  await page.goto(link)
  // The token is removed from the location bar but survives a reload.
  await expect(page).toHaveURL('/reset-password')
  await page.reload()
  await fillPasswords(page, 'a new password')
  await expect(page.getByText('Password reset successful!')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Password Reset Successful' })).toBeVisible()

  await pressOn(page, page.getByRole('link', { name: 'Go to Login' }))
  await signIn(page, email, 'a new password')
  await expect(page.getByText('Welcome back!')).toBeVisible()

  errors.expect(/400 \(Bad Request\).*\/api\/auth\/reset-password$/)
  await page.goto(link)
  await expect(page.getByText('This link was already used or has expired')).toBeVisible()
  await fillPasswords(page, 'another password')
  await expect(page.getByRole('heading', { name: 'Invalid Reset Link' })).toBeVisible()
})
