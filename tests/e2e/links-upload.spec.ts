import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import type { Link } from '../../src/shared/contract/links.ts'
import { json, makePerson, type Person } from '../support/make.ts'
import { dropFiles, fileRow, openDashboard } from './support/dashboard.ts'
import { writeRandomFile, writeSparseFile } from './support/files.ts'
import { expect, isPut, test } from './support/network.ts'

const fileCount = 30

async function listLinks(person: Person): Promise<Link[]> {
  return json<Link[]>(await person.fetch('/api/links'))
}

function choice(page: Page, name: 'One link' | 'A link each') {
  return page.getByRole('radio', { name })
}

test('a folder becomes one link, which is copied before it is complete', async ({
  app,
  context,
  folder,
  network,
  page,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const tripFolder = join(folder, 'trip')
  await mkdir(tripFolder)
  for (let index = 0; index < fileCount; index += 1) {
    await writeRandomFile(tripFolder, `photo-${index}.raw`, 1000)
  }
  const person = await makePerson(app, { tier: 'premium' })
  await openDashboard(page, app, person)
  await page.getByRole('button', { name: /^Title, message/ }).click()
  await page.getByLabel('Title').fill('Trip')
  await page.getByRole('radio', { name: '7 days' }).click()
  let putCount = 0
  network.stall((exchange) => {
    if (isPut(exchange)) putCount += 1
    return isPut(exchange) && putCount > fileCount / 2
  })
  await dropFiles(page, [tripFolder])

  await page.getByRole('button', { name: 'Copy link', exact: true }).click()
  await expect(page.getByText('You can send this link now.')).toBeVisible()
  const copiedLink = await page.evaluate(() => navigator.clipboard.readText())
  const [link] = await listLinks(person)
  expect(copiedLink).toBe(`${app.url}/s/${link?.shortCode}`)
  expect(link).toMatchObject({ title: 'Trip', state: 'uploading' })

  network.restore()
  await expect
    .poll(() => listLinks(person))
    .toMatchObject([{ shortCode: link?.shortCode, state: 'ready' }])
  const [readyLink] = await listLinks(person)
  expect(readyLink?.files).toHaveLength(fileCount)
  await expect(fileRow(page, 'Trip').getByText('7 days left')).toBeVisible()
})

test('on a phone, files within the limit share a link, and a link each is remembered', async ({
  app,
  folder,
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const person = await makePerson(app)
  const paths = [
    (await writeRandomFile(folder, 'one.txt', 1000)).path,
    await writeSparseFile(folder, 'disk.img', 500 * 1024 ** 2 + 1),
    (await writeRandomFile(folder, 'two.txt', 1000)).path,
  ]
  await openDashboard(page, app, person)
  await expect(choice(page, 'One link')).toBeChecked()
  await page.getByLabel('Files to upload').setInputFiles(paths)
  await expect(page.getByRole('list', { name: 'Not uploaded' })).toContainText('disk.img')
  await expect.poll(() => listLinks(person)).toMatchObject([{ state: 'ready' }])
  expect((await listLinks(person))[0]?.files.map(({ name }) => name)).toEqual([
    'one.txt',
    'two.txt',
  ])

  await choice(page, 'A link each').click()
  await page.reload()
  await expect(choice(page, 'A link each')).toBeChecked()
})
