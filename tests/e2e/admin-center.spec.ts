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
  const getAdminPaths = () =>
    requestedPaths.filter((path) => /admin-center|\/api\/admin\//.test(path))

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
  expect(getAdminPaths()).toEqual([])
  await page.getByRole('link', { name: 'Go to Dashboard' }).click()
  await expect(
    page.locator('#content').getByRole('heading', { name: /^Welcome back, / }),
  ).toBeVisible()

  await page.context().clearCookies()
  await openDashboard(page, app, admin)
  shownTexts.length = 0
  await page.getByRole('link', { name: /^Admin\b/ }).click()
  await expect(page.getByRole('heading', { name: 'Admin Center', level: 1 })).toBeFocused()
  await expect(section(page, 'Numbers')).toContainText('Users2')
  for (const text of ['Access Denied', 'Admin Access Required'])
    expect(shownTexts).not.toContain(text)
  expect(getAdminPaths().length).toBeGreaterThan(0)
  await page.getByRole('link', { name: 'Back to Dashboard' }).click()
  await expect(page).toHaveURL('/')
})

test('the administrator adds, finds, upgrades and deletes users', async ({ app, page }) => {
  const grace = await makePerson(app)
  await app.deps.db
    .update(users)
    .set({ name: 'Grace Hopper', email: 'grace@navy.example' })
    .where(eq(users.id, grace.id))
  await makeFile(grace)
  await openAdminCenter(page, app)
  const usersSection = section(page, 'Users')
  const numbersSection = section(page, 'Numbers')
  await expect(usersSection.getByRole('status')).toHaveText('2 users')

  await usersSection.getByRole('button', { name: 'Add user' }).click()
  const form = page.getByRole('dialog', { name: 'Add user' })
  await form.getByLabel('First name').fill('Anita')
  await form.getByLabel('Last name').fill('Borg')
  await form.getByLabel('Email').fill('anita@navy.example')
  await form.getByLabel('Password', { exact: true }).fill('correct horse')
  await page.keyboard.press('Enter')
  await expect(form).toBeHidden()
  await expect(usersSection.getByRole('button', { name: 'Add user' })).toBeFocused()
  await expect(usersSection.getByRole('listitem').filter({ hasText: 'Anita Borg' })).toBeVisible()
  await expect(numbersSection).toContainText('Users3Premium users0')

  const searchField = usersSection.getByRole('searchbox')
  await searchField.fill('HOPPER')
  const row = usersSection.getByRole('listitem')
  await expect(usersSection.getByRole('status')).toHaveText('1 found')
  await expect(row).toHaveCount(1)
  await expect(row).toContainText('Grace Hopper')
  await expect(row).toContainText('1 file')

  await row.getByRole('button', { name: 'Make Premium: Grace Hopper' }).click()
  await expect(page.getByText('Grace Hopper is Premium now')).toBeVisible()
  await expect(row.getByRole('button', { name: 'Make Free: Grace Hopper' })).toBeVisible()
  await expect(numbersSection).toContainText('Premium users1')
  const makeFreeButton = row.getByRole('button', { name: 'Make Free: Grace Hopper' })
  await makeFreeButton.press('Enter')
  const downgradeDialog = page.getByRole('alertdialog', { name: 'Make Free: Grace Hopper' })
  await expect(downgradeDialog).toContainText(
    'Files of this user whose links have ended are deleted',
  )
  await downgradeDialog.getByRole('button', { name: 'Make Free' }).click()
  await expect(page.getByText('Grace Hopper is Free now')).toBeVisible()
  await expect(row.getByRole('button', { name: 'Make Premium: Grace Hopper' })).toBeVisible()
  await expect(numbersSection).toContainText('Premium users0')

  const deleteButton = row.getByRole('button', { name: 'Delete Grace Hopper' })
  await deleteButton.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Delete Grace Hopper' })
  await expect(dialog).toContainText('1 file with its link is deleted with this account')
  await expect(dialog).toContainText('as well as its 1 open session, uploads under way')
  await expect(dialog.getByRole('textbox')).toBeFocused()
  await page.keyboard.type('anita@navy.example')
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('This does not match the address above.')).toBeVisible()
  await dialog.getByRole('textbox').fill('Grace@navy.example')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Grace Hopper was deleted')).toBeVisible()
  await expect(page.getByText('1 file deleted with the account.')).toBeVisible()
  await expect(usersSection.getByRole('heading', { name: 'Users' })).toBeFocused()
  await expect(usersSection.getByText('Nobody found')).toBeVisible()
  await expect(numbersSection).toContainText('Users2Premium users0Files0')

  await usersSection.getByRole('button', { name: 'Clear search' }).last().click()
  const adminRow = usersSection.getByRole('listitem').filter({ hasText: 'Lovelace' })
  await expect(adminRow.getByRole('button', { name: /^Delete / })).toBeDisabled()
  const auditLog = section(page, 'Audit log')
  await expect(auditLog.getByRole('listitem').first()).toContainText('grace@navy.example')
})

