import { missingCephPrograms } from '../../scripts/ceph.mjs'
import { serveApp } from '../support/app-server.ts'
import { countStoredBytes, createBucket, type TestBucket } from '../support/bucket.ts'
import { hangTimeoutMs } from '../support/hang-timeout.ts'
import { makePerson } from '../support/make.ts'
import { createDatabase } from '../support/postgres-server.ts'
import { type S3Server, startRadosgw } from '../support/radosgw.ts'
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts'
import { openAdminCenter, startMaintenance } from './support/admin.ts'
import { chooseFiles, dropFiles, fileRow, openDashboard } from './support/dashboard.ts'
import { hashFile, writeRandomFile } from './support/files.ts'
import { connectionErrorPattern, expect, isPut, test as onNetwork } from './support/network.ts'
import { getPostgresUrl } from './support/run.ts'

const mebibyte = 1024 ** 2

/**
 * A server with an SMTP server and a bucket on another origin. Tests can interrupt the network
 * between browser and bucket.
 */
const test = onNetwork.extend<
  { bucket: TestBucket; smtp: TestSmtpServer },
  { s3: S3Server | null }
>({
  s3: [
    async ({}, use) => {
      const server = missingCephPrograms().length > 0 ? null : await startRadosgw()
      await use(server)
      await server?.stop()
    },
    { scope: 'worker', timeout: hangTimeoutMs },
  ],

  bucket: async ({ s3 }, use, testInfo) => {
    if (s3) await use(await createBucket(s3))
    else testInfo.skip(true, `no S3 server: not installed are ${missingCephPrograms().join(', ')}`)
  },

  smtp: async ({}, use) => {
    const smtp = await startSmtpServer()
    await use(smtp)
    await smtp.close()
  },

  app: async ({ bucket, network, smtp }, use) => {
    network.forwardTo(Number(bucket.settings.endpoint?.port))
    const database = await createDatabase(getPostgresUrl(), 'migrated')
    const storageEnv = { ...bucket.env, S3_PUBLIC_ENDPOINT: network.url }
    const mailEnv = { SMTP_URL: smtp.url, REQUIRE_EMAIL_VERIFICATION: 'off' }
    const app = await serveApp(database, { env: { ...storageEnv, ...mailEnv } })
    await bucket.allowOrigin(app.url)
    await use(app)
    app.deps.mailer.close()
    await app.close()
  },
})

// The server is slow to start, so all tests share one worker.
test.describe.configure({ mode: 'default' })

test('a page uploads to a bucket and downloads from it across origins', async ({
  app,
  folder,
  network,
  errors,
  page,
  visitor,
}) => {
  const videoFile = await writeRandomFile(folder, 'film.mkv', 17 * mebibyte)
  const unknownTypeFile = await writeRandomFile(folder, 'Zoë of no known type.xyzzy', 12_345)
  const emptyFile = await writeRandomFile(folder, 'empty.txt', 0)
  // A premium user, because free users can have only three files.
  await openDashboard(page, app, await makePerson(app, { tier: 'premium' }))
  await page.getByRole('radio', { name: 'A link each' }).click()
  const putRequestPromise = page.waitForRequest((request) => request.method() === 'PUT')
  await dropFiles(page, [videoFile.path, unknownTypeFile.path, emptyFile.path])
  expect(new URL((await putRequestPromise).url()).origin).toBe(network.url)
  for (const { name } of [videoFile, unknownTypeFile, emptyFile])
    await expect(fileRow(page, name)).toBeVisible()

  // A permanent error fails the upload at once.
  errors.expect(/400 \(Bad Request\)/)
  const countPuts = () => network.exchanges.filter(isPut).length
  const putCountBefore = countPuts()
  network.respondWith(400, isPut)
  await chooseFiles(page, [(await writeRandomFile(folder, 'refused.txt', 10)).path])
  const failureAlert = page.getByRole('alert').filter({ hasText: 'Upload Failed' })
  await expect(failureAlert).toContainText('Direct S3 upload failed with status 400')
  expect(countPuts()).toBe(putCountBefore + 1)
  network.restore()

  for (const file of [videoFile, unknownTypeFile, emptyFile]) {
    const listResponse = await page.request.get('/api/files')
    const uploadedFile = (await listResponse.json()).find(
      ({ originalName }: { originalName: string }) => originalName === file.name,
    )
    const visitorPage = await visitor()
    await visitorPage.goto(`/s/${uploadedFile.shortCode}`)
    const downloadPromise = visitorPage.waitForEvent('download')
    await visitorPage.getByRole('link', { name: 'Download File' }).click()
    const savedDownload = await downloadPromise
    expect(new URL(savedDownload.url()).origin).toBe(network.url)
    expect(savedDownload.suggestedFilename()).toBe(file.name)
    expect(await hashFile(await savedDownload.path())).toBe(file.sha256)
  }
})

test('the administrator tests email and bucket, and learns which permission is missing even without CORS', async ({
  app,
  bucket,
  network,
  errors,
  page,
  smtp,
}) => {
  const admin = await openAdminCenter(page, app)
  await expect(await startMaintenance(page, 'Test email')).toContainText('1 email sent')
  expect(smtp.attemptedRecipients).toEqual([admin.email])
  const testConnection = () => startMaintenance(page, 'Test storage connection')
  const testUpload = () => startMaintenance(page, 'Test storage upload')
  await expect(await testConnection()).toContainText('Connected')
  const firstPutPromise = page.waitForRequest((request) => request.method() === 'PUT')
  await expect(await testUpload()).toContainText(/1 MB sent in \d+\.\d s/)
  expect(new URL((await firstPutPromise).url()).origin).toBe(network.url)
  // Poll, because the server's own checks also write and delete small objects.
  await expect.poll(() => countStoredBytes(bucket)).toBe(mebibyte)

  // The key loses its write permission after the browser has received its presigned URL.
  network.stall(({ method }) => method === 'PUT')
  const putRequestPromise = page.waitForRequest((request) => request.method() === 'PUT')
  const deniedResultText = await testUpload()
  await putRequestPromise
  const allowPuts = await bucket.denyPuts()
  errors.expect(/403 \(Forbidden\)/)
  network.restore()
  await expect(deniedResultText).toContainText('Direct S3 upload failed with status 403')
  await expect(deniedResultText).toContainText(
    '(AccessDenied). The key probably lacks write permission',
  )
  await expect(await testConnection()).toContainText('(AccessDenied). Allow the key')
  // From now on the server's own requests fail too.
  errors.expect(/503 \(Service Unavailable\).*test-s3-upload$/)
  await expect(await testUpload()).toContainText('(AccessDenied). Allow the key')
  await allowPuts()

  // Without a CORS rule the browser hides the bucket's response from the page.
  await bucket.allowOrigin('https://elsewhere.example.org')
  errors.expect(/blocked by CORS policy/)
  errors.allow(connectionErrorPattern)
  const blockedResultText = await testUpload()
  await expect(blockedResultText).toContainText(`Allow the origin ${app.url}`)
  await expect(blockedResultText).toContainText('lacks write permission')
})
