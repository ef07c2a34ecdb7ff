import { missingCephPrograms } from '../../scripts/ceph.mjs'
import { serveApp } from '../support/app-server.ts'
import { createBucket, type TestBucket } from '../support/bucket.ts'
import { signUp } from '../support/make.ts'
import { createDatabase } from '../support/postgres-server.ts'
import { type S3Server, startRadosgw } from '../support/radosgw.ts'
import { dropFiles, fileRow, openDashboard } from './support/dashboard.ts'
import { sha256OfFile, writeRandomFile } from './support/files.ts'
import { postgresUrl } from './support/postgres.ts'
import { test as base, expect } from './support/test.ts'

/** A server whose new files go to a bucket, at an origin that is not its own. */
const test = base.extend<{ bucket: TestBucket }, { s3: S3Server | null }>({
  s3: [
    async ({}, use) => {
      const server = missingCephPrograms().length > 0 ? null : await startRadosgw()
      await use(server)
      await server?.stop()
    },
    { scope: 'worker', timeout: 100_000 },
  ],

  bucket: async ({ s3 }, use, testInfo) => {
    if (s3) await use(await createBucket(s3))
    else testInfo.skip(true, `no S3 server: not installed are ${missingCephPrograms().join(', ')}`)
  },

  app: async ({ bucket }, use) => {
    const database = await createDatabase(postgresUrl(), 'migrated')
    const app = await serveApp(database, { env: bucket.env })
    await bucket.allow(app.url)
    await use(app)
    await app.close()
  },
})

test('a page sends files to a bucket and fetches them from it, across origins', async ({
  app,
  bucket,
  folder,
  page,
  visitor,
}) => {
  const film = await writeRandomFile(folder, 'film.mkv', 40 * 1024 * 1024)
  const odd = await writeRandomFile(folder, 'Zoë of no known type.xyzzy', 12_345)
  const empty = await writeRandomFile(folder, 'empty.txt', 0)
  await openDashboard(page, app, await signUp(app))
  const sent = page.waitForRequest((request) => request.method() === 'PUT')
  await dropFiles(page, [film.path, odd.path, empty.path])
  expect(new URL((await sent).url()).origin).toBe(bucket.env.S3_ENDPOINT)
  for (const { name } of [film, odd, empty]) await expect(fileRow(page, name)).toBeVisible()

  for (const file of [film, odd, empty]) {
    const listed = await page.request.get('/api/files')
    const made = (await listed.json()).find(
      ({ originalName }: { originalName: string }) => originalName === file.name,
    )
    const reader = await visitor()
    await reader.goto(`/s/${made.shortCode}`)
    const started = reader.waitForEvent('download')
    await reader.getByRole('link', { name: 'Download File' }).click()
    const saved = await started
    expect(new URL(saved.url()).origin).toBe(bucket.env.S3_ENDPOINT)
    expect(saved.suggestedFilename()).toBe(file.name)
    expect(await sha256OfFile(await saved.path())).toBe(file.sha256)
  }
})
