import type { Page } from '@playwright/test'
import { serveApp } from '../support/app-server.ts'
import { makeClient, makePerson } from '../support/make.ts'
import { createDatabase } from '../support/postgres-server.ts'
import { openDashboard } from './support/dashboard.ts'
import { getPostgresUrl } from './support/run.ts'
import { expect, test } from './support/test.ts'

async function fillSignup(page: Page, password: string, confirmPassword: string) {
  await page.getByLabel('First name').fill('Grace')
  await page.getByLabel('Last name').fill('Hopper')
  await page.getByLabel('Email').fill('grace@example.org')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password', { exact: true }).fill(confirmPassword)
  await page.getByRole('button', { name: 'Sign Up' }).click()
}

async function expectToast(page: Page, title: string, description: string) {
  await expect(page.getByText(title, { exact: true })).toBeVisible()
  await expect(page.getByText(description, { exact: true })).toBeVisible()
}

test('a wrong password and an unknown email address get the same message', async ({
  app,
  errors,
  page,
}) => {
  errors.expect(/401 \(Unauthorized\).*\/api\/auth\/login$/)
  const person = await makePerson(app)
  await page.goto('/login')
  for (const email of [person.email, 'nobody@example.org']) {
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill('wrong horse')
    await page.getByRole('button', { name: 'Sign In' }).click()
    await expectToast(page, 'Login failed', 'Invalid email or password. Please try again.')
    // Only the toast explains the error, but the field is marked as invalid and has the focus.
    const field = page.getByLabel('Password', { exact: true })
    await expect(field).toBeFocused()
    await expect(field).toHaveAttribute('aria-invalid', 'true')
    await expect(field).toHaveAccessibleDescription('')
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await expect(page.getByText('Login failed')).toBeHidden()
  }
  await expect(page).toHaveURL('/login')
})

async function logInWithWrongPassword(page: Page, email: string) {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill('wrong horse')
  await page.getByRole('button', { name: 'Sign In' }).click()
}

test('after too many attempts, the login says how long to wait', async ({ errors, page }) => {
  errors.expect(/429 \(Too Many Requests\).*\/api\/auth\/login$/)
  const app = await serveApp(await createDatabase(getPostgresUrl(), 'migrated'), {
    env: { RATE_LIMITS: 'on' },
  })
  try {
    const credentials = { email: 'shut@example.org', password: 'a guess' }
    const loginPromises = Array.from({ length: 10 }, () =>
      makeClient(app).post('/api/auth/login', credentials),
    )
    await Promise.all(loginPromises)
    await page.goto(`${app.url}/login`)
    await logInWithWrongPassword(page, credentials.email)
    await expectToast(
      page,
      'Login failed',
      'Too many attempts. Please wait 15 minutes and try again.',
    )
  } finally {
    await app.close()
  }
})

test('signup can show passwords, explains errors and keeps the input', async ({ errors, page }) => {
  await page.clock.install()
  await page.goto('/signup')
  await expect(page.getByText('Must be at least 6 characters long')).toBeVisible()
  for (const [label, name] of [
    ['Password', 'password'],
    ['Confirm password', 'confirm password'],
  ] as const) {
    const field = page.getByLabel(label, { exact: true })
    await field.fill('correct horse')
    await expect(field).toHaveAttribute('type', 'password')
    await page.getByRole('button', { name: `Show ${name}`, exact: true }).click()
    await expect(field).toHaveAttribute('type', 'text')
    await expect(field).toHaveValue('correct horse')
    await page.getByRole('button', { name: `Hide ${name}`, exact: true }).click()
    await expect(field).toHaveAttribute('type', 'password')
  }

  await fillSignup(page, 'correct horse', 'correct house')
  await expectToast(page, 'Password mismatch', 'Passwords do not match. Please try again.')
  await expect(page.getByLabel('Confirm password', { exact: true })).toBeFocused()

  await fillSignup(page, 'horse', 'horse')
  await expectToast(page, 'Password too short', 'Password must be at least 6 characters long.')
  await expect(page.getByLabel('First name')).toHaveValue('Grace')

  await page.getByLabel('First name').fill(' ')
  await page.getByRole('button', { name: 'Sign Up' }).click()
  await expect(page.getByText('Please fill in this field.')).toBeVisible()
  await expect(page.getByLabel('First name')).toBeFocused()

  errors.expect(/409 \(Conflict\).*\/api\/auth\/signup$/)
  // Signup redirects at once if verification isn't required, so this works with the clock paused.
  await page.clock.pauseAt(Date.now() + 60 * 60_000)
  await fillSignup(page, 'correct horse', 'correct horse')
  await expect(page).toHaveURL('/login')
  await page.clock.resume()
  // The toast disappears, but this text remains even after a reload.
  await page.reload()
  await expect(page.getByText('Your account is ready. Sign in with the password')).toBeVisible()
  await expect(page.getByLabel('Email')).toHaveValue('grace@example.org')
  await expect(page.getByText('No account yet?')).toBeHidden()
  await page.goto('/signup')
  await fillSignup(page, 'correct horse', 'correct horse')
  await expectToast(page, 'Signup failed', 'An account with this email already exists.')
})

