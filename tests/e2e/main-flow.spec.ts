import type { Page } from '@playwright/test'
import { dropFiles, fileRow } from './support/dashboard.ts'
import { type DiskFile, hashFile, writeRandomFile } from './support/files.ts'
import { expect, isConfirm, isPut, test } from './support/network.ts'
import { recordShownTexts } from './support/shown-texts.ts'
import { expectUpload } from './support/uploads.ts'

const password = 'correct horse'

async function signUpAndLogIn(page: Page) {
  await page.goto('/')
  await page.getByRole('link', { name: 'Sign Up' }).click()
  await page.getByLabel('First name').fill('Ada')
  await page.getByLabel('Last name').fill('Lovelace')
  await page.getByLabel('Email').fill('ada@example.org')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign Up' }).click()

  await expect(page.getByText('Account created successfully!')).toBeVisible()
  await expect(page).toHaveURL('/login')
  await expect(page.getByLabel('Email')).toHaveValue('ada@example.org')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign In' }).click()
  await expect(page.getByText('Welcome back!')).toBeVisible()
  await expect(
    page.locator('#content').getByRole('heading', { name: 'Welcome back, Ada' }),
  ).toBeVisible()
}

async function copyLink(page: Page, file: DiskFile): Promise<string> {
  await fileRow(page, file.name).getByRole('button', { name: 'Copy' }).click()
  await expect(fileRow(page, file.name).getByRole('button', { name: 'Copied' })).toBeVisible()
  await expect(page.getByText('Link copied')).toBeVisible()
  return page.evaluate(() => navigator.clipboard.readText())
}

async function download(page: Page): Promise<{ name: string; sha256: string }> {
  const downloadPromise = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download File' }).click()
  const savedDownload = await downloadPromise
  return {
    name: savedDownload.suggestedFilename(),
    sha256: await hashFile(await savedDownload.path()),
  }
}

test('sign up, log in, drop three files, share their links, download, delete', async ({
  app,
  context,
  folder,
  network,
  errors,
  page,
  visitor,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const videoFile = await writeRandomFile(folder, 'film.mkv', 51 * 1024 * 1024)
  const photoFile = await writeRandomFile(folder, 'Photo of Zoë – final.png', 123_457)
  const emptyFile = await writeRandomFile(folder, 'empty.txt', 0)
  // Spec §5: long dashes in a name become hyphens before the upload.
  photoFile.name = 'Photo of Zoë - final.png'
  await signUpAndLogIn(page)

  const shownTexts = await recordShownTexts(page)
  // On a slow machine, the progress may first be painted after the last byte is sent, so hold back
  // the last parts until a percentage has been shown.
  let putCount = 0
  network.stall((exchange) => {
    if (isPut(exchange)) putCount += 1
    return isPut(exchange) && putCount > 3
  })
  await dropFiles(page, [videoFile.path])
  await expect
    .poll(() => shownTexts.some((text) => /^Uploading film\.mkv\.\.\. [1-9]/.test(text)))
    .toBe(true)
  network.restore()
  network.stall(isConfirm)
  await expect.poll(() => shownTexts).toContain('Finalizing film.mkv...')
  network.restore()
  await expectUpload(page, videoFile.name, 'Completed')
  await expect.poll(() => shownTexts).toContain('film.mkv uploaded successfully!')
  await page.getByRole('radio', { name: 'A link each' }).click()
  await dropFiles(page, [photoFile.path, emptyFile.path])
  await expect(page.getByText('Upload completed successfully!').last()).toBeVisible()
  await expect(fileRow(page, emptyFile.name)).toBeVisible()
  const percents = shownTexts.flatMap(
    (text) => /^Uploading film\.mkv\.\.\. (\d+)%$/.exec(text)?.[1] ?? [],
  )
  expect(percents).toEqual(percents.toSorted((a, b) => Number(a) - Number(b)))
  for (const { name } of [photoFile, emptyFile]) {
    await expect.poll(() => shownTexts).toContain(`${name} uploaded successfully`)
  }
  await expect.poll(() => shownTexts).toContain('Upload Complete')
  // The page hides the result after 2 s.
  await expect(page.getByRole('progressbar', { name: 'Overall progress' })).toBeHidden()
  await expect(page.getByText('3 active links')).toBeVisible()

  const linksByFile = new Map<DiskFile, string>()
  for (const file of [videoFile, photoFile, emptyFile])
    linksByFile.set(file, await copyLink(page, file))
  expect(new Set(linksByFile.values()).size).toBe(3)

  const visitorPage = await visitor()
  for (const [file, link, size, kind] of [
    [videoFile, linksByFile.get(videoFile), '51 MB', 'Video'],
    [photoFile, linksByFile.get(photoFile), '120.6 KB', 'Image'],
    [emptyFile, linksByFile.get(emptyFile), '0 Bytes', 'Document'],
  ] as const) {
    expect(link).toMatch(new RegExp(`^${app.url}/s/[\\w-]{10}$`))
    await visitorPage.goto(link ?? '')
    await expect(visitorPage.getByRole('heading', { level: 1 })).toHaveText(file.name)
    await expect(visitorPage.getByText(`${size} · ${kind}`)).toBeVisible()
    await expect(visitorPage.getByText('3 days left')).toBeVisible()
    expect(await download(visitorPage)).toEqual({ name: file.name, sha256: file.sha256 })
  }

  // Each download counts once. Opening the page doesn't count.
  await page.reload()
  for (const file of [videoFile, photoFile, emptyFile]) {
    const downloadsButton = fileRow(page, file.name).getByRole('button', { name: /^1 download,/ })
    await expect(downloadsButton).toHaveText('1')
  }

  await fileRow(page, videoFile.name).getByRole('button', { name: 'Delete film.mkv' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Delete film.mkv?' })
  await expect(dialog).toContainText('This action cannot be undone.')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('File deleted')).toBeVisible()
  await expect(fileRow(page, videoFile.name)).toBeHidden()

  const link = linksByFile.get(videoFile) ?? ''
  const code = new URL(link).pathname.split('/').at(-1)
  errors.expect(new RegExp(`404 \\(Not Found\\).*${code}`))
  expect((await visitorPage.goto(link))?.status()).toBe(404)
  await expect(visitorPage.getByRole('heading', { name: 'Invalid download link' })).toBeVisible()
})
