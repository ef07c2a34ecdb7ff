import { eq } from 'drizzle-orm'
import { users } from '../../src/server/db/schema.ts'
import { serveApp } from '../support/app-server.ts'
import { type GoogleApp, serveGoogleApp } from '../support/google-server.ts'
import { makeFile, makePerson } from '../support/make.ts'
import { createDatabase } from '../support/postgres-server.ts'
import { fileRow, openDashboard } from './support/dashboard.ts'
import { pressOn, typeInto } from './support/keyboard.ts'
import { getPostgresUrl } from './support/run.ts'
import { test as base, expect } from './support/test.ts'

/** A server whose Google sign-in uses a local issuer. */
const test = base.extend<{ google: GoogleApp }>({
  google: async ({}, use) => {
    const google = await serveGoogleApp(async (options) =>
      serveApp(await createDatabase(getPostgresUrl(), 'migrated'), options),
    )
    await use(google)
    await google.close()
  },
  baseURL: async ({ google }, use) => use(google.app.url),
})

const grace = {
  sub: 'grace',
  email: 'grace@example.org',
  email_verified: true,
  given_name: 'Grace',
  family_name: 'Hopper',
}

/** A one-pixel profile picture. */
const pictureBytes = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

test('a first sign-in with Google creates an account with the Google picture', async ({
  google,
  errors,
  page,
}) => {
  const pictureUrl = `${google.issuer.url.replace('http:', 'https:')}/grace.png`
  google.issuer.person = { ...grace, picture: pictureUrl }
  const referrers: (string | undefined)[] = []
  let isDown = false
  await page.route(pictureUrl, (route) => {
    referrers.push(route.request().headers().referer)
    return isDown ? route.abort() : route.fulfill({ contentType: 'image/png', body: pictureBytes })
  })

  await page.goto('/login?next=%2F%3Ftab%3Dfiles')
  await pressOn(page, page.getByRole('link', { name: 'Sign in with Google' }))
  await expect(page.getByRole('heading', { name: 'Welcome back, Grace' })).toBeVisible()
  await expect(page).toHaveURL('/?tab=files')
  const avatar = page.getByRole('banner').locator('img')
  await expect(avatar).toHaveAttribute('src', pictureUrl)
  expect(referrers).toEqual([undefined])

  isDown = true
  errors.expect(/ERR_FAILED/)
  await page.reload()
  await expect(page.getByRole('banner').getByText('GH')).toBeVisible()
  await expect(avatar).toBeHidden()

  // Google is the only sign-in method, so it can't be removed. The user can set a password by
  // email.
  await pressOn(page, page.getByRole('link', { name: 'Account' }))
  const signInMethods = page.getByRole('region', { name: 'Ways to sign in' })
  const removeButton = signInMethods.getByRole('button', { name: 'Remove Google' })
  await expect(removeButton).toBeDisabled()
  await expect(removeButton).toHaveAccessibleDescription(/^Google is the only way in/)
  await pressOn(page, page.getByRole('button', { name: 'Send the email' }))
  await expect(page.getByText('Password reset email sent', { exact: true })).toBeVisible()
})

test('Google signs in to an existing account, even from the signup page', async ({
  google,
  page,
}) => {
  const { app } = google
  const person = await makePerson(app)
  await app.deps.db.update(users).set({ emailVerified: true }).where(eq(users.email, person.email))
  await makeFile(person, { name: 'notes.txt' })
  google.issuer.person = { ...grace, email: person.email }

  await page.goto('/signup')
  await pressOn(page, page.getByRole('link', { name: 'Sign up with Google' }))
  await expect(page.getByRole('heading', { name: 'Welcome back, Ada' })).toBeVisible()
  await expect(fileRow(page, 'notes.txt')).toBeVisible()
})

test('linking Google requires the password, and Google can be unlinked', async ({
  google,
  errors,
  page,
}) => {
  const { app } = google
  const person = await makePerson(app)
  await openDashboard(page, app, person)
  await pressOn(page, page.getByRole('link', { name: 'Account' }))
  const signInMethods = page.getByRole('region', { name: 'Ways to sign in' })
  const dialog = page.getByRole('dialog', { name: 'Add Google' })
  const addGoogle = async (password: string) => {
    await typeInto(page, dialog.getByLabel('Your password', { exact: true }), password)
    await pressOn(page, dialog.getByRole('button', { name: 'Go to Google' }))
  }

  // A wrong password is rejected before the browser is sent to Google. Google's errors are shown on
  // the account page.
  errors.expect(/400 \(Bad Request\).*\/api\/auth\/user\/ways\/google$/)
  google.issuer.person = null
  await pressOn(page, signInMethods.getByRole('button', { name: 'Add Google' }))
  await addGoogle('not this one')
  await expect(dialog.getByText('This is not your password.')).toBeVisible()
  await addGoogle(person.password)
  await expect(page.getByText(/^Google did not let you in/)).toBeVisible()
  await expect(page).toHaveURL('/account')
  await expect(signInMethods.getByRole('listitem').last()).toHaveText(/^GoogleNot added/)

  google.issuer.person = { ...grace, email: person.email }
  await pressOn(page, signInMethods.getByRole('button', { name: 'Add Google' }))
  await addGoogle(person.password)
  await expect(page.getByText('Google added', { exact: true })).toBeVisible()
  await expect(page).toHaveURL('/account')
  await expect(signInMethods.getByRole('listitem')).toHaveText([
    /^PasswordSet on /,
    /^GoogleAdded on /,
  ])

  await pressOn(page, signInMethods.getByRole('button', { name: 'Remove Google' }))
  await pressOn(page, page.getByRole('alertdialog').getByRole('button', { name: 'Remove Google' }))
  await expect(page.getByText('Google removed', { exact: true })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Ways to sign in' })).toBeFocused()
  await expect(signInMethods.getByRole('listitem').last()).toHaveText(/^GoogleNot added/)
})

test('a sign-in that fails at Google ends on the login page with advice', async ({
  google,
  page,
}) => {
  const person = await makePerson(google.app)
  google.issuer.person = null
  await page.goto('/login?next=%2F%3Ftab%3Dfiles')
  await pressOn(page, page.getByRole('link', { name: 'Sign in with Google' }))
  await expect(page.getByRole('alert')).toHaveText(
    'Google did not let you in, because the sign-in was cancelled. Try again, or sign in with your password.',
  )
  await expect(page).toHaveURL('/login?fault=google-denied&next=%2F%3Ftab%3Dfiles')
  await expect(page.getByRole('link', { name: 'Sign in with Google' })).toHaveAttribute(
    'href',
    '/api/login?next=%2F%3Ftab%3Dfiles',
  )
  await page.goto('/login?fault=Call+0900+666')
  await expect(page.getByRole('button', { name: 'Sign In' })).toBeVisible()
  await expect(page.getByRole('alert')).toBeHidden()

  await typeInto(page, page.getByLabel('Email'), person.email)
  await typeInto(page, page.getByLabel('Password', { exact: true }), person.password)
  await pressOn(page, page.getByRole('button', { name: 'Sign In' }))
  await expect(page.getByRole('heading', { name: 'Welcome back, Ada' })).toBeVisible()

  // The login page normally redirects signed-in users, but not when it has to show an error from
  // Google.
  await page.goto('/login?fault=google-failed')
  await expect(page.getByRole('alert')).toHaveText(/^Something went wrong on our side/)
})
