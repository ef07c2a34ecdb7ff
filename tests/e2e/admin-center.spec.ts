import { makePerson } from '../support/make.ts'
import { section } from './support/admin.ts'
import { fillLogin, openDashboard } from './support/dashboard.ts'
import { recordTexts } from './support/shown-texts.ts'
import { expect, test } from './support/test.ts'

test('only the administrator gets in: others read what they need, and load no code of it', async ({
  app,
  page,
}) => {
  const admin = await makePerson(app, { role: 'admin' })
  const user = await makePerson(app)
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname))
  const shown = await recordTexts(page)
  const ofAdmin = () => loaded.filter((path) => /admin-center|\/api\/admin\//.test(path))

  await page.goto('/admin')
  await expect(page.getByRole('heading', { name: 'Access Denied' })).toBeVisible()
  expect(shown).not.toContain('Admin Access Required')
  await page.getByRole('main').getByRole('link', { name: 'Sign In' }).click()
  await expect(page).toHaveURL('/login?next=%2Fadmin')
  shown.length = 0
  await fillLogin(page, user)
  await expect(page.getByRole('heading', { name: 'Admin Access Required' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Admin', exact: true })).toBeHidden()
  for (const text of ['Admin Center', 'Access Denied']) expect(shown).not.toContain(text)
  expect(ofAdmin()).toEqual([])
  await page.getByRole('link', { name: 'Go to Dashboard' }).click()
  await expect(page.getByRole('heading', { name: /^Welcome back, / })).toBeVisible()

  await page.context().clearCookies()
  await openDashboard(page, app, admin)
  shown.length = 0
  await page.getByRole('link', { name: 'Admin', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Admin Center', level: 1 })).toBeFocused()
  await expect(section(page, 'Numbers')).toContainText('Users2')
  await page.reload()
  await expect(section(page, 'Numbers')).toContainText('Users2')
  for (const text of ['Access Denied', 'Admin Access Required']) expect(shown).not.toContain(text)
  expect(ofAdmin().length).toBeGreaterThan(0)
  await page.getByRole('link', { name: 'Back to Dashboard' }).click()
  await expect(page).toHaveURL('/')
})
