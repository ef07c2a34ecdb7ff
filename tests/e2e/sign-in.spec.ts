import { makeClient, makePerson } from '../support/make.ts'
import { signIn } from './support/dashboard.ts'
import { expect, test } from './support/test.ts'

test('a visitor finds the login, the signup and the trial', async ({ errors, page }) => {
  await page.goto('/')
  await page.getByRole('link', { name: 'Get Started' }).click()
  await expect(page).toHaveURL('/login')
  // This server has no Google sign-in.
  await expect(page.getByRole('link', { name: /Google/ })).toBeHidden()
  await page.getByRole('link', { name: 'Mayfly, home' }).click()
  await expect(page).toHaveURL('/')
  // A visitor who chooses the trial is reminded of it at signup, and is offered it after signing
  // in.
  await page.getByRole('link', { name: 'Start with 30 days free' }).click()
  await expect(
    page.getByText(/^Premium, free for 30 days: unlimited files, 1GB each/),
  ).toBeVisible()

  const passwordField = page.getByLabel('Password', { exact: true })
  await passwordField.fill('correct horse')
  await expect(passwordField).toHaveAttribute('type', 'password')
  await page.getByRole('button', { name: 'Show password', exact: true }).click()
  await expect(passwordField).toHaveAttribute('type', 'text')
  await expect(passwordField).toHaveValue('correct horse')
  await page.getByRole('button', { name: 'Hide password', exact: true }).click()
  await expect(passwordField).toHaveAttribute('type', 'password')
  await page.getByRole('link', { name: 'Sign in', exact: true }).click()
  await expect(page).toHaveURL('/login?next=%2F%3Ftrial%3Doffer')

  errors.expect(/404 \(Not Found\).*\/admin\/nothing$/)
  expect((await page.goto('/admin/nothing'))?.status()).toBe(404)
  await page.getByRole('link', { name: 'Go to the start page' }).click()
  await expect(page.getByRole('link', { name: 'Get Started' })).toBeVisible()
})

test('the dashboard greets before its scripts load; logging out ends the session', async ({
  app,
  context,
  page,
}) => {
  const person = await makePerson(app)
  const loading = Promise.withResolvers<void>()
  await page.route('**/assets/index-*.js', async (route) => {
    await loading.promise
    await route.continue()
  })
  await signIn(page, app, person)
  await page.goto('/', { waitUntil: 'commit' })
  await expect(page.getByRole('heading', { name: /^Welcome back, / })).toBeVisible()
  await expect(page.locator('#content')).toBeHidden()
  loading.resolve()
  await expect(page.getByRole('button', { name: 'Choose files' })).toBeVisible()
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
