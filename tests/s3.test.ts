import { DeleteBucketCommand } from '@aws-sdk/client-s3'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { files, uploads } from '../src/server/db/schema.ts'
import { expireFiles } from '../src/server/files/expire-files.ts'
import { compareStorage } from '../src/server/jobs/compare-storage.ts'
import { newStorageKey } from '../src/server/storage/storage-key.ts'
import { sweepUploads } from '../src/server/uploads/end-uploads.ts'
import type { File } from '../src/shared/contract/files.ts'
import { countStoredBytes } from './support/bucket.ts'
import { type ChaosProxy, startChaosProxy } from './support/chaos-proxy.ts'
import {
  json,
  makeFile,
  makePerson,
  putBytes,
  requestRenewal,
  type StartedUpload,
  startUpload,
} from './support/make.ts'
import { describeOnS3, makeBucket, type TestBucket } from './support/s3.ts'
import { send } from './support/send.ts'
import { startTestApp, type TestApp } from './support/test-app.ts'
import {
  abortUpload,
  expectError,
  requestConfirm,
  requestUpload,
} from './support/upload-requests.ts'

const minute = 60_000
const day = 24 * 60 * minute
const successStatuses = [200, 204]

function makeTextBytes(length: number) {
  return new Uint8Array(length).fill(65)
}

function download(app: TestApp, { shortCode }: Pick<File, 'shortCode'>, init: RequestInit = {}) {
  return fetch(`${app.url}/api/download/${shortCode}`, init)
}

async function findKey(app: TestApp, { id }: Pick<File, 'id'>): Promise<string> {
  const [row] = await app.deps.db.select().from(files).where(eq(files.id, id))
  return row?.storageKey ?? ''
}

/** Asserts that the log contains no signature or key that gives access to the bucket. */
function expectNoSignature({ logLines }: TestApp, { env }: Pick<TestBucket, 'env'>) {
  const logText = JSON.stringify(logLines)
  expect(logText).toContain('/api/files/get-upload-url')
  for (const secret of ['X-Amz-', env.S3_SECRET_ACCESS_KEY ?? '']) {
    expect(secret.length).toBeGreaterThan(4)
    expect(logText).not.toContain(secret)
  }
}

