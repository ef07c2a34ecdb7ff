import { makePerson, signUp } from '../support/make.ts'
import { fileRow, fillLogin, openDashboard } from './support/dashboard.ts'
import { writeRandomFile, writeSparseFile } from './support/files.ts'
import { dropOnLanding, openLanding } from './support/landing.ts'
import { findMainActions } from './support/main-actions.ts'
import { expect, test } from './support/test.ts'
import { hashDownload, readShortCode } from './support/uploads.ts'

const mebibyte = 1024 ** 2

test('the public pages are readable without scripts, and say what needs them', async ({
  errors,
  visitor,
}) => {
  errors.expect(/404 \(Not Found\).*\/nowhere$/)
  const page = await visitor({ javaScriptEnabled: false })
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    'Share files by short links that expire.',
  )
  await expect(page.getByText('$8')).toBeVisible()
  await expect(page.getByText('v0.9.10')).toBeVisible()
  await expect(page.getByText('Uploading needs JavaScript.')).toBeVisible()
  for (const name of [/theme/, 'Choose a file', 'Remove']) {
    await expect(page.getByRole('button', { name })).toBeHidden()
  }
  await page.goto('/nowhere')
  await page.getByRole('link', { name: 'Go to the start page' }).click()
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('link', { name: 'Get Started' })).toBeVisible()
  for (const [path, action] of [
    ['/login', 'Signing in'],
    ['/signup', 'Signing up'],
  ] as const) {
    await page.goto(path)
    const note = page.locator('noscript .note')
    await expect(note).toBeVisible()
    await expect(note).toContainText(`${action} needs JavaScript.`)
    const button = page.getByRole('button', { name: /^Sign (In|Up)$/ })
    await expect(button).toBeDisabled()
    await expect(button).toHaveCSS('opacity', '0.5')
  }
})

test('a login whose script does not arrive shows that it cannot be used', async ({
  errors,
  page,
}) => {
  errors.expect(/ERR_FAILED.*sign-in-script/)
  errors.expect(/sign-in-script.*ERR_FAILED/)
  await page.route(/sign-in-script/, (route) => route.abort())
  await page.goto('/login')
  await expect(page.getByRole('button', { name: 'Sign In' })).toHaveCSS('opacity', '0.5')
})

test('a file dropped by a visitor is kept and uploaded after signup', async ({
  app,
  folder,
  page,
}) => {
  // For a file this large, the browser stores only the handle, not the bytes.
  const file = await writeRandomFile(folder, 'rough-cut.mov', 17 * mebibyte)
  const largeFilePath = await writeSparseFile(folder, 'disk.img', 1024 ** 3 + 1)
  await openLanding(page)
  await dropOnLanding(page, [largeFilePath])
  await expect(page.getByText(/exceeds the limit of 1GB\./)).toBeVisible()
  await dropOnLanding(page, [file.path])

  await expect(page).toHaveURL('/signup')
  await expect(page.getByText('rough-cut.mov is waiting in this browser.')).toBeVisible()
  // The landing page still shows the file that was kept.
  await page.getByRole('link', { name: 'Mayfly, home' }).click()
  await expect(
    page.getByRole('heading', { name: 'rough-cut.mov (17 MB) is waiting' }),
  ).toBeVisible()
  await page.getByRole('link', { name: 'Sign up to send it' }).click()
  await expect(page).toHaveURL('/signup')
  // The signup itself is shown elsewhere.
  await page.goto('/login')
  await fillLogin(page, await signUp(app))

  await expect(
    page.getByRole('heading', { name: 'A file is waiting in this browser' }),
  ).toBeVisible()
  await expect(page.getByText('No files yet')).toBeVisible()
  await expect.poll(() => findMainActions(page)).toEqual(['Upload it'])
  await page.getByRole('button', { name: 'Upload it' }).click()
  await expect(fileRow(page, file.name)).toBeVisible()
  await expect(page.getByRole('heading', { name: /waiting/ })).toBeHidden()
  expect(await hashDownload(app.url, await readShortCode(page, file.name))).toBe(file.sha256)
})

test('files shared from a phone stay in the browser until signup', async ({ app, page }) => {
  const shareFile = (origin: string) =>
    page.evaluate((action) => {
      const form = document.createElement('form')
      Object.assign(form, { method: 'post', action, enctype: 'multipart/form-data' })
      const input = document.createElement('input')
      Object.assign(input, { type: 'file', name: 'files' })
      const files = new DataTransfer()
      files.items.add(new File(['a secret'], 'letter.txt', { type: 'text/plain' }))
      input.files = files.files
      form.append(input)
      document.body.append(form)
      form.submit()
    }, `${origin}/share`)
  await page.goto('/share')
  expect(await page.evaluate(() => navigator.serviceWorker.getRegistrations())).toEqual([])
  // Chromium fires this event after a PWA is installed.
  await page.evaluate(() => dispatchEvent(new Event('appinstalled')))
  await page.evaluate(() => navigator.serviceWorker.ready)

  await page.route('http://elsewhere.example/', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Elsewhere</title>' }),
  )
  await page.goto('http://elsewhere.example/')
  await shareFile(app.url)
  await expect(page.getByRole('heading', { name: 'Please share it again' })).toBeVisible()
  app.logLines.length = 0

  await page.goto('/share')
  await shareFile(app.url)
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('heading', { name: 'letter.txt (8 Bytes) is waiting' })).toBeVisible()
  expect(app.logLines.filter(({ path, method }) => path === '/share' && method === 'POST')).toEqual(
    [],
  )

  await page.getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByRole('heading', { name: 'Drop a file to begin' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('button', { name: 'Remove' })).toBeHidden()
})

test('a signed-in user can open the landing page at /preview and return', async ({ app, page }) => {
  await openDashboard(page, app, await makePerson(app))
  await page.goto('/preview')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    'Share files by short links that expire.',
  )
  await expect(page.getByRole('link', { name: 'Sign In' })).toBeHidden()
  await page.getByRole('link', { name: 'Dashboard' }).click()
  await expect(
    page.locator('#content').getByRole('heading', { name: /^Welcome back, / }),
  ).toBeVisible()
})
