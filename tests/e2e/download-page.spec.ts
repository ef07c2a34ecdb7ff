import type { Page } from '@playwright/test'
import { makeFile, makePerson, type Person, sha256 } from '../support/make.ts'
import { hashFile } from './support/files.ts'
import { expect, test } from './support/test.ts'

async function getDownloadCount(person: Person): Promise<number> {
  const [file] = await (await person.fetch('/api/files')).json()
  return file.downloadCount
}

async function download(page: Page) {
  const downloadPromise = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download File' }).click()
  const savedDownload = await downloadPromise
  return {
    name: savedDownload.suggestedFilename(),
    sha256: await hashFile(await savedDownload.path()),
  }
}

test('shows all details and downloads without scripts', async ({ app, visitor }) => {
  const person = await makePerson(app)
  const file = await makeFile(person, { name: 'minutes.pdf', type: 'application/pdf' })
  const page = await visitor({ javaScriptEnabled: false })
  await page.goto(`/s/${file.shortCode}`)
  await expect(page.getByRole('heading', { name: 'minutes.pdf' })).toBeVisible()
  await expect(page.getByText('1000 Bytes · PDF')).toBeVisible()
  await expect(page.getByText('3 days left')).toBeVisible()
  expect(await download(page)).toEqual({ name: 'minutes.pdf', sha256: sha256(file.bytes) })
  expect(await getDownloadCount(person)).toBe(1)
})

test('tells the visitor if the link expires while the page is open', async ({
  app,
  errors,
  page,
}) => {
  const person = await makePerson(app)
  const file = await makeFile(person)
  await page.goto(`/download/${file.shortCode}`)
  await expect(page.getByRole('button', { name: 'Switch to dark theme' })).toBeVisible()
  await person.fetch(`/api/files/${file.id}`, { method: 'DELETE' })

  errors.expect(new RegExp(`404 \\(Not Found\\).*/api/download/${file.shortCode}`))
  await page.getByRole('link', { name: 'Download File' }).click()
  await expect(page.getByRole('alert')).toContainText('Download failed')
  await expect(page.getByRole('alert')).toContainText(
    'The file could not be downloaded. It may have been removed or the link may have expired.',
  )
  await expect(page.getByRole('heading', { name: 'Invalid download link' })).toBeVisible()
  await expect(page).toHaveURL(`/download/${file.shortCode}`)
})

test('loads at most 20 KB before its button works and 100 KB in all', async ({ app, page }) => {
  const file = await makeFile(await makePerson(app))
  const sizePromisesByUrl = new Map<string, Promise<number>>()
  page.on('requestfinished', (request) => {
    const sizePromise = request
      .sizes()
      .then((bytes) => bytes.responseHeadersSize + bytes.responseBodySize)
    sizePromisesByUrl.set(request.url(), sizePromise)
  })
  await page.goto(`/s/${file.shortCode}`)
  await expect(page.getByRole('button', { name: 'Switch to dark theme' })).toBeVisible()
  await page.waitForLoadState('networkidle')

  // The button needs only the HTML document, so nothing else may block rendering.
  const renderBlocking = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter((entry) => Reflect.get(entry, 'renderBlockingStatus') === 'blocking')
      .map(({ name }) => name),
  )
  expect(renderBlocking).toEqual([])
  const document = await sizePromisesByUrl.get(`${app.url}/s/${file.shortCode}`)
  expect(document).toBeLessThanOrEqual(20_000)
  const totalBytes = (await Promise.all(sizePromisesByUrl.values())).reduce(
    (sum, size) => sum + size,
    0,
  )
  expect(totalBytes).toBeGreaterThan(document ?? 0)
  expect(totalBytes).toBeLessThanOrEqual(100_000)
})

/** Tries every way to run a script or apply a style from same-origin URLs. */
function tryToRun(page: Page, script: string, style: string, serviceWorker: string) {
  return page.evaluate(
    async ([script = '', style = '', serviceWorker = '']) => {
      const loadResult = (element: HTMLElement) =>
        new Promise((resolve) => {
          element.onload = () => resolve('runs')
          element.onerror = () => resolve('refused')
          document.head.append(element)
        })
      const workerResultPromise = new Promise((resolve) => {
        const worker = new Worker(script)
        worker.onmessage = () => resolve('runs')
        worker.onerror = () => resolve('refused')
      })
      return {
        script: await loadResult(Object.assign(document.createElement('script'), { src: script })),
        style: await loadResult(
          Object.assign(document.createElement('link'), { rel: 'stylesheet', href: style }),
        ),
        worker: await workerResultPromise,
        serviceWorker: await navigator.serviceWorker.register(serviceWorker).then(
          () => 'runs',
          () => 'refused',
        ),
      }
    },
    [script, style, serviceWorker],
  )
}

test('never runs uploaded scripts or applies uploaded styles', async ({ app, errors, page }) => {
  const person = await makePerson(app)
  const [script, style] = await Promise.all(
    [
      { name: 'evil.js', type: 'text/javascript', text: 'globalThis.postMessage?.("here")' },
      { name: 'evil.css', type: 'text/css', text: '* { display: none }' },
    ].map(({ text, ...file }) =>
      makeFile(person, { ...file, bytes: new TextEncoder().encode(text) }),
    ),
  )
  const downloadPath = (code = '') => `/api/download/${code}`
  const tryAll = () =>
    tryToRun(
      page,
      downloadPath(script?.shortCode),
      downloadPath(style?.shortCode),
      `/s/${script?.shortCode}`,
    )
  const allRejected = {
    script: 'refused',
    style: 'refused',
    worker: 'refused',
    serviceWorker: 'refused',
  }
  await page.goto(`/s/${script?.shortCode}`)
  errors.expect(/403 \(Forbidden\)/)
  errors.allow(/MIME type \('application\/json'\)|bad HTTP response code \(403\)|net::ERR_FAILED/)
  expect(await tryAll()).toEqual(allRejected)
  expect(await getDownloadCount(person)).toBe(0)

  // Browsers don't send Sec-Fetch-Dest on plain HTTP, so only the content type protects the page.
  await page.route('**/api/download/*', async (route) =>
    route.fulfill({ response: await route.fetch({ headers: {} }) }),
  )
  errors.expect(/MIME type \('application\/octet-stream'\)/)
  expect(await tryAll()).toEqual(allRejected)
  await page.reload()
  expect(await page.evaluate(() => navigator.serviceWorker.controller)).toBeNull()
})
