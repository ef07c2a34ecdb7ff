import { makePerson } from '../support/make.ts'
import { dropFiles, fileRow, openDashboard } from './support/dashboard.ts'
import { largeFile } from './support/files.ts'
import { expect, isConfirm, sentSince, storedPuts, test } from './support/network.ts'
import { recordTexts } from './support/shown-texts.ts'
import { codeOf, expectUpload, sha256OfLink, uploadsPanel } from './support/uploads.ts'

test('1 GB goes up in parts, is told of all the way, and comes down as it was', async ({
  app,
  folder,
  network,
  page,
  visitor,
}) => {
  const film = await largeFile(folder, 'film.mkv')
  const person = await makePerson(app, { tier: 'premium' })
  await openDashboard(page, app, person)
  await expect(uploadsPanel(page)).toBeHidden()
  const shown = await recordTexts(page)
  network.hold(isConfirm)
  await dropFiles(page, [film.path])
  await expectUpload(page, film.name, 'Uploading')
  await expect.poll(() => shown).toContain('Finalizing film.mkv...')
  network.open()
  await expectUpload(page, film.name, 'Completed')
  const percents = shown.flatMap(
    (text) => /^Uploading film\.mkv\.\.\. (\d+)%$/.exec(text)?.[1] ?? [],
  )
  expect(percents).not.toEqual([])
  expect(percents).toEqual(percents.toSorted((a, b) => Number(a) - Number(b)))
  await expect.poll(() => shown).toContain('film.mkv uploaded successfully!')
  expect(storedPuts(network)).toBe(128)
  expect(sentSince(network)).toBe(film.size)

  await expect(fileRow(page, film.name)).toBeVisible()
  const code = await codeOf(page, film.name)
  expect(await sha256OfLink(app.url, code)).toBe(film.sha256)
  const reader = await visitor()
  await reader.goto(`/s/${code}`)
  await expect(reader.getByText(film.sha256)).toBeAttached()

  await uploadsPanel(page).getByRole('button', { name: 'Clear' }).click()
  await expect(uploadsPanel(page)).toBeHidden()
})