test('logging out ends the session in every tab, and unknown paths return 404', async ({
  app,
  context,
  errors,
  page,
}) => {
  errors.expect(/404 \(Not Found\).*\/admin\/nothing$/)
  const person = await makePerson(app)
  await openDashboard(page, app, person)
  expect((await page.goto('/admin/nothing'))?.status()).toBe(404)
  await expect(
    page.getByRole('heading', { name: 'There is nothing at this address' }),
  ).toBeVisible()
  await page.getByRole('link', { name: 'Go to the start page' }).click()
  await expect(page.getByRole('heading', { name: 'Welcome back, Ada' })).toBeVisible()
  const cookieHeader = (await context.cookies())
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ')
  const stolenClient = makeClient(app, cookieHeader)
  expect((await stolenClient.fetch('/api/auth/user')).status).toBe(200)

  const logoutRequestPromise = page.waitForRequest('**/api/logout')
  await page.getByRole('button', { name: 'Log out' }).click()
  await logoutRequestPromise
  await expect(page.getByRole('link', { name: 'Get Started' })).toBeVisible()
  await expect(page).toHaveURL('/')
  expect((await stolenClient.fetch('/api/auth/user')).status).toBe(401)
  await page.goBack()
  await expect(page.getByRole('link', { name: 'Get Started' })).toBeVisible()
  await expect(page.getByText(person.email)).toBeHidden()
})

test('a visitor can sign in or sign up, and sees no user data', async ({ app, errors, page }) => {
  await page.goto('/')
  await expect(page.getByRole('link', { name: 'Sign In' })).toBeVisible()
  await page.getByRole('link', { name: 'Get Started' }).click()
  await expect(page).toHaveURL('/login')
  await expect(page.getByRole('button', { name: 'Sign In' })).toBeVisible()
  // This server has no Google sign-in.
  await expect(page.getByRole('link', { name: /Google/ })).toBeHidden()
  await page.getByRole('link', { name: 'Sign up' }).first().click()
  await expect(page).toHaveURL('/signup')
  await expect(page.getByRole('button', { name: 'Sign Up' })).toBeVisible()
  await expect(page.getByRole('link', { name: /Google/ })).toBeHidden()
  await page.getByRole('link', { name: 'Sign in', exact: true }).click()
  await expect(page).toHaveURL('/login')
  await page.getByRole('link', { name: 'Mayfly, home' }).click()
  await expect(page).toHaveURL('/')
  // A visitor who chooses the trial is reminded of it at signup, and is offered it after signing
  // in.
  await page.getByRole('link', { name: 'Start with 30 days free' }).click()
  await expect(
    page.getByText(/^Premium, free for 30 days: unlimited files, 1GB each/),
  ).toBeVisible()
  await page.getByRole('link', { name: 'Sign in', exact: true }).click()
  await expect(page).toHaveURL('/login?next=%2F%3Ftrial%3Doffer')
  await page.getByRole('link', { name: 'Mayfly, home' }).click()
  await expect(page).toHaveURL('/')
  await page.goto('/?tab=files')
  await expect(page.getByRole('link', { name: 'Get Started' })).toBeVisible()

  const visitor = makeClient(app)
  for (const path of ['/api/auth/user', '/api/files']) {
    const response = await visitor.fetch(path)
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({ message: 'Unauthorized', code: 'UNAUTHORIZED' })
  }

  errors.expect(/404 \(Not Found\).*\/no\/such\/page$/)
  expect((await page.goto('/no/such/page'))?.status()).toBe(404)
  await expect(
    page.getByRole('heading', { name: 'There is nothing at this address' }),
  ).toBeVisible()
  errors.expect(/404 \(Not Found\).*\/s\/nosuchcode$/)
  expect((await page.goto('/s/nosuchcode'))?.status()).toBe(404)
  await expect(page.getByRole('heading', { name: 'Invalid download link' })).toBeVisible()
})
