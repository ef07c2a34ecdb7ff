import { serveApp } from '../support/app-server.ts'
import { type GoogleApp, serveGoogleApp } from '../support/google-server.ts'
import { makePerson } from '../support/make.ts'
import { createDatabase } from '../support/postgres-server.ts'
import { openDashboard } from './support/dashboard.ts'
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
  await expect(
    page.locator('#content').getByRole('heading', { name: 'Welcome back, Grace' }),
  ).toBeVisible()
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

test('linking Google requires the password, and Google can be unlinked', async ({
  google,
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

  // Google's errors are shown on the account page.
  google.issuer.person = null
  await pressOn(page, signInMethods.getByRole('button', { name: 'Add Google' }))
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

test('an account without a password is deleted after signing in with Google again', async ({
  google,
  errors,
  page,
}) => {
  errors.expect(/403 \(Forbidden\).*\/api\/auth\/user$/)
  const { app, issuer } = google
  issuer.person = grace
  await page.goto('/login?next=%2Faccount')
  await pressOn(page, page.getByRole('link', { name: 'Sign in with Google' }))
  const dialog = page.getByRole('dialog', { name: 'Delete account' })
  const openDialog = () =>
    pressOn(page, page.getByRole('button', { name: 'Delete account', exact: true }))
  const continueLink = dialog.getByRole('link', { name: 'Continue with Google' })
  const deleteButton = dialog.getByRole('button', { name: 'Delete account' })

  // The same browser may be signed in to Google as somebody else.
  await openDialog()
  issuer.person = { ...grace, sub: 'hedy', email: 'hedy@example.org' }
  await page.context().clearCookies({ domain: new URL(issuer.url).hostname, name: /^(?!mayfly)/ })
  await pressOn(page, continueLink)
  await expect(page.getByText(/^Google signed you in to another account/)).toBeVisible()
  await expect(dialog).toBeHidden()
  await expect(page).toHaveURL('/account')

  issuer.person = grace
  await page.context().clearCookies()
  await page.goto('/login?next=%2Faccount')
  await pressOn(page, page.getByRole('link', { name: 'Sign in with Google' }))
  await openDialog()
  await expect(deleteButton).toBeHidden()
  await pressOn(page, continueLink)
  await expect(dialog).toContainText('(grace@example.org) and everything in it')
  await expect(page).toHaveURL('/account')
  // Too long ago.
  app.clock.advance(5 * 60_000)
  await pressOn(page, deleteButton)
  await expect(page.getByText('Please sign in with Google again to confirm this.')).toBeVisible()
  await pressOn(page, continueLink)
  await pressOn(page, deleteButton)
  await expect(page).toHaveURL('/')
  await expect(page.getByText('Your account and everything in it have been deleted.')).toBeVisible()
})
