import { expect, type Page } from '@playwright/test'
import { signInErrorMessages } from '../../../src/shared/rules/accounts/sign-in-error.ts'
import { renderBuiltPage } from '../../support/built-page.ts'
import { signUp } from '../../support/make.ts'
import { makeAddress, signUpForToken } from '../../support/signup.ts'
import type { Screens } from './open-screens.ts'

/** Opens the login or the signup of a server with Google sign-in. */
async function offerGoogle(
  page: Page,
  name: 'login' | 'signup',
  { signup = 'open', error = '' }: { signup?: string; error?: string } = {},
) {
  const env = { SIGNUP: signup, GOOGLE_CLIENT_ID: 'a', GOOGLE_CLIENT_SECRET: 'b' }
  const body = await renderBuiltPage(name, env, { error })
  await page.route(`**/${name}`, (route) => route.fulfill({ contentType: 'text/html', body }))
  await page.goto(`/${name}`)
}

/**
 * The login, the signup and the pages that emails link to. A screen that doesn't open a page starts
 * from the screen before it.
 */
export const signInScreens: Screens = {
  'Admin Center, closed to visitors': async ({ page }) => {
    await page.goto('/admin')
    await expect(page.getByRole('heading', { name: 'Access Denied' })).toBeVisible()
  },
  'forgot password': async ({ page }) => {
    await page.goto('/login')
    await page.getByRole('button', { name: 'Forgot password?' }).click()
    await expect(page.getByRole('button', { name: 'Send Reset Email' })).toBeVisible()
  },
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
    await page.getByLabel('New password', { exact: true }).fill('a new password')
    await page.getByLabel('Confirm password', { exact: true }).fill('a new password')
    await page.getByRole('button', { name: 'Reset Password' }).click()
    await expect(page.getByRole('heading', { name: 'Password Reset Successful' })).toBeVisible()
  },
  login: async ({ page }) => {
    await offerGoogle(page, 'login', { error: signInErrorMessages['google-not-linked'] })
    await expect(page.getByRole('alert')).toContainText('add Google on your account page')
    await expect(page.getByRole('link', { name: 'Sign in with Google' })).toBeVisible()
  },
  'login of an unverified address, after its signup': async ({ app, errors, page }) => {
    errors.expect(/403 \(Forbidden\).*\/api\/auth\/login$/)
    app.deps.config.requireEmailVerification = true
    const { email, password } = await signUp(app)
    await page.goto('/login')
    // The signup page leaves this state in the browser history.
    await page.evaluate(
      (email) => history.replaceState({ email, requiresVerification: true }, ''),
      email,
    )
    await page.reload()
    await expect(page.getByText('Wrong address? Sign up again.')).toBeVisible()
    await expect(page.getByLabel('Email')).toHaveValue(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign In' }).click()
    await expect(page.getByRole('button', { name: 'Send the email again' })).toBeVisible()
    await expect(page.getByText('Login failed')).toBeHidden()
  },
  'a verification that failed': async ({ page }) => {
    await page.goto('/verify-email')
    await expect(page.getByRole('link', { name: 'Create New Account' })).toBeVisible()
  },
  'an address to verify in another browser': async ({ app, page }) => {
    app.deps.config.requireEmailVerification = true
    await page.goto(`/verify-email?token=${await signUpForToken(app, { email: makeAddress() })}`)
    await expect(page.getByRole('button', { name: 'Verify my address' })).toBeVisible()
  },
  'a verified address': async ({ page }) => {
    await page.getByRole('button', { name: 'Verify my address' }).click()
    await expect(page.getByRole('link', { name: 'Go to Login' })).toBeVisible()
  },
  'signup for some domains, with errors': async ({ page }) => {
    const signup = 'example.org, a-company-of-a-long-name.example.com'
    await offerGoogle(page, 'signup', { signup })
    await expect(page.getByText(/^Only addresses of example\.org or/)).toBeVisible()
    await expect(page.getByRole('link', { name: 'Sign up with Google' })).toBeVisible()
    await page.getByLabel('Email').fill('nowhere')
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.getByRole('button', { name: 'Sign Up' }).click()
    await expect(page.getByText('Please enter a valid email address.')).toBeVisible()
    await expect(page.getByText('Password mismatch')).toBeHidden()
  },
}
