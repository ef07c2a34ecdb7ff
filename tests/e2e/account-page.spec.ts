import type { Page } from '@playwright/test'
import { json, logIn, makeClient, makeFile, makePerson } from '../support/make.ts'
import { chooseFiles, fileRow, fillLogin, openDashboard } from './support/dashboard.ts'
import { writeRandomFile } from './support/files.ts'
import { pressOn, typeInto } from './support/keyboard.ts'
import { recordShownTexts } from './support/shown-texts.ts'
import { expect, test } from './support/test.ts'

function section(page: Page, name: string) {
  return page.getByRole('region', { name, exact: true })
}

test('the account page works by keyboard: name, password, ending a session', async ({
  app,
  errors,
  page,
}) => {
  errors.expect(/400 \(Bad Request\).*\/api\/auth\/change-password$/)
  const person = await makePerson(app)
  await makeFile(person, { bytes: new Uint8Array(2048) })
  const firstClient = makeClient(app, await logIn(app, person.email, person.password))
  await openDashboard(page, app, person)
  const { keyboard } = page
  const fillField = (label: string, text: string) =>
    typeInto(page, page.getByLabel(label, { exact: true }), text)
  await pressOn(page, page.getByRole('link', { name: 'Account' }))
  await expect(page.getByRole('heading', { name: 'Account', exact: true })).toBeFocused()
  await expect(section(page, 'Ways to sign in').getByRole('listitem')).toHaveText(
    /^PasswordSet on /,
  )

  await fillField('First name', 'Grace')
  await fillField('Last name', 'Hopper')
  await keyboard.press('Enter')
  await expect(page.getByText('Name saved')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Account' })).toContainText('GH')
  expect(await json(await firstClient.fetch('/api/auth/user'))).toMatchObject({
    name: 'Grace Hopper',
  })

  await fillField('Current password', 'not this one')
  await fillField('New password', 'a new password')
  await fillField('Confirm new password', 'a new password')
  await keyboard.press('Enter')
  await expect(page.getByText('The current password is incorrect.')).toBeVisible()
  await expect(page.getByLabel('Current password', { exact: true })).toBeFocused()
  expect((await firstClient.fetch('/api/auth/user')).status).toBe(200)
  await fillField('Current password', person.password)
  await keyboard.press('Enter')
  await expect(page.getByText('Password changed', { exact: true })).toBeVisible()
  expect((await firstClient.fetch('/api/auth/user')).status).toBe(401)

  const otherClient = makeClient(app, await logIn(app, person.email, 'a new password'))
  await page.reload()
  const sessionsSection = section(page, 'Sessions')
  await expect(sessionsSection.getByRole('listitem')).toHaveCount(2)
  await expect(sessionsSection.getByRole('listitem').first()).toContainText('This session')
  await pressOn(page, sessionsSection.getByRole('button', { name: 'Sign out Unknown browser' }))
  await expect(sessionsSection.getByText('You are signed in only here.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Sessions' })).toBeFocused()
  expect((await otherClient.fetch('/api/auth/user')).status).toBe(401)

  await expect(section(page, 'Tier and storage')).toContainText(
    'TierFreeFiles1Stored2 KBActive links1',
  )
})

