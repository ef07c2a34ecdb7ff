import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { makePerson } from '../support/make.ts'
import { dropFiles, fileRow, openDashboard } from './support/dashboard.ts'
import { writeRandomFile } from './support/files.ts'
import { recordShownTexts } from './support/shown-texts.ts'
import { expect, test } from './support/test.ts'
import { hashDownload, readShortCode } from './support/uploads.ts'

test('each file of a dropped folder gets a link, and all links are copied at once', async ({
  app,
  context,
  folder,
  page,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const tripFolder = join(folder, 'trip')
  await mkdir(join(tripFolder, 'day two'), { recursive: true })
  const files = [
    await writeRandomFile(tripFolder, 'map.pdf', 1000),
    await writeRandomFile(join(tripFolder, 'day two'), 'museum.jpg', 2000),
    await writeRandomFile(join(tripFolder, 'day two'), 'empty.txt', 0),
  ]
  await openDashboard(page, app, await makePerson(app))
  const shownTexts = await recordShownTexts(page)

  await page.getByRole('radio', { name: 'A link each' }).click()
  await dropFiles(page, [tripFolder])
  await expect(page.getByText('Upload completed successfully!').last()).toBeVisible()
  for (const file of files) {
    await expect(fileRow(page, file.name)).toBeVisible()
    expect(await hashDownload(app.url, await readShortCode(page, file.name))).toBe(file.sha256)
    await expect.poll(() => shownTexts).toContain(`${file.name} uploaded successfully`)
  }
  await expect.poll(() => shownTexts).toContain('Upload Complete')
  await page.getByRole('button', { name: 'Copy 3 links' }).click()
  await expect(page.getByText('3 links copied')).toBeVisible()
  const links = (await page.evaluate(() => navigator.clipboard.readText())).split('\n')
  const codes = await Promise.all(files.map(({ name }) => readShortCode(page, name)))
  expect(links.toSorted()).toEqual(codes.map((code) => `${app.url}/s/${code}`).toSorted())
})

test('a pasted image and pasted text become files', async ({ app, context, page }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await openDashboard(page, app, await makePerson(app))
  await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(8, 8)
    canvas.getContext('2d')?.fillRect(0, 0, 4, 4)
    const image = await canvas.convertToBlob({ type: 'image/png' })
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': image })])
  })
  await page.locator('body').press('ControlOrMeta+v')
  await expect(page.getByRole('listitem').filter({ hasText: /\.png/ })).toBeVisible()
  await page.evaluate(() => navigator.clipboard.writeText('Ephemera: they live for a day.'))
  await page.locator('body').press('ControlOrMeta+v')
  await expect(page.getByRole('listitem').filter({ hasText: /\.txt/ })).toBeVisible()
  await expect(page.getByText('2 active links')).toBeVisible()
})