describeOnS3('a server with a bucket', () => {
  let app: TestApp
  let bucket: TestBucket
  beforeAll(async () => {
    bucket = await makeBucket()
    app = await startTestApp({ env: bucket.env })
  })
  afterAll(async () => {
    const errorLines = app.logLines.filter(({ level }) => level >= 50)
    await app.close()
    expect(errorLines).toEqual([])
  })

  it('is ready and allows pages to use the bucket', async () => {
    expect((await fetch(`${app.url}/api/ready`)).status).toBe(200)
    const pageResponse = await fetch(app.url, { headers: { accept: 'text/html' } })
    const policy = pageResponse.headers.get('content-security-policy')
    expect(policy).toContain(`connect-src 'self' ${bucket.env.S3_ENDPOINT}`)
  })

  it('delivers a file to anyone with the link', async () => {
    const ada = await makePerson(app)
    const name = 'Ünïcode "x" تقرير.html'
    const file = await makeFile(ada, { name, type: 'text/html' })
    const redirectResponse = await download(app, file, { redirect: 'manual' })
    expect(redirectResponse.status).toBe(302)
    expect(redirectResponse.headers.get('cache-control')).toBe('no-store')
    expect(redirectResponse.headers.get('location')).toContain(bucket.env.S3_ENDPOINT)

    const response = await download(app, file)
    expect(response.status).toBe(200)
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(file.bytes))).toBe(true)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '1000',
      'cache-control': expect.stringContaining('private'),
      'content-disposition': expect.stringMatching(
        /^attachment; filename="[^"]+"; filename\*=UTF-8''/,
      ),
    })
  })

  it('supports HEAD, ranges and conditions through the redirect, counting one download', async () => {
    const ada = await makePerson(app)
    const file = await makeFile(ada)
    const fullResponse = await download(app, file)
    await fullResponse.arrayBuffer()
    const headResponse = await download(app, file, { method: 'HEAD' })
    expect([headResponse.status, await headResponse.text()]).toEqual([200, ''])
    for (const header of ['content-length', 'content-type', 'content-disposition', 'etag']) {
      expect(headResponse.headers.get(header), header).toBe(fullResponse.headers.get(header))
    }
    const partialResponse = await download(app, file, { headers: { range: 'bytes=990-' } })
    expect([partialResponse.status, partialResponse.headers.get('content-range')]).toEqual([
      206,
      'bytes 990-999/1000',
    ])
    const bytes = Buffer.from(await partialResponse.arrayBuffer())
    expect(bytes.equals(Buffer.from(file.bytes.subarray(990)))).toBe(true)
    expect((await download(app, file, { headers: { range: 'bytes=1000-' } })).status).toBe(416)
    const etag = fullResponse.headers.get('etag') ?? ''
    expect((await download(app, file, { headers: { 'if-none-match': etag } })).status).toBe(304)

    const downloadCount = async () => {
      const [listed] = await json<File[]>(await ada.fetch('/api/files'))
      return listed?.downloadCount
    }
    expect(await downloadCount()).toBe(1)
    const unmatchedResponse = await download(app, file, { headers: { 'if-none-match': '"other"' } })
    expect((await unmatchedResponse.arrayBuffer()).byteLength).toBe(1000)
    expect(await downloadCount()).toBe(2)
    expect((await download(app, file, { headers: { 'if-match': '"other"' } })).status).toBe(412)
    const restHeaders = { range: 'bytes=990-', 'if-range': etag }
    expect((await download(app, file, { headers: restHeaders })).status).toBe(206)
    expect(await downloadCount()).toBe(2)
  })

  it('signs downloads for a minute, or until the link expires if that is sooner', async () => {
    const file = await makeFile(await makePerson(app))
    const getUrlLifetimeSeconds = async () => {
      const { headers } = await download(app, file, { redirect: 'manual' })
      const { searchParams } = new URL(headers.get('location') ?? '')
      return Number(searchParams.get('X-Amz-Expires'))
    }
    expect(await getUrlLifetimeSeconds()).toBe(60)
    const now = app.clock()
    app.clock.set(new Date(new Date(file.expiresAt).getTime() - 20_000))
    expect(await getUrlLifetimeSeconds()).toBeLessThanOrEqual(20)
    app.clock.set(new Date(file.expiresAt))
    expect((await download(app, file, { redirect: 'manual' })).status).toBe(404)
    app.clock.set(now)
  })

  it('accepts an empty file', async () => {
    const file = await makeFile(await makePerson(app), { bytes: new Uint8Array() })
    const response = await download(app, file)
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '0'])
  })

  it('accepts only the announced size and type, even with a valid signature', async () => {
    const ada = await makePerson(app)
    const bytesBefore = await countStoredBytes(bucket)
    const startedUpload = await startUpload(ada, { size: 1000 })
    const alteredUrl = new URL(startedUpload.uploadUrl)
    alteredUrl.pathname = alteredUrl.pathname.replace(startedUpload.cloudKey, newStorageKey())
    const expiresAt = new Date(app.clock().getTime() - 1000)
    const { cloudKey: key } = startedUpload
    const expiredUrl = await app.storage.signUpload({
      key,
      size: 1000,
      mimeType: 'text/plain',
      expiresAt,
    })
    const responses = await Promise.all([
      send(startedUpload.uploadUrl, {
        method: 'PUT',
        headers: { 'content-type': 'text/plain' },
        body: Buffer.from(makeTextBytes(50_000)),
      }),
      putBytes(startedUpload, makeTextBytes(1001)),
      putBytes(startedUpload, makeTextBytes(999)),
      putBytes(startedUpload, makeTextBytes(1000), 'text/html'),
      putBytes({ ...startedUpload, uploadUrl: alteredUrl.href }, makeTextBytes(1000)),
      putBytes({ ...startedUpload, uploadUrl: expiredUrl }, makeTextBytes(1000)),
    ])
    expect(responses.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403])
    expect(await countStoredBytes(bucket)).toBe(bytesBefore)
    await expectError(await requestConfirm(ada, startedUpload.cloudKey), 400, 'UPLOAD_INCOMPLETE')
    expect(successStatuses).toContain((await putBytes(startedUpload, makeTextBytes(1000))).status)
    expect((await requestConfirm(ada, startedUpload.cloudKey)).status).toBe(200)
  })

  it('rejects overwriting a confirmed file', async () => {
    const ada = await makePerson(app)
    const startedUpload = await startUpload(ada, { size: 5 })
    await putBytes(startedUpload, new TextEncoder().encode('first'))
    const file = await json<File>(await requestConfirm(ada, startedUpload.cloudKey))
    const bytesBefore = await countStoredBytes(bucket)
    expect((await putBytes(startedUpload, new TextEncoder().encode('other'))).status).toBe(404)
    expect(await (await download(app, file)).text()).toBe('first')
    expect(await countStoredBytes(bucket)).toBe(bytesBefore)
  })

  it('creates a single file when several confirms race', async () => {
    const ada = await makePerson(app)
    const startedUpload = await startUpload(ada, { size: 10 })
    await putBytes(startedUpload, makeTextBytes(10))
    const responses = await Promise.all(
      Array.from({ length: 4 }, () => requestConfirm(ada, startedUpload.cloudKey)),
    )
    const files = await Promise.all(responses.map((response) => json<File>(response)))
    expect(responses.map(({ status }) => status)).toEqual(Array(4).fill(200))
    expect(new Set(files.map(({ id }) => id)).size).toBe(1)
  })

  it("rejects another user's key", async () => {
    const [ada, bob] = [await makePerson(app), await makePerson(app)]
    const startedUpload = await startUpload(ada, { size: 10 })
    await putBytes(startedUpload, makeTextBytes(10))
    expect((await requestConfirm(bob, startedUpload.cloudKey)).status).toBe(404)
    expect((await abortUpload(bob, startedUpload.cloudKey)).status).toBe(404)
    expect((await requestConfirm(ada, startedUpload.cloudKey)).status).toBe(200)
  })

  it('ends an aborted upload and its URL', async () => {
    const ada = await makePerson(app)
    const startedUpload = await startUpload(ada, { size: 10 })
    await putBytes(startedUpload, makeTextBytes(10))
    expect((await abortUpload(ada, startedUpload.cloudKey)).status).toBe(200)
    expect(await app.storage.storedSize(startedUpload.cloudKey)).toBeNull()
    expect((await putBytes(startedUpload, makeTextBytes(10))).status).toBe(404)
  })

  it("deletes a file's bytes, which also makes presigned URLs useless", async () => {
    const ada = await makePerson(app)
    const file = await makeFile(ada)
    const key = await findKey(app, file)
    const { headers } = await download(app, file, { redirect: 'manual' })
    expect((await ada.fetch(`/api/files/${file.id}`, { method: 'DELETE' })).status).toBe(200)
    expect((await download(app, file)).status).toBe(404)
    expect((await fetch(headers.get('location') ?? '')).status).toBe(404)
    expect(await app.storage.storedSize(key)).toBeNull()
  })

  it('ends the old link of a renewed file at once, and its URLs within a minute', async () => {
    const ada = await makePerson(app, { tier: 'premium' })
    const file = await makeFile(ada)
    const { headers } = await download(app, file, { redirect: 'manual' })
    const signedUrl = new URL(headers.get('location') ?? '')
    const renewedFile = await json<File>(await requestRenewal(ada, file.id))
    expect((await download(app, file)).status).toBe(404)
    const response = await download(app, renewedFile)
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(file.bytes))).toBe(true)

    // Request a URL with the server's clock set back, because the bucket's clock can't be advanced
    // past the URL's expiry.
    expect(Number(signedUrl.searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(60)
    app.clock.advance(-2 * minute)
    const earlierResponse = await download(app, renewedFile, { redirect: 'manual' })
    expect((await fetch(earlierResponse.headers.get('location') ?? '')).status).toBe(403)
    app.clock.advance(2 * minute)
  })

  // These tests advance the server's clock but can't advance the bucket's, so the bucket then
  // rejects newly signed URLs.
  describe('cleanup', () => {
    it('deletes expired files, idle uploads and orphans', async () => {
      const ada = await makePerson(app)
      const file = await makeFile(ada)
      const key = await findKey(app, file)
      const idleUpload = await startUpload(ada, { size: 10 })
      await putBytes(idleUpload, makeTextBytes(10))
      const deletedUpload = await startUpload(ada, { size: 10 })
      await putBytes(deletedUpload, makeTextBytes(10))
      await app.deps.db.delete(uploads).where(eq(uploads.storageKey, deletedUpload.cloudKey))
      expect(await compareStorage(app.deps)).toMatchObject({ removed: 0, missing: 0 })

      app.clock.advance(day + minute)
      expect(await sweepUploads(app.deps)).toBeGreaterThan(0)
      expect(await app.storage.storedSize(idleUpload.cloudKey)).toBeNull()
      expect(await compareStorage(app.deps)).toMatchObject({ removed: 1, missing: 0 })
      expect(await app.storage.storedSize(deletedUpload.cloudKey)).toBeNull()
      expect(await app.storage.storedSize(key)).toBe(1000)

      app.clock.advance(2 * day)
      expect(await expireFiles(app.deps)).toMatchObject({ failed: 0 })
      expect(await app.storage.storedSize(key)).toBeNull()
    })
  })

  it('logs no presigned URL and no secret', () => {
    expectNoSignature(app, bucket)
  })
})