test('a new price shows on the upgrade card and in the audit log; signature and feedback email are editable', async ({
  app,
  page,
}) => {
  const grace = { name: 'Grace', email: 'grace@navy.example', category: 'bug' as const }
  await app.deps.db
    .insert(feedback)
    .values({ ...grace, message: 'It rattles.', isSuspect: false, createdAt: app.clock() })
  await openAdminCenter(page, app)
  const settingsSection = section(page, 'Settings')
  const priceField = settingsSection.getByRole('spinbutton', { name: 'Premium price' })
  await expect(priceField).toHaveValue('8')
  await priceField.fill('9.5')
  await settingsSection.getByRole('button', { name: 'Save premium price' }).click()
  await expect(settingsSection.getByText('Saved. It was $8.')).toBeVisible()
  await settingsSection.getByRole('textbox', { name: 'App version' }).fill('v1.0')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('contentinfo')).toContainText('v1.0')
  await settingsSection.getByRole('textbox', { name: 'Email signature' }).fill('Yours,\nMayfly')
  await settingsSection.getByRole('button', { name: 'Save email signature' }).click()
  await expect(settingsSection.getByText('Saved.', { exact: true })).toBeVisible()

  const feedbackSection = section(page, 'Feedback')
  await expect(feedbackSection.getByRole('listitem')).toContainText('It rattles.')
  const deleteButton = feedbackSection.getByRole('button', {
    name: 'Delete the feedback from Grace',
  })
  await deleteButton.press('Enter')
  const dialog = page.getByRole('alertdialog', { name: 'Delete the feedback from Grace?' })
  await expect(dialog).toContainText('It is deleted permanently.')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('Feedback deleted')).toBeVisible()
  await expect(feedbackSection.getByText('No feedback yet')).toBeVisible()

  const auditLog = section(page, 'Audit log')
  const entry = auditLog
    .getByRole('listitem')
    .filter({ hasText: 'Premium price: the default to $9.50' })
  await entry.getByRole('button', { name: /^Show details/ }).click()
  await expect(entry).toContainText('"key": "premium_price"')
  await auditLog.getByLabel('Action', { exact: true }).selectOption('Added a user')
  await expect(auditLog.getByText('No entries found')).toBeVisible()
  await auditLog.getByRole('button', { name: 'Clear search' }).click()
  await expect(auditLog.getByRole('listitem')).toHaveCount(4)
  // The browser may cache the price for 5 minutes, but the administrator must see the new one at
  // once.
  await page.getByRole('link', { name: 'Back to Dashboard' }).click()
  await page.getByRole('tab', { name: 'File Manager' }).click()
  await expect(page.getByRole('region', { name: 'Upgrade to Premium' })).toContainText(
    '$9.50 per month',
  )
})
