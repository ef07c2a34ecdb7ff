import { makeFile, makePerson } from '../support/make.ts'
import { chooseFiles, openDashboard } from './support/dashboard.ts'
import { writeRandomFile } from './support/files.ts'
import { pressOn } from './support/keyboard.ts'
import {
  brokenConnection,
  expect,
  isConfirm,
  isStart,
  stallAfter,
  test,
} from './support/network.ts'
import { expectUpload, pressCancel, uploadItem, uploadsPanel } from './support/uploads.ts'

const mebibyte = 1024 ** 2

test('a download page shows the uploads of who opens it, and loads nothing for anybody else', async ({
  app,
  context,
  film,
  network,
  noise,
  page,
  visitor,
}) => {
  noise.allow(brokenConnection)
  const person = await makePerson(app, { tier: 'premium' })
  const { shortCode } = await makeFile(person)
  await openDashboard(page, app, person)
  await stallAfter(network, 10 * mebibyte, () => chooseFiles(page, [film.path]))

  const link = await context.newPage()
  await link.goto(`/s/${shortCode}`)
  // Away from the dashboard the panel is small, whatever it was there.
  const pill = uploadsPanel(link)
  await expect(pill.getByRole('button', { expanded: false })).toBeVisible()
  expect((await pill.boundingBox())?.width).toBeLessThan(300)
  expect((await pill.boundingBox())?.height).toBeLessThan(60)
  await expectUpload(link, film.name, 'Uploading')
  await expect(link.getByRole('link', { name: 'Download File' })).toBeInViewport()
  await pressCancel(link, film.name)
  await expect(uploadsPanel(link)).toBeHidden()
  await expect(uploadsPanel(page)).toBeHidden()
  network.open()

  const stranger = await visitor()
  const loaded: string[] = []
  stranger.on('request', (request) => loaded.push(new URL(request.url()).pathname))
  await stranger.goto(`/s/${shortCode}`)
  await expect(stranger.getByRole('button', { name: 'Switch to dark theme' })).toBeVisible()
  expect(loaded.filter((path) => /\.(js|css)$/.test(path))).toEqual([
    expect.stringMatching(/^\/assets\/enhance-[\w-]+\.js$/),
  ])
})

test('away from the dashboard the panel shows what the dashboard draws itself', async ({
  app,
  context,
  folder,
  network,
  page,
}) => {
  const person = await makePerson(app)
  const { shortCode } = await makeFile(person)
  const photo = await writeRandomFile(folder, 'photo.png', 5 * mebibyte)
  await openDashboard(page, app, person)
  network.hold(isConfirm)
  await chooseFiles(page, [photo.path])
  await expect(page.getByText('Finalizing photo.png...').last()).toBeVisible()
  await expect(uploadsPanel(page)).toBeHidden()

  const link = await context.newPage()
  await link.goto(`/s/${shortCode}`)
  await expectUpload(link, photo.name, 'Finalizing')
  network.open()
  await expectUpload(link, photo.name, 'Completed')
  await expect(uploadsPanel(page)).toBeHidden()
})

test('an upload whose start the server cannot answer says so, and goes on when it gets one', async ({
  app,
  film,
  folder,
  network,
  noise,
  page,
}) => {
  noise.allow(brokenConnection)
  const note = await writeRandomFile(folder, 'note.txt', 1000)
  await openDashboard(page, app, await makePerson(app, { tier: 'premium' }))
  network.answer(503, isStart)
  await chooseFiles(page, [film.path, note.path])

  const panel = uploadsPanel(page)
  await expectUpload(page, film.name, 'Pending')
  await expect(uploadItem(page, film.name)).toContainText(
    '0% · The server is not ready, trying again',
  )
  await expect(panel.getByRole('button', { name: 'Waiting for the server' })).toBeVisible()
  // The upload waits until others are done. That is no failure, so no other try is announced.
  await expect(uploadItem(page, note.name)).not.toContainText('trying again')

  network.open()
  await expectUpload(page, note.name, 'Completed')
  await expect(panel.getByRole('button', { name: '2 files uploaded' })).toBeVisible()
})

test('the panel folds itself 5 s after the last upload completed, and stays open for whoever uses it', async ({
  app,
  folder,
  page,
}) => {
  const film = await writeRandomFile(folder, 'film.mkv', 51 * mebibyte)
  const song = await writeRandomFile(folder, 'song.flac', 51 * mebibyte)
  await page.clock.install()
  await openDashboard(page, app, await makePerson(app, { tier: 'premium' }))
  const panel = uploadsPanel(page)
  const list = panel.getByRole('list')
  const header = (text: string) => panel.getByRole('button', { name: text })

  await chooseFiles(page, [film.path])
  await expect(list).toBeVisible()
  await expect(header('1 file uploaded')).toBeVisible()
  // By this time the page has told screen readers everything.
  await page.clock.fastForward(1500)
  const spoken = page.locator('.uploads-spoken[role=status]')
  const said = (await spoken.textContent()) ?? ''
  await page.clock.fastForward(5000)
  await expect(list).toBeHidden()
  await expect(header('1 file uploaded')).toHaveAttribute('aria-expanded', 'false')
  await expect(spoken).toHaveText(said)
  expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true)

  // The panel had closed by itself. So it opens again for the next upload.
  await chooseFiles(page, [song.path])
  await expect(list).toBeVisible()
  await panel.getByRole('button', { expanded: true }).focus()
  await expect(header('2 files uploaded')).toBeVisible()
  await page.clock.fastForward(60_000)
  await expect(list).toBeVisible()
  await expect(header('2 files uploaded')).toBeFocused()

  // When the page is loaded again, the panel is closed. After a person has opened it, it stays
  // open.
  await page.reload()
  await expect(header('2 files uploaded')).toHaveAttribute('aria-expanded', 'false')
  await header('2 files uploaded').press('Enter')
  await page.clock.fastForward(60_000)
  await expect(list).toBeVisible()
})

test('what is left of uploads is cleared, and whether the panel is open is remembered', async ({
  app,
  folder,
  page,
}) => {
  const film = await writeRandomFile(folder, 'film.mkv', 51 * mebibyte)
  await openDashboard(page, app, await makePerson(app, { tier: 'premium' }))
  await chooseFiles(page, [film.path])
  // While the panel has the focus, it stays open.
  await uploadsPanel(page).getByRole('button', { expanded: true }).focus()
  await expectUpload(page, film.name, 'Completed')
  await expect(uploadItem(page, film.name).getByText('100%')).toBeVisible()

  const toggle = uploadsPanel(page).getByRole('button', { name: '1 file uploaded' })
  await pressOn(page, toggle)
  await expect(toggle).toHaveAttribute('aria-expanded', 'false')
  await expect(uploadItem(page, film.name)).toBeHidden()
  await page.reload()
  await expect(toggle).toHaveAttribute('aria-expanded', 'false')
  await pressOn(page, toggle)
  await expect(uploadItem(page, film.name)).toBeVisible()

  await pressOn(page, uploadsPanel(page).getByRole('button', { name: 'Clear' }))
  await expect(uploadsPanel(page)).toBeHidden()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Recent Files' })).toBeVisible()
  await expect(uploadsPanel(page)).toBeHidden()
})