describeOnS3('a bucket behind a failing network', () => {
  let app: TestApp
  let bucket: TestBucket
  let network: ChaosProxy
  beforeAll(async () => {
    bucket = await makeBucket()
    network = await startChaosProxy()
    network.forwardTo(Number(new URL(bucket.settings.endpoint?.href ?? '').port))
    app = await startTestApp({ env: { ...bucket.env, S3_ENDPOINT: network.url } })
  })
  afterAll(async () => {
    await app.close()
    await network.close()
  })

  it("answers conditional downloads without the bucket and doesn't count them", async () => {
    const ada = await makePerson(app)
    const file = await makeFile(ada)
    network.stall(({ method }) => method === 'HEAD')
    const response = await download(app, file, { headers: { 'if-none-match': '"other"' } })
    expect((await response.arrayBuffer()).byteLength).toBe(1000)
    expect(await json<File[]>(await ada.fetch('/api/files'))).toMatchObject([{ downloadCount: 0 }])
    const errorLines = app.logLines.filter(({ level }) => level >= 50)
    expect(errorLines).toMatchObject([{ msg: 'Cannot count a download', fileId: file.id }])
    expectNoSignature(app, bucket)
    network.restore()
  })

  const matchAll = () => true
  it.each([
    ['down', () => network.cut()],
    ['500', () => network.respondWith(500, matchAll)],
  ] as const)(
    '%s: requests that need it return a retryable error, and succeed once it is back',
    async (fault, startFault) => {
      const ada = await makePerson(app, { tier: 'premium' })
      const remainingFile = await makeFile(ada)
      const removedFile = await makeFile(ada)
      const key = await findKey(app, removedFile)
      const sentUpload = await startUpload(ada, { size: 10 })
      await putBytes(sentUpload, makeTextBytes(10))
      const idempotencyKey = `while the bucket is ${fault}`
      const start = () => requestUpload(ada, { idempotencyKey })
      startFault()

      for (const response of [await start(), await requestConfirm(ada, sentUpload.cloudKey)]) {
        await expectError(response, 503, 'UNAVAILABLE')
        expect(response.headers.get('retry-after')).toBe('5')
      }
      // The server only redirects to the bucket, which sends the bytes.
      const redirectResponse = await download(app, remainingFile, { redirect: 'manual' })
      expect(redirectResponse.status).toBe(302)
      const storageResponse = await fetch(redirectResponse.headers.get('location') ?? '').catch(
        () => null,
      )
      const expected = { down: undefined, 500: 500 }
      expect(storageResponse?.status).toBe(expected[fault])
      // The link stops working at once. Bytes that couldn't be deleted are purged later.
      expect((await ada.fetch(`/api/files/${removedFile.id}`, { method: 'DELETE' })).status).toBe(
        200,
      )
      expect((await download(app, removedFile, { redirect: 'manual' })).status).toBe(404)
      expect(await expireFiles(app.deps)).toEqual({ purged: 0, failed: 1 })

      network.restore()
      const startedUpload = await json<StartedUpload>(await start())
      expect(successStatuses).toContain((await putBytes(startedUpload, makeTextBytes(10))).status)
      expect((await requestConfirm(ada, startedUpload.cloudKey)).status).toBe(200)
      const file = await json<File>(await requestConfirm(ada, sentUpload.cloudKey))
      expect(await (await download(app, file)).text()).toBe('A'.repeat(10))
      const bytes = Buffer.from(await (await download(app, remainingFile)).arrayBuffer())
      expect(bytes.equals(Buffer.from(remainingFile.bytes))).toBe(true)
      expect(await app.storage.storedSize(key)).toBe(1000)
      // After a failed deletion, the purge waits before it retries.
      app.clock.advance(2 * minute)
      expect(await expireFiles(app.deps)).toEqual({ purged: 1, failed: 0 })
      expect(await app.storage.storedSize(key)).toBeNull()
      app.clock.advance(-2 * minute)
    },
  )
})

describeOnS3('an unreachable bucket', () => {
  it('returns 503 and takes no slots', async () => {
    const { client, env, settings } = await makeBucket()
    const app = await startTestApp({ env })
    const ada = await makePerson(app)
    await client.send(new DeleteBucketCommand({ Bucket: settings.bucket }))
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await expectError(await requestUpload(ada), 503, 'UNAVAILABLE')
    }
    expect((await fetch(`${app.url}/api/ready`)).status).toBe(503)
    expect(app.logLines).toContainEqual(expect.objectContaining({ msg: 'failed' }))
    expectNoSignature(app, { env })
    await app.close()
  })
})