test('a session ended elsewhere redirects to the login and back', async ({
  app,
  errors,
  page,
  visitor,
}) => {
  errors.expect(/401 \(Unauthorized\).*\/api\/links/)
  const person = await makePerson(app)
  await makeFile(person, { name: 'notes.txt' })
  await openDashboard(page, app, person)
  await page.getByRole('tab', { name: 'My Files' }).click()
  await expect(fileRow(page, 'notes.txt')).toBeVisible()

  // The account page redirects a signed-out visitor to the login page, which leads back after
  // signing in.
  const phonePage = await visitor()
  await phonePage.goto('/account')
  await expect(phonePage).toHaveURL('/login?next=%2Faccount')
  await fillLogin(phonePage, person)
  await expect(phonePage).toHaveURL('/account')
  await expect(phonePage.getByText('Welcome back!')).toBeVisible()
  await pressOn(phonePage, phonePage.getByRole('button', { name: 'Sign out everywhere' }))
  await expect(phonePage.getByText('Signed out everywhere else.')).toBeVisible()
  await expect(phonePage.getByRole('listitem').filter({ hasText: 'This session' })).toBeVisible()
  await expect(phonePage.getByText('You are signed in only here.')).toBeVisible()

  const shownTexts = await recordShownTexts(page)
  const loginRequestPromise = page.waitForRequest('**/api/login?next=*')
  await page.getByRole('tab', { name: 'Upload' }).click()
  await page.getByRole('tab', { name: 'My Files' }).click()
  await loginRequestPromise
  await expect.poll(() => shownTexts).toContain('You are logged out. Logging in again...')
  await expect(page).toHaveURL('/login?next=%2F%3Ftab%3Dfiles')
  await fillLogin(page, person)
  await expect(page).toHaveURL('/?tab=files')
  await expect(fileRow(page, 'notes.txt')).toBeVisible()
})

test('the account is deleted with the password, while an upload runs', async ({
  app,
  errors,
  folder,
  page,
}) => {
  errors.expect(/400 \(Bad Request\).*\/api\/auth\/user$/)
  // The browser aborts its upload, although the session has ended. The login fails at the end.
  errors.allow(/401 \(Unauthorized\).*\/api\/(files\/abort-upload|auth\/login)$/)
  await page.setViewportSize({ width: 390, height: 844 })
  const person = await makePerson(app)
  const file = await makeFile(person, { bytes: new Uint8Array(2048) })
  await openDashboard(page, app, person)
  await page.route('**/storage/**', () => undefined)
  const { path } = await writeRandomFile(folder, 'rough-cut.mov', 1024)
  await chooseFiles(page, [path])
  await expect(page.getByRole('progressbar', { name: 'Overall progress' })).toBeVisible()

  await pressOn(page, page.getByRole('link', { name: 'Account' }))
  await pressOn(page, page.getByRole('button', { name: 'Delete account' }))
  const dialog = page.getByRole('dialog', { name: 'Delete account' })
  await expect(dialog).toContainText(person.email)
  await expect(dialog.getByRole('listitem').first()).toHaveText(
    '1 file (2 KB) and 1 active link, and uploads under way',
  )
  const passwordField = dialog.getByLabel('Your password', { exact: true })
  await expect(passwordField).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('Please fill in this field.')).toBeVisible()
  await typeInto(page, passwordField, 'not this one')
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('This is not your password.')).toBeVisible()
  await expect(passwordField).toBeFocused()
  await typeInto(page, passwordField, person.password)
  await page.keyboard.press('Enter')

  const note = page.getByText('Your account and everything in it have been deleted.')
  await expect(note).toBeFocused()
  await expect(page).toHaveURL('/')
  await expect(note).toBeVisible()
  await page.reload()
  await expect(note).toBeHidden()
  await expect(page.getByRole('link', { name: 'Sign In' })).toBeVisible()
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain('rough-cut')
  expect((await page.context().cookies()).map(({ name }) => name)).not.toContain(
    'mayfly.session_token',
  )
  expect((await makeClient(app).fetch(`/api/download/${file.shortCode}`)).status).toBe(404)
  const [receipt] = await app.sendQueuedEmails()
  expect(receipt?.content.text).toContain('1 file, all links and requests')
  await page.goto('/login')
  await fillLogin(page, person)
  await expect(page.getByText('Invalid email or password. Please try again.')).toBeVisible()
})

test("the administrator's account page doesn't offer deletion", async ({ app, page }) => {
  await openDashboard(page, app, await makePerson(app, { role: 'admin' }))
  await page.goto('/account')
  await expect(section(page, 'Tier and storage')).toBeVisible()
  await expect(section(page, 'Delete account')).toBeHidden()
})
