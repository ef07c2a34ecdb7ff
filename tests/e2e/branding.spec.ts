import { makeFile, makePerson } from '../support/make.ts'
import { makeSolidPng } from '../support/pictures.ts'
import { openDashboard } from './support/dashboard.ts'
import { pressOn, typeInto } from './support/keyboard.ts'
import { expect, test } from './support/test.ts'

test('a brand is set on the account page, shown on link pages without scripts, and removed', async ({
  app,
  errors,
  page,
  visitor,
}) => {
  const person = await makePerson(app, { tier: 'premium' })
  const file = await makeFile(person, { name: 'press-kit.pdf' })
  await openDashboard(page, app, person)
  await page.goto('/account')
  const form = page.getByRole('region', { name: 'Branding' })
  const saveButton = form.getByRole('button', { name: 'Save branding' })
  const preview = form.getByRole('img', { name: /in the dark theme/ })

  await form.getByLabel('Accent color', { exact: true }).fill('red')
  await pressOn(page, saveButton)
  await expect(form.getByText('Please enter a name.')).toBeVisible()
  await expect(form.getByText('Must be a color such as #0b6e63.')).toBeVisible()
  await expect(form.getByLabel('Name', { exact: true })).toBeFocused()

  await typeInto(page, form.getByLabel('Name', { exact: true }), 'Harbour & Pine')
  await typeInto(page, form.getByLabel('Message'), 'For the opening.\nCredit the photographer.')
  await typeInto(page, form.getByLabel('Accent color', { exact: true }), '#1e3a8a')
  await expect(form.getByText('Shown lighter in the dark theme')).toBeVisible()
  await expect(preview.getByText('Download File')).toHaveCSS(
    'background-color',
    'rgb(79, 101, 163)',
  )
  const chooseLogo = (name: string, mimeType: string, buffer: Buffer) =>
    form.getByLabel('Logo', { exact: true }).setInputFiles({ name, mimeType, buffer })

  // The server rejects only the logo. An earlier request has saved the other fields.
  errors.expect(/400 \(Bad Request\).*\/api\/branding\/logo$/)
  await chooseLogo('logo.png', 'image/png', Buffer.from('no PNG'))
  await saveButton.click()
  await expect(page.getByText('This image cannot be read')).toBeVisible()
  await chooseLogo('logo.png', 'image/png', await makeSolidPng({ width: 120, height: 60 }))
  await expect(preview).toContainText('Harbour & Pine')
  await pressOn(page, saveButton)
  await expect(page.getByText('Branding saved')).toBeVisible()

  const link = await visitor({ javaScriptEnabled: false })
  await link.goto(`/s/${file.shortCode}`)
  await expect(link).toHaveTitle('press-kit.pdf · Harbour & Pine')
  await expect(link.getByText('Credit the photographer.')).toBeVisible()
  await expect(link.getByRole('link', { name: 'Download File' })).toHaveCSS(
    'background-color',
    'rgb(30, 58, 138)',
  )
  const logo = link.locator('header img')
  await expect(logo).toHaveJSProperty('naturalWidth', 120)
  await expect(logo).toHaveCSS('height', '36px')

  const removeButton = form.getByRole('button', { name: 'Remove branding' })
  await pressOn(page, removeButton)
  await pressOn(page, page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }))
  await expect(form.getByLabel('Name', { exact: true })).toHaveValue('')
  await expect(form.getByLabel('Name', { exact: true })).toBeFocused()
  await link.reload()
  await expect(link).toHaveTitle('press-kit.pdf · Mayfly')
  await expect(logo).toHaveCount(0)
})
