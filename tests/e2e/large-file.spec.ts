import { initialSignedParts } from '../../src/shared/rules/files/part-plan.ts'
import { makePerson } from '../support/make.ts'
import { dropFiles, openDashboard } from './support/dashboard.ts'
import { writeNumberedFile } from './support/files.ts'
import { expect, test } from './support/test.ts'
import { expectUpload, hashDownload, readShortCode } from './support/uploads.ts'

// The first response has the URLs of 12 parts, and the page requests the others in batches.
const partCount = initialSignedParts + 20

test('a large file is uploaded in parts, each sent once, and downloads unchanged', async ({
  app,
  folder,
  page,
  visitor,
}) => {
  const videoFile = await writeNumberedFile(folder, 'film.mkv', partCount * 8 * 1024 ** 2)
  await openDashboard(page, app, await makePerson(app, { tier: 'premium' }))
  const putStatuses: number[] = []
  page.on('response', (response) => {
    if (response.request().method() === 'PUT') putStatuses.push(response.status())
  })
  await dropFiles(page, [videoFile.path])
  await expectUpload(page, videoFile.name, 'Completed')
  expect(putStatuses).toHaveLength(partCount)
  expect(putStatuses.filter((status) => ![200, 204].includes(status))).toEqual([])

  const code = await readShortCode(page, videoFile.name)
  expect(await hashDownload(app.url, code)).toBe(videoFile.sha256)
  const visitorPage = await visitor()
  await visitorPage.goto(`/s/${code}`)
  await expect(visitorPage.getByText(videoFile.sha256)).toBeAttached()
})
