import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testStorage } from '../src/server/admin/test-storage.ts'
import type { S3Settings } from '../src/server/config/s3-settings.ts'
import { openS3Storage } from '../src/server/storage/s3/s3.ts'
import { createStores } from '../src/server/storage/stores.ts'
import { retryRemovals } from '../src/server/uploads/end-uploads.ts'
import { requestUserDeletion } from './support/admin-requests.ts'
import { countStoredBytes } from './support/bucket.ts'
import { findFreePort } from './support/free-port.ts'
import { json, makeClient, makeFile, makePerson, putBytes, startUpload } from './support/make.ts'
import { describeOnS3, makeBucket, type TestBucket } from './support/s3.ts'
import { startTestApp, type TestApp } from './support/test-app.ts'

const minute = 60_000

describeOnS3('the administrator on S3', () => {
  let app: TestApp
  let bucket: TestBucket
  beforeAll(async () => {
    bucket = await makeBucket()
    app = await startTestApp({ env: bucket.env })
  })
  afterAll(() => app.close())

  /**
   * Runs the deletions that fall due within `ms` milliseconds, then sets the server's clock back to
   * match the bucket's.
   */
  const removeLater = async (ms: number) => {
    app.clock.advance(ms)
    const result = await retryRemovals(app.deps)
    app.clock.advance(-ms)
    return result
  }

  it('deletes a user with their links, uploads, bytes and presigned URLs', async () => {
    const admin = await makePerson(app, { role: 'admin' })
    const ada = await makePerson(app)
    const file = await makeFile(ada)
    const openUpload = await startUpload(ada, { size: 10 })
    expect((await putBytes(openUpload, new Uint8Array(10))).status).toBe(200)
    const { shortCode } = file
    const downloadResponse = await makeClient(app).fetch(`/api/download/${shortCode}`)
    const signedUrl = downloadResponse.headers.get('location') ?? ''
    expect((await fetch(signedUrl)).status).toBe(200)

    const deletionResponse = await requestUserDeletion(admin, ada.id, { email: ada.email })
    expect(await json(deletionResponse)).toMatchObject({ deletedFiles: 1 })
    expect((await makeClient(app).fetch(`/api/download/${shortCode}`)).status).toBe(404)
    // A presigned URL is valid for a minute at most, even if the deletion job runs late.
    const lifetimeSeconds = Number(new URL(signedUrl).searchParams.get('X-Amz-Expires'))
    expect(lifetimeSeconds).toBeLessThanOrEqual(60)
    expect(await removeLater(0)).toEqual({ removed: 0, failed: 0 })
    expect((await fetch(signedUrl)).status).toBe(404)
    expect((await putBytes(openUpload, new Uint8Array(10))).status).toBe(404)
    expect(await countStoredBytes(bucket)).toBe(0)
  })

  it('tests uploading from a browser and cleans up', async () => {
    const admin = await makePerson(app, { role: 'admin' })
    const request = { fileName: 'test.bin', fileSize: 10, fileType: 'text/plain' }
    const response = await admin.post('/api/admin/test-s3-upload', request)
    const { uploadUrl, testKey } = await json<{ uploadUrl: string; testKey: string }>(response)
    const put = (size: number) =>
      putBytes({ uploadUrl, cloudKey: testKey, metadata: {} }, new Uint8Array(size))
    expect((await put(11)).status).toBe(403)
    expect((await put(10)).status).toBe(200)
    expect(await countStoredBytes(bucket)).toBe(10)
    expect(await removeLater(15 * minute)).toEqual({ removed: 1, failed: 0 })
    expect(await countStoredBytes(bucket)).toBe(0)
    expect((await put(10)).status).toBe(404)
  })

  it('reports which permission the access key lacks when uploads are rejected', async () => {
    const admin = await makePerson(app, { role: 'admin' })
    const request = { fileName: 'test.bin', fileSize: 10, fileType: 'text/plain' }
    const allowPuts = await bucket.denyPuts()
    const response = await admin.post('/api/admin/test-s3-upload', request)
    await allowPuts()
    expect(response.status).toBe(503)
    expect(await json(response)).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(
        /^Mayfly could not begin an upload to the bucket "[\w-]+" at http.*\(AccessDenied\)\. Allow the key .*write/,
      ),
    })
    expect((await admin.post('/api/admin/test-s3-upload', request)).status).toBe(200)
  })

  describe('testing the connection', () => {
    const testConnection = async (changes: Partial<S3Settings>, timeoutMs?: number) => {
      const settings = { ...bucket.settings, ...changes }
      const storage = openS3Storage({ settings, clock: () => new Date() })
      const config = { ...app.deps.config, s3: settings }
      const result = await testStorage(
        { ...app.deps, config, stores: createStores(storage) },
        { id: 'nobody', ipAddress: '127.0.0.1' },
        timeoutMs,
      )
      await storage.close()
      return result
    }
    const describeBucket = () =>
      `the bucket "${bucket.settings.bucket}" at ${bucket.settings.endpoint?.origin}`

    it('reports a working bucket by name', async () => {
      const admin = await makePerson(app, { role: 'admin' })
      const response = await admin.fetch('/api/admin/test-s3-connection')
      expect(await json(response)).toEqual({
        connected: true,
        message: `Mayfly wrote and removed a test object in ${describeBucket()}, read from it and listed it.`,
      })
    })

    it('reports a missing bucket and the setting that names it', async () => {
      expect(await testConnection({ bucket: 'there-is-none' })).toMatchObject({
        connected: false,
        message: expect.stringMatching(/"there-is-none" .* \(NoSuchBucket\)\. .*S3_BUCKET/),
      })
    })

    it('reports a wrong secret without revealing it', async () => {
      const accessKeyId = bucket.settings.credentials?.accessKeyId ?? ''
      const secretAccessKey = 'a secret that is not the right one'
      const result = await testConnection({ credentials: { accessKeyId, secretAccessKey } })
      expect(result.connected).toBe(false)
      expect(result.message).toMatch(/\(SignatureDoesNotMatch\)\. Compare S3_ACCESS_KEY_ID/)
      expect(result.message).not.toContain(secretAccessKey)
      expect(result.message).not.toContain(accessKeyId)
    })

    it('reports a refused connection', async () => {
      const endpoint = new URL(`http://127.0.0.1:${await findFreePort()}`)
      expect((await testConnection({ endpoint })).message).toMatch(
        /\(ECONNREFUSED\)\. Check that the storage/,
      )
    })

    it("times out if an address doesn't respond", async () => {
      const silentServer = createServer(() => {})
      await new Promise<void>((resolve) => silentServer.listen(0, '127.0.0.1', resolve))
      const { port } = silentServer.address() as { port: number }
      const endpoint = new URL(`http://127.0.0.1:${port}`)
      const result = await testConnection({ endpoint }, 50)
      expect(result.message).toMatch(/\(no answer in time\)\. Check that the storage/)
      silentServer.close()
    })
  })
})
