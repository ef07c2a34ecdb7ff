import { expect, type Page } from '@playwright/test'
import { signUp } from '../../support/make.ts'
import { makeAddress, signUpForToken } from '../../support/signup.ts'
import type { Screens } from './open-screens.ts'

/** Makes pages offer Google sign-in, even though the server doesn't support it. */
export function offerGoogle(page: Page) {
  return page.route('**/api/auth/ways', (route) =>
    route.fulfill({ json: { google: true, signup: 'open', sendsMail: true } }),
  )
}

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
    await page.goto('/reset-password?token=x')
    await page.getByLabel('New password', { exact: true }).fill('a new password')
    await page.getByLabel('Confirm password', { exact: true }).fill('a new password')
    await page.getByRole('button', { name: 'Reset Password' }).click()
    await expect(page.getByRole('heading', { name: 'Password Reset Successful' })).toBeVisible()
  },
  login: async ({ page }) => {
    await offerGoogle(page)
    await page.goto('/login?fault=google-not-linked')
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
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await expect(page.getByText('Login failed')).toBeHidden()
  },
  'an address that is being verified': async ({ errors, page }) => {
    // The request stays pending while this screen is checked. Later the server rejects the token.
    errors.allow(/400 \(Bad Request\).*verify-email\/check$/)
    await page.route('**/api/auth/verify-email/check', () => {})
    await page.goto('/verify-email?token=x')
    await expect(page.getByRole('heading', { name: 'Verifying your email' })).toBeVisible()
  },
  'an address to verify in another browser': async ({ app, page }) => {
    app.deps.config.requireEmailVerification = true
    await page.goto(`/verify-email?token=${await signUpForToken(app, { email: makeAddress() })}`)
    await expect(page.getByRole('button', { name: 'Verify my address' })).toBeVisible()
  },
  'a verified address': async ({ app, page }) => {
    app.deps.config.requireEmailVerification = true
    await page.goto(`/verify-email?token=${await signUpForToken(app, { email: makeAddress() })}`)
    await page.getByRole('button', { name: 'Verify my address' }).click()
    await expect(page.getByRole('link', { name: 'Go to Login' })).toBeVisible()
  },
  'a verification that the network held up': async ({ errors, page }) => {
    errors.allow(/verify-email\/check net::ERR_FAILED|ERR_FAILED at .*verify-email\/check$/)
    await page.route('**/api/auth/verify-email/check', (route) => route.abort())
    await page.goto('/verify-email?token=x')
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
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
}
