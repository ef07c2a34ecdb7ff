import { makeFile, makePerson } from '../support/make.ts'
import { chooseFiles, openDashboard, reloadAndConfirm } from './support/dashboard.ts'
import { writeRandomFile } from './support/files.ts'
import {
  connectionErrorPattern,
  countSentBytes,
  expect,
  isConfirm,
  reloadWhileStalled,
  stallAfter,
  test,
} from './support/network.ts'
import { recordShownTexts } from './support/shown-texts.ts'
import {
  expectUpload,
  hashDownload,
  pressCancel,
  readShortCode,
  uploadsPanel,
} from './support/uploads.ts'

const mebibyte = 1024 ** 2

test('uploads are paused after a reload, and canceling one frees its slot', async ({
  app,
  videoFile,
  folder,
  errors,
  page,
  network,
}) => {
  errors.allow(connectionErrorPattern)
  const person = await makePerson(app)
  const songFile = await writeRandomFile(folder, 'song.flac', 51 * mebibyte)
  await openDashboard(page, app, person)

  await stallAfter(network, 30 * mebibyte, () => chooseFiles(page, [videoFile.path, songFile.path]))
  await reloadWhileStalled(page, network)
  await expectUpload(page, videoFile.name, 'Paused')
  await expectUpload(page, songFile.name, 'Paused')
  network.restore()
  const shownTexts = await recordShownTexts(page)
  for (const { name } of [videoFile, songFile]) await pressCancel(page, name)
  await expect.poll(() => shownTexts).toContain('Cancelled by user')
  await expect(uploadsPanel(page)).toBeHidden()
  for (const name of ['one', 'two', 'three']) await makeFile(person, { name })
})

test("a reload while finalizing doesn't require choosing the file again", async ({
  app,
  videoFile,
  errors,
  page,
  network,
}) => {
  errors.allow(connectionErrorPattern)
  await openDashboard(page, app, await makePerson(app))
  network.stall(isConfirm)
  await chooseFiles(page, [videoFile.path])
  await expectUpload(page, videoFile.name, 'Finalizing')
  await expect.poll(() => network.exchanges.some(isConfirm)).toBe(true)
  const exchangeCountBefore = network.exchanges.length
  await reloadAndConfirm(page)
  await expectUpload(page, videoFile.name, 'Paused')
  network.restore()
  await expectUpload(page, videoFile.name, 'Completed')
  expect(countSentBytes(network, exchangeCountBefore)).toBe(0)
  expect(await hashDownload(app.url, await readShortCode(page, videoFile.name))).toBe(
    videoFile.sha256,
  )
})
