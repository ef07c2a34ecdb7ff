import { readFile } from 'node:fs/promises'
import { makeLink, sendFile, startLink } from '../support/links.ts'
import { makeClient, makePerson } from '../support/make.ts'
import { fileRow, openDashboard } from './support/dashboard.ts'
import { confirmByKeyboard, tabTo } from './support/keyboard.ts'
import { expect, test } from './support/test.ts'

const names = ['minutes.pdf', 'agenda.txt', 'photo.png']
const linkFiles = names.map((name) => ({ name, bytes: new Uint8Array(1000) }))

test('a link completes itself in the list, unfolds, loses a file and is edited, by keyboard', async ({
  app,
  page,
}) => {
  const person = await makePerson(app)
  const { link, uploads } = await startLink(person, linkFiles)
  const press = (key: string) => page.keyboard.press(key)
  const send = async (index: number) => {
    const file = linkFiles[index]
    if (file) await sendFile(person, uploads[index], file)
  }
  await send(0)
  await openDashboard(page, app, person)
  const row = fileRow(page, 'minutes.pdf and 2 more')
  await expect(row.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '33')
  await send(1)
  await send(2)
  await expect(row.getByText('3 days left')).toBeVisible()

  const unfold = row.getByRole('button', { name: '3 files of minutes.pdf and 2 more' })
  await tabTo(page, unfold)
  await press('Enter')
  await expect(unfold).toHaveAttribute('aria-expanded', 'true')
  await tabTo(page, page.getByRole('button', { name: 'Delete minutes.pdf', exact: true }))
  await press('Enter')
  const question = page.getByRole('alertdialog', { name: 'Delete minutes.pdf?' })
  await expect(question).toContainText('It is removed from the link')
  await confirmByKeyboard(page, question)
  const rest = fileRow(page, 'agenda.txt and 1 more')
  await expect(rest).toBeVisible()
  await expect(question).toBeHidden()

  await tabTo(page, rest.getByRole('button', { name: /^More for link of / }))
  await press('Enter')
  const edit = page.getByRole('menuitem', { name: 'Edit link' })
  await expect(page.getByRole('menu')).toBeFocused()
  await press('End')
  await expect(edit).toBeFocused()
  await press('Enter')
  await tabTo(page, page.getByRole('dialog').getByLabel('Title'))
  await page.keyboard.type('Board meeting')
  await tabTo(page, page.getByRole('switch', { name: 'Password' }))
  await press('Space')
  await tabTo(page, page.getByRole('textbox', { name: 'Password for downloads' }))
  await page.keyboard.type('secret')
  await tabTo(page, page.getByLabel('Download limit'))
  await page.keyboard.type('5')
  await press('Enter')
  const changed = fileRow(page, 'Board meeting')
  await expect(changed).toContainText('Password')
  await expect(changed).toContainText('5 of 5 downloads left')
  await expect(page.getByRole('dialog', { name: /^Edit / })).toBeHidden()
  const { status } = await makeClient(app).fetch(`/api/download/${link.shortCode}`)
  expect(status).toBe(401)
})

test('a QR code is shown and downloaded as PNG and SVG', async ({ app, page }) => {
  const person = await makePerson(app)
  const shortCode = await makeLink(person, linkFiles)
  await openDashboard(page, app, person)
  await page.getByRole('button', { name: /^More for link of / }).click()
  await page.getByRole('menuitem', { name: 'QR code' }).click()
  const url = `${app.url}/s/${shortCode}`
  const image = page.getByRole('img', { name: `QR code of ${url}` })
  await expect
    .poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth))
    .toBeGreaterThan(0)
  const download = async (name: string) => {
    const pending = page.waitForEvent('download')
    await page.getByRole('link', { name }).click()
    const file = await pending
    return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) }
  }
  const png = await download('Download PNG')
  expect(png.name).toBe(`mayfly-${shortCode}.png`)
  expect(png.bytes.subarray(1, 4).toString()).toBe('PNG')
  const svg = await download('Download SVG')
  expect(svg.name).toBe(`mayfly-${shortCode}.svg`)
  expect(svg.bytes.toString()).toMatch(/^<svg /)
})

test('a link with a thousand files unfolds', async ({ app, page }) => {
  const person = await makePerson(app, { tier: 'premium' })
  const files = Array.from({ length: 1000 }, (_, n) => ({
    name: `${n + 1}.txt`,
    bytes: new Uint8Array(1),
  }))
  await startLink(person, files)
  await openDashboard(page, app, person)
  await page.getByRole('button', { name: '1,000 files of 1.txt and 999 more' }).click()
  await expect(page.getByRole('button', { name: 'Delete 1.txt', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Delete 1000.txt' }).scrollIntoViewIfNeeded()
  await expect(page.getByRole('button', { name: 'Delete 1000.txt' })).toBeInViewport()
})
