import { eq } from 'drizzle-orm'
import { feedback, users } from '../../src/server/db/schema.ts'
import { makeFile, makePerson } from '../support/make.ts'
import { openAdminCenter, section } from './support/admin.ts'
import { fillLogin, openDashboard } from './support/dashboard.ts'
import { recordShownTexts } from './support/shown-texts.ts'
import { expect, test } from './support/test.ts'

test('only the administrator can open the Admin Center; others load none of its code', async ({
  app,
  page,
}) => {
  const admin = await makePerson(app, { role: 'admin' })
  const user = await makePerson(app)
  const requestedPaths: string[] = []
  page.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname))
  const shownTexts = await recordShownTexts(page)
  const adminPaths = () => requestedPaths.filter((path) => /admin-center|\/api\/admin\//.test(path))

  await page.goto('/admin')
  await expect(page.getByRole('heading', { name: 'Access Denied' })).toBeVisible()
  expect(shownTexts).not.toContain('Admin Access Required')
  await page.getByRole('main').getByRole('link', { name: 'Sign In' }).click()
  await expect(page).toHaveURL('/login?next=%2Fadmin')
  shownTexts.length = 0
  await fillLogin(page, user)
  await expect(page.getByRole('heading', { name: 'Admin Access Required' })).toBeVisible()
  await expect(page.getByRole('link', { name: /^Admin\b/ })).toBeHidden()
  for (const text of ['Admin Center', 'Access Denied']) expect(shownTexts).not.toContain(text)
  expect(adminPaths()).toEqual([])
  await page.getByRole('link', { name: 'Go to Dashboard' }).click()
  await expect(page.getByRole('heading', { name: /^Welcome back, / })).toBeVisible()

  await page.context().clearCookies()
  await openDashboard(page, app, admin)
  shownTexts.length = 0
  await page.getByRole('link', { name: /^Admin\b/ }).click()
  await expect(page.getByRole('heading', { name: 'Admin Center', level: 1 })).toBeFocused()
  await expect(section(page, 'Numbers')).toContainText('Users2')
  await page.reload()
  await expect(section(page, 'Numbers')).toContainText('Users2')
  for (const text of ['Access Denied', 'Admin Access Required'])
    expect(shownTexts).not.toContain(text)
  expect(adminPaths().length).toBeGreaterThan(0)
  await page.getByRole('link', { name: 'Back to Dashboard' }).click()
  await expect(page).toHaveURL('/')
})

test('the administrator adds, finds, upgrades and deletes users', async ({ app, errors, page }) => {
  const grace = await makePerson(app)
  await app.deps.db
    .update(users)
    .set({ name: 'Grace Hopper', email: 'grace@navy.example' })
    .where(eq(users.id, grace.id))
  await makeFile(grace)
  await openAdminCenter(page, app)
  const usersSection = section(page, 'Users')
  const numbers = section(page, 'Numbers')
  await expect(usersSection.getByRole('status')).toHaveText('2 users')

  errors.expect(/409 \(Conflict\).*\/api\/admin\/users$/)
  await usersSection.getByRole('button', { name: 'Add user' }).click()
  const form = page.getByRole('dialog', { name: 'Add user' })
  await form.getByLabel('First name').fill('Anita')
  await form.getByLabel('Last name').fill('Borg')
  await form.getByLabel('Email').fill('grace@navy.example')
  await form.getByLabel('Password', { exact: true }).fill('correct horse')
  await form.getByRole('button', { name: 'Add user' }).click()
  await expect(form.getByText('An account with this email already exists.')).toBeVisible()
  await expect(form.getByLabel('Email')).toBeFocused()
  await form.getByLabel('Email').fill('anita@navy.example')
  await page.keyboard.press('Enter')
  await expect(form).toBeHidden()
  await expect(usersSection.getByRole('button', { name: 'Add user' })).toBeFocused()
  await expect(usersSection.getByRole('listitem').filter({ hasText: 'Anita Borg' })).toBeVisible()
  await expect(numbers).toContainText('Users3Premium users0')

  // The response to the first search ('an') arrives after the response to the second ('HOPPER').
  let releaseResponse = () => {}
  const responseReleased = new Promise<void>((resolve) => {
    releaseResponse = resolve
  })
  await page.route('**/api/admin/users?search=an', async (route) => {
    await responseReleased
    await route.continue().catch(() => undefined)
  })
  const slowSearchRequest = page.waitForRequest('**/api/admin/users?search=an')
  const search = usersSection.getByRole('searchbox')
  await search.fill('an')
  await slowSearchRequest
  await search.fill('HOPPER')
  const row = usersSection.getByRole('listitem')
  await expect(usersSection.getByRole('status')).toHaveText('1 found')
  releaseResponse()
  await expect(row).toHaveCount(1)
  await expect(row).toContainText('Grace Hopper')
  await expect(row).toContainText('1 file')

  await row.getByRole('button', { name: 'Make Premium: Grace Hopper' }).click()
  await expect(page.getByText('Grace Hopper is Premium now')).toBeVisible()
  await expect(row.getByRole('button', { name: 'Make Free: Grace Hopper' })).toBeVisible()
  await expect(numbers).toContainText('Premium users1')
  const makeFreeButton = row.getByRole('button', { name: 'Make Free: Grace Hopper' })
  await makeFreeButton.press('Enter')
  const downgrade = page.getByRole('alertdialog', { name: 'Make Free: Grace Hopper' })
  await expect(downgrade).toContainText('Files of this user whose links have ended are deleted')
  await page.keyboard.press('Escape')
  await expect(makeFreeButton).toBeFocused()
  await page.keyboard.press('Enter')
  await downgrade.getByRole('button', { name: 'Make Free' }).click()
  await expect(page.getByText('Grace Hopper is Free now')).toBeVisible()
  await expect(row.getByRole('button', { name: 'Make Premium: Grace Hopper' })).toBeVisible()
  await expect(numbers).toContainText('Premium users0')

  const deleteButton = row.getByRole('button', { name: 'Delete Grace Hopper' })
  await deleteButton.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Delete Grace Hopper' })
  await expect(dialog).toContainText('1 file with its link is deleted with this account')
  await expect(dialog).toContainText('as well as its 1 open session, uploads under way')
  await expect(dialog.getByRole('textbox')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(deleteButton).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.type('anita@navy.example')
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('This does not match the address above.')).toBeVisible()
  await dialog.getByRole('textbox').fill('Grace@navy.example')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Grace Hopper was deleted')).toBeVisible()
  await expect(page.getByText('1 file deleted with the account.')).toBeVisible()
  await expect(usersSection.getByRole('heading', { name: 'Users' })).toBeFocused()
  await expect(usersSection.getByText('Nobody found')).toBeVisible()
  await expect(numbers).toContainText('Users2Premium users0Files0')

  await usersSection.getByRole('button', { name: 'Clear search' }).last().click()
  const adminRow = usersSection.getByRole('listitem').filter({ hasText: 'Lovelace' })
  await expect(adminRow.getByRole('button', { name: /^Delete / })).toBeDisabled()
  const log = section(page, 'Audit log')
  await expect(log.getByRole('listitem').first()).toContainText('grace@navy.example')
})

