import { devices } from '@playwright/test'
import { makePerson } from '../support/make.ts'
import { fileRow, openDashboard } from './support/dashboard.ts'
import { writeRandomFile } from './support/files.ts'
import { connectionErrorPattern, expect, stallAfter, test } from './support/network.ts'
import { recordShownTexts } from './support/shown-texts.ts'
import { expectUpload, uploadItem, uploadsPanel } from './support/uploads.ts'

const mebibyte = 1024 ** 2

test('on a phone every upload goes to the panel, which fits 390 px', async ({
  app,
  folder,
  errors,
  network,
  visitor,
}) => {
  errors.allow(connectionErrorPattern)
  const { userAgent, isMobile, hasTouch, deviceScaleFactor } = devices['Pixel 7'] ?? {}
  const phoneOptions = {
    isMobile,
    hasTouch,
    deviceScaleFactor,
    viewport: { width: 390, height: 844 },
  }
  const page = await visitor({ ...phoneOptions, ...(userAgent && { userAgent }) } as object)
  // The photo is larger than the connection's buffers, so a stall keeps its upload in progress.
  const photoFile = await writeRandomFile(folder, 'photo.jpg', 20 * mebibyte)
  const noteFile = await writeRandomFile(folder, 'note.txt', 1000)
  await openDashboard(page, app, await makePerson(app))
  // The page must not mention actions that aren't possible on a phone.
  await expect(page.getByRole('heading', { name: 'Choose what to upload' })).toBeVisible()
  await expect(page.getByText('Upload a file. It gets a short link')).toBeVisible()
  for (const actionPattern of [/drop/i, /pasting/]) {
    await expect(
      page.getByRole('main').getByText(actionPattern).filter({ visible: true }),
    ).toHaveCount(0)
  }
  const shownTexts = await recordShownTexts(page)

  // On a phone, the file input opens the system dialog, which offers the camera and the gallery.
  // The browser's file picker offers neither.
  expect(await page.evaluate(() => 'showOpenFilePicker' in window)).toBe(true)
  await stallAfter(network, mebibyte, async () => {
    const chooserPromise = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose files' }).tap()
    await (await chooserPromise).setFiles([photoFile.path, noteFile.path])
  })
  // Spec §4: on mobile, uploads of any size run in the background.
  const panel = uploadsPanel(page)
  await expect(panel).toBeVisible()
  const box = await panel.boundingBox()
  expect(box?.x).toBeGreaterThanOrEqual(0)
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390)
  const measureOverflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(await measureOverflow()).toBeLessThanOrEqual(0)

  const toggleButton = panel.getByRole('button', { expanded: false })
  await toggleButton.tap()
  await expectUpload(page, photoFile.name, 'Uploading')
  await expectUpload(page, noteFile.name, 'Pending')
  expect(await measureOverflow()).toBeLessThanOrEqual(0)
  await uploadItem(page, noteFile.name)
    .getByRole('button', { name: `Cancel ${noteFile.name}` })
    .tap()
  await expect(uploadItem(page, noteFile.name)).toBeHidden()
  network.restore()

  await expectUpload(page, photoFile.name, 'Completed')
  await expect.poll(() => shownTexts).toContain('photo.jpg uploaded successfully!')
  await expect(fileRow(page, photoFile.name)).toBeAttached()
  await panel.getByRole('button', { name: 'Clear' }).tap()
  await expect(panel).toBeHidden()
})
