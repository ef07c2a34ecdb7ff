import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import yauzl from 'yauzl'
import { makeLink, type NewFile, sendFile, startLink } from '../support/links.ts'
import { makePerson, sha256 } from '../support/make.ts'
import { expect, test } from './support/test.ts'

const files: NewFile[] = ['minutes.pdf', 'photo.jpg', 'تقرير.txt'].map((name, index) => ({
  name,
  bytes: new Uint8Array(randomBytes(1000 + index)),
}))

const phone = { width: 390, height: 844 }

/** Clicks a link. Returns the name and the bytes of the file that the browser saves. */
async function download(page: Page, linkName: string | RegExp) {
  const downloadPromise = page.waitForEvent('download')
  await page.getByRole('link', { name: linkName }).click()
  const savedDownload = await downloadPromise
  return {
    name: savedDownload.suggestedFilename(),
    bytes: await readFile(await savedDownload.path()),
  }
}

/** Returns the name and the hash of each file in an archive. */
async function readArchive(bytes: Buffer): Promise<[string, string][]> {
  const archive = await yauzl.fromBufferPromise(bytes)
  const entries: [string, string][] = []
  for await (const entry of archive.eachEntry()) {
    const chunks = await (await archive.openReadStreamPromise(entry)).toArray()
    entries.push([entry.fileName, sha256(Buffer.concat(chunks))])
  }
  return entries
}

test('several files are downloaded together or one by one, also on a phone without scripts', async ({
  app,
  page,
  visitor,
}) => {
  const code = await makeLink(await makePerson(app), files, { title: 'Plans' })
  const phonePage = await visitor({ javaScriptEnabled: false, viewport: phone })
  for (const visitorPage of [page, phonePage]) {
    await visitorPage.goto(`/s/${code}`)
    await expect(visitorPage.getByText('3 files · 2.9 KB')).toBeVisible()
    const archive = await download(visitorPage, 'Download all (2.9 KB)')
    expect(archive.name).toBe('Plans.zip')
    expect(await readArchive(archive.bytes)).toEqual(
      files.map(({ name, bytes }) => [name, sha256(bytes)]),
    )
    const photo = await download(visitorPage, 'photo.jpg')
    expect(photo.name).toBe('photo.jpg')
    expect(sha256(photo.bytes)).toBe(sha256(files[1]?.bytes ?? new Uint8Array()))
  }
})

test('a locked link is shown after its password, on a phone and without scripts', async ({
  app,
  errors,
  visitor,
}) => {
  const code = await makeLink(await makePerson(app), files, { password: 'open sesame' })
  errors.expect(/401 \(Unauthorized\)/)
  for (const javaScriptEnabled of [true, false]) {
    const page = await visitor({ javaScriptEnabled, viewport: phone })
    await page.goto(`/s/${code}`)
    await expect(page.getByRole('heading', { name: 'Protected link' })).toBeVisible()
    await expect(page.getByText('3 days left')).toBeVisible()
    await page.getByLabel('Password').fill('open barley')
    await page.getByRole('button', { name: 'Unlock' }).click()
    await expect(page.getByText('Wrong password. Please try again.')).toBeVisible()
    await page.getByLabel('Password').fill('open sesame')
    await page.getByLabel('Password').press('Enter')
    await expect(page.getByRole('heading', { name: 'minutes.pdf and 2 more' })).toBeVisible()
    expect(page.url()).toBe(`${app.url}/s/${code}`)
    expect(await readArchive((await download(page, /^Download all/)).bytes)).toHaveLength(3)
  }
})

test('a link that is still uploading completes itself on a phone', async ({ app, page }) => {
  await page.setViewportSize(phone)
  const person = await makePerson(app)
  const { link, uploads } = await startLink(person, files)
  await page.clock.install()
  await page.goto(`/s/${link.shortCode}`)
  const allFiles = page.getByRole('button', { name: /^Download all/ })
  await expect(allFiles).toBeDisabled()
  await expect(page.getByText('0 Bytes of 2.9 KB')).toBeVisible()

  const [firstFile, ...otherFiles] = files
  if (!firstFile) throw new Error('Expected a file.')
  await sendFile(person, uploads[0], firstFile)
  await page.clock.runFor(3000)
  const fileLink = page.getByRole('link', { name: firstFile.name })
  await fileLink.focus()
  expect(sha256((await download(page, firstFile.name)).bytes)).toBe(sha256(firstFile.bytes))

  for (let n = 0; n < 6; n += 1) {
    const update = page.waitForResponse(`**/s/${link.shortCode}`)
    await page.clock.runFor(3000)
    await (await update).finished()
  }
  await page.clock.runFor(1000)
  await expect(page.getByText('Waiting for the sender')).toBeVisible()
  await expect(fileLink).toBeFocused()

  for (const [index, file] of otherFiles.entries()) await sendFile(person, uploads[index + 1], file)
  await page.clock.runFor(3000)
  await expect(page.getByRole('link', { name: /^Download all/ })).toBeVisible()
  await expect(page.getByText('Waiting for the sender')).toHaveCount(0)
  await expect(fileLink).toBeFocused()
  const archive = await download(page, /^Download all/)
  expect(await readArchive(archive.bytes)).toHaveLength(3)
})
