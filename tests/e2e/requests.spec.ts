import type { Page } from '@playwright/test'
import { makeRequest } from '../support/file-requests.ts'
import { makePerson } from '../support/make.ts'
import { openAdminCenter } from './support/admin.ts'
import { dropFiles, fileRow, openDashboard } from './support/dashboard.ts'
import { writeRandomFile } from './support/files.ts'
import {
  connectionErrorPattern,
  expect,
  expectNoWastedPuts,
  reloadWhileStalled,
  stallAfter,
  test,
} from './support/network.ts'

const mebibyte = 1024 ** 2

function chooseFilesToSend(page: Page, paths: string[]): Promise<void> {
  return page.getByLabel('Files to send').setInputFiles(paths)
}

test('a visitor sends files over a broken connection, and the user shares them', async ({
  app,
  errors,
  folder,
  network,
  page,
  visitor,
}) => {
  errors.allow(connectionErrorPattern)
  const person = await makePerson(app)
  await openDashboard(page, app, person)
  await page.getByRole('tab', { name: 'Requests' }).click()
  await page.getByRole('button', { name: 'New request' }).click()
  await page.getByLabel('Title').fill('Photos of the opening')
  await page.getByLabel('Message').fill('Please send the originals.')
  // While the only delivery is on its way, the request takes no other.
  await page.getByLabel('Deliveries').fill('1')
  await page.getByRole('button', { name: 'Create request' }).click()
  await expect(page.getByText('Request created')).toBeVisible()
  const address = await page.getByRole('link', { name: /^\/r\// }).getAttribute('href')

  const sender = await visitor()
  const film = await writeRandomFile(folder, 'film.mkv', 17 * mebibyte)
  const note = await writeRandomFile(folder, 'note.txt', 9)
  await sender.goto(address ?? '')
  await expect(sender.getByText('Ada Lovelace asks you for files')).toBeVisible()
  await expect(sender.getByText('Please send the originals.')).toBeVisible()
  await expect(sender.getByText(person.email)).toBeHidden()
  await chooseFilesToSend(sender, [film.path, note.path])
  await sender.getByLabel('Your name').fill('Grace')
  await stallAfter(network, 9 * mebibyte, () =>
    sender.getByRole('button', { name: 'Send 2 files' }).click(),
  )

  await reloadWhileStalled(sender, network)
  network.restore()
  const uploads = sender.getByRole('region', { name: 'Files being sent' })
  await expect(uploads.getByText('Choose the same file again').first()).toBeVisible()
  await expect(sender.getByText('can’t receive more files')).toBeHidden()

  // What has begun may finish after the request has closed.
  await page.getByRole('button', { name: 'More for Photos of the opening' }).click()
  await page.getByRole('menuitem', { name: 'Close request' }).click()
  await page.getByRole('button', { name: 'Close request' }).click()
  await expect(page.getByText('Request closed', { exact: true })).toBeVisible()
  errors.expect(/404 \(Not Found\)/)
  await sender.reload()
  await expect(sender.getByRole('heading', { name: 'This request is closed' })).toBeVisible()
  await expect(uploads.getByText('Choose the same file again').first()).toBeVisible()
  await dropFiles(sender, [film.path, note.path], uploads.getByRole('heading'))
  await expect(sender.getByRole('heading', { name: 'Sent' })).toBeFocused()
  await expect(sender.getByText('Received: 2 files (17 MB).')).toBeVisible()
  expectNoWastedPuts(network)

  await page.getByRole('tab', { name: 'Upload' }).click()
  await page.getByRole('tab', { name: 'Requests' }).click()
  await page.getByRole('button', { name: '1 received' }).click()
  await expect(page.getByText('From Grace')).toBeVisible()
  const row = fileRow(page, 'film.mkv and 1 more').last()
  await row.getByRole('button', { name: 'Share' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Share' }).click()
  await expect(row.getByRole('button', { name: 'Copy' })).toBeVisible()
  const link = await row.getByRole('link', { name: /^\/s\// }).getAttribute('href')
  await sender.goto(link ?? '')
  await expect(sender.getByRole('link', { name: 'film.mkv' })).toBeVisible()
})

test('a request with a password is unlocked, and takes nothing once it is closed', async ({
  app,
  errors,
  folder,
  page,
  visitor,
}) => {
  const person = await makePerson(app)
  const { code, title } = await makeRequest(person, { password: 'open sesame' })
  const sender = await visitor({ viewport: { width: 390, height: 800 }, hasTouch: true })
  await sender.goto(`/r/${code}`)
  await expect(sender.getByText(title)).toBeHidden()
  errors.expect(/401 \(Unauthorized\)/)
  await sender.getByLabel('Password').fill('open barley')
  await sender.getByRole('button', { name: 'Unlock' }).click()
  await expect(sender.getByText('Wrong password. Please try again.')).toBeVisible()
  await sender.getByLabel('Password').fill('open sesame')
  await sender.getByRole('button', { name: 'Unlock' }).click()
  await expect(sender.getByRole('heading', { name: title })).toBeVisible()

  const note = await writeRandomFile(folder, 'note.txt', 9)
  await chooseFilesToSend(sender, [note.path])
  await sender.getByRole('button', { name: 'Send 1 file' }).click()
  await expect(sender.getByRole('heading', { name: 'Sent' })).toBeVisible()
  await sender.getByRole('button', { name: 'Send more files' }).click()
  await expect(sender.getByRole('button', { name: 'Choose files' })).toBeVisible()

  await openDashboard(page, app, person)
  await page.getByRole('tab', { name: 'Requests' }).click()
  await page.getByRole('button', { name: `More for ${title}` }).click()
  await page.getByRole('menuitem', { name: 'Close request' }).click()
  await page.getByRole('button', { name: 'Close request' }).click()
  await expect(page.getByText('Request closed')).toBeVisible()
  await chooseFilesToSend(sender, [note.path])
  errors.expect(/404 \(Not Found\)/)
  await sender.getByRole('button', { name: 'Send 1 file' }).click()
  const uploads = sender.getByRole('region', { name: 'Files being sent' })
  await expect(uploads.getByText('Request not found or closed')).toBeVisible()
  await expect(sender.getByText('Request not found or closed')).toHaveCount(1)
  errors.expect(/404 \(Not Found\)/)
  await sender.reload()
  await expect(sender.getByRole('heading', { name: 'This request is closed' })).toBeVisible()
})

test('a page without scripts says that sending needs them', async ({ app, visitor }) => {
  const { code, title } = await makeRequest(await makePerson(app))
  const sender = await visitor({ javaScriptEnabled: false })
  await sender.goto(`/r/${code}`)
  await expect(sender.getByRole('heading', { name: title })).toBeVisible()
  await expect(sender.getByText('Sending files needs JavaScript.')).toBeVisible()
})

test('the administrator closes a request and turns requests off', async ({
  app,
  errors,
  page,
  visitor,
}) => {
  const person = await makePerson(app, { tier: 'premium' })
  const closed = await makeRequest(person, { title: 'Passwords, please' })
  const open = await makeRequest(person, { title: 'Plans' })
  await openAdminCenter(page, app)
  await page.getByRole('button', { name: `Close ${closed.title}` }).click()
  await page.getByRole('button', { name: 'Close request' }).click()
  await expect(page.getByText('Request closed', { exact: true })).toBeVisible()
  const choice = page.getByRole('radiogroup', { name: 'Requests' })
  await choice.getByRole('radio', { name: 'Off' }).click()
  await expect(page.getByText('Requests: Off')).toBeVisible()

  errors.allow(/404 \(Not Found\)/)
  const sender = await visitor()
  for (const { code } of [closed, open]) {
    await sender.goto(`/r/${code}`)
    await expect(sender.getByRole('heading', { name: 'This request is closed' })).toBeVisible()
  }
  const owner = await visitor()
  await openDashboard(owner, app, person)
  await expect(owner.getByRole('tab', { name: 'My Files' })).toBeVisible()
  await expect(owner.getByRole('tab', { name: 'Requests' })).toBeHidden()
})
