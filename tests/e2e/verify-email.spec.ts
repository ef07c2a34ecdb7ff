import type { Page } from '@playwright/test'
import { serveApp, type TestApp } from '../support/app-server.ts'
import { createDatabase } from '../support/postgres-server.ts'
import { makeAddress, password, withVerification } from '../support/signup.ts'
import { pressOn, typeInto } from './support/keyboard.ts'
import { getPostgresUrl } from './support/run.ts'
import { test as base, expect } from './support/test.ts'

/** A server that requires verified email addresses. */
const test = base.extend<{ app: TestApp }>({
  app: async ({}, use) => {
    const database = await createDatabase(getPostgresUrl(), 'migrated')
    const app = await serveApp(database, { env: withVerification })
    await use(app)
    await app.close()
  },
})

async function readLinks(app: TestApp): Promise<string[]> {
  return (await app.sendQueuedEmails()).map(
    ({ content }) => /https?:\S+\/verify-email\S+/.exec(content.text)?.[0] ?? '',
  )
}

async function fillSignup(page: Page, email: string) {
  await typeInto(page, page.getByLabel('First name'), 'Grace')
  await typeInto(page, page.getByLabel('Last name'), 'Hopper')
  await typeInto(page, page.getByRole('textbox', { name: 'Email' }), email)
  await typeInto(page, page.getByLabel('Password', { exact: true }), password)
  await typeInto(page, page.getByLabel('Confirm password', { exact: true }), password)
  await pressOn(page, page.getByRole('button', { name: 'Sign Up' }))
}

async function signIn(page: Page) {
  await typeInto(page, page.getByLabel('Password', { exact: true }), password)
  await page.keyboard.press('Enter')
}

test('signing up works by keyboard up to the dashboard, even with a second email', async ({
  app,
  errors,
  page,
}) => {
  const email = makeAddress()
  await page.clock.install()
  await page.goto('/signup')
  await expect(page.getByRole('button', { name: 'Sign Up' })).toBeVisible()
  // From now on only the test advances the clock.
  await page.clock.pauseAt(Date.now() + 60 * 60_000)
  await fillSignup(page, email)
  const createdMessage = page.getByText('Account created successfully!')
  await expect(createdMessage).toBeVisible()
  await expect(
    page.getByText(/^Open the link in the email, then sign in\. This server doesn't send email/),
  ).toBeVisible()
  await page.clock.runFor(2900)
  await expect(page).toHaveURL('/signup')
  await page.clock.runFor(200)
  await expect(page).toHaveURL('/login')
  await page.clock.runFor(6500)
  await expect(createdMessage).toBeVisible()
  await page.clock.runFor(1000)
  await expect(createdMessage).toBeHidden()
  await page.clock.resume()
  // The toast has disappeared, but the instructions remain.
  await expect(page.getByText('Open the link within 24 hours, then sign in')).toBeVisible()

  errors.expect(/403 \(Forbidden\).*\/api\/auth\/login$/)
  await expect(page.getByRole('textbox', { name: 'Email' })).toHaveValue(email)
  await signIn(page)
  await expect(page.getByText('Please verify your email address first.')).toBeVisible()
  await pressOn(page, page.getByRole('button', { name: 'Send the email again' }))
  await expect(page.getByText('Verification email written again')).toBeVisible()

  const [firstLink, secondLink] = await readLinks(app)
  expect(firstLink).not.toBe(secondLink)
  await page.goto(secondLink ?? '')
  await expect(page.getByText('Email verified!')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Email verified' })).toBeVisible()
  await expect(page).toHaveURL('/verify-email')
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Email verified' })).toBeVisible()

  await pressOn(page, page.getByRole('link', { name: 'Go to Login' }))
  await typeInto(page, page.getByRole('textbox', { name: 'Email' }), email)
  await signIn(page)
  await expect(
    page.locator('#content').getByRole('heading', { name: 'Welcome back, Grace' }),
  ).toBeVisible()
})
