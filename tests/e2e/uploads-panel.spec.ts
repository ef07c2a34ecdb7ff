import { makeFile, makePerson } from '../support/make.ts'
import { chooseFiles, openDashboard } from './support/dashboard.ts'
import { connectionErrorPattern, expect, stallAfter, test } from './support/network.ts'
import { expectUpload, pressCancel, uploadsPanel } from './support/uploads.ts'

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
  await stallAfter(network, mebibyte, () => chooseFiles(page, [videoFile.path]))

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