test('a new price shows on the upgrade card and in the audit log; signature and feedback email are editable', async ({
  app,
  page,
}) => {
  const grace = { name: 'Grace', email: 'grace@navy.example', category: 'bug' as const }
  await app.deps.db
    .insert(feedback)
    .values({ ...grace, message: 'It rattles.', isSuspect: false, createdAt: app.clock() })
  const admin = await openAdminCenter(page, app)
  const settings = section(page, 'Settings')
  const price = settings.getByRole('spinbutton', { name: 'Premium price' })
  await expect(price).toHaveValue('8')
  await price.fill('100')
  await page.keyboard.press('Enter')
  await expect(settings.getByText('The price must be a number from 1 to 99')).toBeVisible()
  await expect(price).toBeFocused()
  await price.fill('9.5')
  await settings.getByRole('button', { name: 'Save premium price' }).click()
  await expect(settings.getByText('Saved. It was $8.')).toBeVisible()
  await settings.getByRole('textbox', { name: 'App version' }).fill('v1.0')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('contentinfo')).toContainText('v1.0')
  await settings.getByRole('textbox', { name: 'Email signature' }).fill('Yours,\nMayfly')
  await settings.getByRole('button', { name: 'Save email signature' }).click()
  await expect(settings.getByText('Saved.', { exact: true })).toBeVisible()

  const received = section(page, 'Feedback')
  await expect(received.getByRole('listitem')).toContainText('It rattles.')
  const remove = received.getByRole('button', { name: 'Delete the feedback from Grace' })
  await remove.press('Enter')
  const dialog = page.getByRole('alertdialog', { name: 'Delete the feedback from Grace?' })
  await expect(dialog).toContainText('It is deleted permanently.')
  await page.keyboard.press('Escape')
  await expect(remove).toBeFocused()
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('Feedback deleted')).toBeVisible()
  await expect(received.getByText('No feedback yet')).toBeVisible()
  await expect(received.getByRole('heading', { name: 'Feedback', exact: true })).toBeFocused()

  const log = section(page, 'Audit log')
  const entry = log.getByRole('listitem').filter({ hasText: 'Premium price: the default to $9.50' })
  await entry.getByRole('button', { name: /^Show details/ }).click()
  await expect(entry).toContainText('"key": "premium_price"')
  await log.getByLabel('Action', { exact: true }).selectOption('Added a user')
  await expect(log.getByText('No entries found')).toBeVisible()
  await log.getByRole('button', { name: 'Clear search' }).click()
  await expect(log.getByRole('listitem')).toHaveCount(4)
  await log.getByRole('searchbox').fill('nobody@example.org')
  await expect(log.getByText('No entries found')).toBeVisible()
  await log.getByRole('searchbox').fill(admin.email)
  await expect(log.getByRole('listitem')).toHaveCount(4)
  // Every entry contains this IP address and was made on the server's current day.
  await log.getByRole('searchbox').fill('127.0.0.1')
  await expect(log.getByRole('listitem')).toHaveCount(4)
  const now = app.clock().getTime()
  const today = await page.evaluate((now) => new Date(now).toLocaleDateString('sv'), now)
  await log.getByLabel('From', { exact: true }).fill(today)
  await log.getByLabel('To', { exact: true }).fill(today)
  await expect(log.getByRole('listitem')).toHaveCount(4)
  await log.getByLabel('From', { exact: true }).fill('2020-01-01')
  await log.getByLabel('To', { exact: true }).fill('2020-01-31')
  await expect(log.getByText('No entries found')).toBeVisible()
  await log.getByRole('button', { name: 'Clear search' }).last().click()
  await expect(log.getByLabel('From', { exact: true })).toHaveValue('')
  await expect(log.getByRole('listitem')).toHaveCount(4)

  // The browser may cache the old price for 5 minutes.
  for (const open of [
    () => page.getByRole('link', { name: 'Back to Dashboard' }).click(),
    () => page.reload(),
  ]) {
    await open()
    await page.getByRole('tab', { name: 'File Manager' }).click()
    await expect(page.getByRole('region', { name: 'Upgrade to Premium' })).toContainText(
      '$9.50 per month',
    )
  }
})
