import { makeFile, makePerson } from '../support/make.ts'
import { chooseFiles, openDashboard } from './support/dashboard.ts'
import { writeRandomFile } from './support/files.ts'
import { pressOn } from './support/keyboard.ts'
import { connectionErrorPattern, expect, isConfirm, stallAfter, test } from './support/network.ts'
import { expectUpload, pressCancel, uploadItem, uploadsPanel } from './support/uploads.ts'

const mebibyte = 1024 ** 2

test("a download page shows the visitor's own uploads, and loads no panel code for others", async ({
  app,
  context,
  videoFile,
  network,
  errors,
  page,
  visitor,
}) => {
  errors.allow(connectionErrorPattern)
  const person = await makePerson(app, { tier: 'premium' })
  const { shortCode } = await makeFile(person)
  await openDashboard(page, app, person)
  await stallAfter(network, 10 * mebibyte, () => chooseFiles(page, [videoFile.path]))

  const link = await context.newPage()
  await link.goto(`/s/${shortCode}`)
  const collapsedPanel = uploadsPanel(link)
  await expect(collapsedPanel.getByRole('button', { expanded: false })).toBeVisible()
  expect((await collapsedPanel.boundingBox())?.width).toBeLessThan(300)
  expect((await collapsedPanel.boundingBox())?.height).toBeLessThan(60)
  await expectUpload(link, videoFile.name, 'Uploading')
  await expect(link.getByRole('link', { name: 'Download File' })).toBeInViewport()
  await pressCancel(link, videoFile.name)
  await expect(uploadsPanel(link)).toBeHidden()
  await expect(uploadsPanel(page)).toBeHidden()
  network.restore()

  const visitorPage = await visitor()
  const requestedPaths: string[] = []
  visitorPage.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname))
  await visitorPage.goto(`/s/${shortCode}`)
  await expect(visitorPage.getByRole('button', { name: 'Switch to dark theme' })).toBeVisible()
  expect(requestedPaths.filter((path) => /\.(js|css)$/.test(path))).toEqual([
    expect.stringMatching(/^\/assets\/enhance-[\w-]+\.js$/),
  ])
})

test('the panel opens for active uploads, closes when they complete, and can be cleared', async ({
  app,
  folder,
  network,
  page,
}) => {
  const videoFile = await writeRandomFile(folder, 'film.mkv', 51 * mebibyte)
  await openDashboard(page, app, await makePerson(app, { tier: 'premium' }))
  const panel = uploadsPanel(page)
  const uploadList = panel.getByRole('list')
  network.stall(isConfirm)
  await chooseFiles(page, [videoFile.path])
  await expect(uploadList).toBeVisible()
  await uploadItem(page, videoFile.name).getByRole('button', { name: 'Cancel' }).focus()
  network.restore()

  const toggleButton = panel.getByRole('button', { name: '1 file uploaded' })
  await expect(toggleButton).toHaveAttribute('aria-expanded', 'false')
  await expect(uploadList).toBeHidden()
  // The list had the focus. When it was hidden, the focus moved to this button.
  await expect(toggleButton).toBeFocused()
  await expect(page.locator('.uploads-spoken[role=status]')).toHaveText('1 file uploaded')

  await pressOn(page, toggleButton)
  await expect(uploadItem(page, videoFile.name).getByText('100%')).toBeVisible()
  await page.reload()
  await expect(toggleButton).toHaveAttribute('aria-expanded', 'false')
  await pressOn(page, panel.getByRole('button', { name: 'Clear' }))
  await expect(panel).toBeHidden()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Recent Files' })).toBeVisible()
  await expect(panel).toBeHidden()
})
