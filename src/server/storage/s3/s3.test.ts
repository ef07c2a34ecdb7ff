import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checksums } from '../../../../tests/support/make.ts'
import {
  countOpenUploads,
  describeOnS3,
  makeBucket,
  type TestBucket,
} from '../../../../tests/support/s3.ts'
import { send } from '../../../../tests/support/send.ts'
import { partsSuite } from '../parts.suite.ts'
import {
  alterSignature,
  expectClientError,
  storageSuite,
  withOtherSignature,
} from '../storage.suite.ts'
import type { DownloadGrant, DownloadMethod, PartGrant } from '../storage.ts'
import { newStorageKey } from '../storage-key.ts'
import { openS3Storage, type S3Storage } from './s3.ts'

function clock() {
  return new Date()
}
const hour = 3_600_000
/** S3 accepts smaller parts only at the end of a file. */
const partSize = 5 * 1024 * 1024

async function open() {
  const { settings } = await makeBucket()
  const storage = openS3Storage({ settings, clock })
  const downloadUrl = urlsOf(storage)
  return { storage, downloadUrl, endUpload: () => undefined, close: () => storage.close() }
}

function urlsOf(storage: S3Storage) {
  return async (grant: DownloadGrant, method: DownloadMethod = 'GET') => {
    const delivery = await storage.deliver(grant, method)
    return delivery.kind === 'redirect' ? delivery.url : ''
  }
}

describeOnS3('S3', () => {
  storageSuite('s3', open)
  partsSuite('s3', open)
})

describeOnS3('S3 beyond the storage port', () => {
  let bucket: TestBucket
  let storage: S3Storage
  /** The same bucket as `storage`, but listed in small pages. */
  let pagedStorage: S3Storage
  const pageSize = 5
  beforeAll(async () => {
    bucket = await makeBucket()
    storage = openS3Storage({ settings: bucket.settings, clock })
    pagedStorage = openS3Storage({ settings: bucket.settings, clock, pageSize })
  })
  afterAll(() => Promise.all([storage.close(), pagedStorage.close()]))

  const grant = (size: number) => ({
    key: newStorageKey(),
    size,
    mimeType: 'text/plain',
    expiresAt: new Date(clock().getTime() + hour),
  })
  const put = (url: string, body: string | Buffer, headers = {}) =>
    send(url, { method: 'PUT', headers: { 'Content-Type': 'text/plain', ...headers }, body })
  /**
   * Sends bytes that must be rejected with 404. The server may close the connection before it has
   * read them all, and then the response can be lost.
   */
  const expectRejected = async (url: string, body: Buffer) => {
    const status = await put(url, body).then(
      (response) => response.status,
      ({ code }: NodeJS.ErrnoException) => code ?? 'unknown',
    )
    expect([404, 'EPIPE', 'ECONNRESET']).toContain(status)
  }
  /**
   * Creates an upload of two parts, of 5 MiB and 1000 bytes. Returns the grants for the whole file
   * and for each part.
   */
  const createPartsUpload = () => {
    const whole = grant(partSize + 1000)
    const first: PartGrant = { ...whole, partNumber: 1, offset: 0, size: partSize }
    const second: PartGrant = { ...whole, partNumber: 2, offset: partSize, size: 1000 }
    return { whole, parts: [first, second] as const }
  }
  const signPartUrls = async (
    upload: ReturnType<typeof createPartsUpload>,
    signingStorage = storage,
  ) => {
    const [firstUrl = '', secondUrl = ''] = await signingStorage.signParts(upload.parts)
    return [firstUrl, secondUrl] as const
  }
  const uploadIdIn = (url: string) => new URL(url).searchParams.get('uploadId')
  const readSealed = async ({ key }: { key: string }) => {
    const { bucket: Bucket } = bucket.settings
    const response = await bucket.client.send(new GetObjectCommand({ Bucket, Key: `files/${key}` }))
    return Buffer.from((await response.Body?.transformToByteArray()) ?? [])
  }
  const countUploads = (key: string) => countOpenUploads(bucket, key)

  it('signs a download of one object under one name, until it expires', async () => {
    const upload = grant(5)
    await put(await storage.signUpload(upload), 'hello')
    await storage.seal(upload.key, 5)
    const other = grant(9)
    await put(await storage.signUpload(other), 'not yours')
    await storage.seal(other.key, 9)
    const download = {
      ...upload,
      fileName: 'notes.txt',
      version: upload.key,
      createdAt: new Date('2025-07-12T10:20:30Z'),
    }
    const sign = urlsOf(storage)
    const url = await sign(download)
    const renamedUrl = await sign({ ...download, fileName: 'virus.exe' })
    const expiredUrl = await sign({ ...download, expiresAt: new Date(Date.now() - hour) })
    const refusedUrls = [
      alterSignature(url),
      url.replace(upload.key, other.key),
      withOtherSignature(renamedUrl, url),
      expiredUrl,
    ]
    for (const target of refusedUrls) expect((await send(target)).status, target).toBe(403)
    expect((await put(url, 'other')).status).toBe(403)
    expectClientError(await send(url, { method: 'DELETE' }))
    expect((await send(url)).body.toString()).toBe('hello')
  })

  it('reuses the multipart upload when an upload is signed again', async () => {
    const upload = grant(5)
    await storage.signUpload(upload)
    await storage.signUpload(upload)
    expect(await countUploads(upload.key)).toBe(1)
  })

  it('accepts no bytes through a new URL for a sealed object, and leaves no upload open', async () => {
    const upload = grant(10)
    await put(await storage.signUpload(upload), 'a'.repeat(10))
    await storage.seal(upload.key, 10)
    const url = await storage.signUpload(upload)
    expect((await put(url, 'b'.repeat(10))).status).toBe(404)
    expect(await countUploads(upload.key)).toBe(0)
    await storage.seal(upload.key, 10)
  })

  it('accepts no bytes for a sealed object with an open upload, which the next seal aborts', async () => {
    const upload = createPartsUpload()
    const { key, size } = upload.whole
    await put(await storage.signUpload(upload.whole), Buffer.alloc(size, 1))
    await storage.seal(key, size)
    // Recreate what a server leaves behind if it stops after completing the object but before
    // aborting the other upload.
    const { bucket: Bucket } = bucket.settings
    await bucket.client.send(new CreateMultipartUploadCommand({ Bucket, Key: `files/${key}` }))
    const url = await storage.signUpload(upload.whole)
    const [one, two] = await signPartUrls(upload)
    await expectRejected(url, Buffer.alloc(size, 2))
    await expectRejected(one, Buffer.alloc(partSize, 2))
    await expectRejected(two, Buffer.alloc(1000, 2))
    expect(await countUploads(key)).toBe(1)
    await storage.seal(key, size)
    expect(await countUploads(key)).toBe(0)
    expect((await readSealed(upload.whole)).equals(Buffer.alloc(size, 1))).toBe(true)
  })

  it('seals one of two concurrently started uploads, and leaves none open', async () => {
    const upload = grant(5)
    const startedUrls = await Promise.all([storage.signUpload(upload), storage.signUpload(upload)])
    const url = await storage.signUpload(upload)
    expect((await put(url, 'hello')).status).toBe(200)
    await storage.seal(upload.key, 5)
    expect(await storage.storedSize(upload.key)).toBe(5)
    expect(await countUploads(upload.key)).toBe(0)
    for (const startedUrl of [...startedUrls, url])
      expect((await put(startedUrl, 'other')).status).toBe(404)
  })

  it('never reports a wrong size for bytes that are resent during a seal', async () => {
    const upload = grant(5)
    const url = await storage.signUpload(upload)
    await put(url, 'hello')
    const sealOrMismatch = async () => {
      try {
        await storage.seal(upload.key, 5)
      } catch (error) {
        expect(error).toMatchObject({ name: 'SizeMismatch', actual: null })
      }
    }
    await Promise.all([
      sealOrMismatch(),
      ...['world', 'other', 'again'].map((body) => put(url, body)),
    ])
    await storage.seal(upload.key, 5)
    expect(await storage.storedSize(upload.key)).toBe(5)
  })

  it('signs all parts, in every batch, for one multipart upload, separate from that of the whole file', async () => {
    const upload = createPartsUpload()
    const wholeUploadId = uploadIdIn(await storage.signUpload(upload.whole))
    const [one, two] = await signPartUrls(upload)
    expect((await put(two, Buffer.alloc(1000))).status).toBe(200)
    const batches = await Promise.all([
      signPartUrls(upload),
      signPartUrls(upload),
      signPartUrls(upload),
    ])
    const ids = new Set([one, two, ...batches.flat()].map(uploadIdIn))
    expect(ids.size).toBe(1)
    expect(ids).not.toContain(wholeUploadId)
    expect(uploadIdIn(await storage.signUpload(upload.whole))).toBe(wholeUploadId)
    expect(await countUploads(upload.whole.key)).toBe(2)
  })

  it('opens both multipart uploads at once when parts are signed first', async () => {
    for (let round = 0; round < 3; round += 1) {
      const upload = createPartsUpload()
      const parts = new Set((await signPartUrls(upload)).map(uploadIdIn))
      const wholeUploadId = uploadIdIn(await storage.signUpload(upload.whole))
      expect([parts.size, parts.has(wholeUploadId)]).toEqual([1, false])
      expect(new Set((await signPartUrls(upload)).map(uploadIdIn))).toEqual(parts)
      expect(await countUploads(upload.whole.key)).toBe(2)
    }
  })

  it('agrees on one multipart upload when several are started concurrently', async () => {
    const upload = createPartsUpload()
    const wholeUploadId = uploadIdIn(await storage.signUpload(upload.whole))
    await Promise.all(Array.from({ length: 4 }, () => signPartUrls(upload)))
    const ids = new Set(
      (await Promise.all([signPartUrls(upload), signPartUrls(upload)]))
        .flat()
        .map((url) => uploadIdIn(url)),
    )
    expect(ids.size).toBe(1)
    expect(ids).not.toContain(wholeUploadId)
    const [one, two] = await signPartUrls(upload)
    expect((await put(one, Buffer.alloc(partSize, 1))).status).toBe(200)
    expect((await put(two, Buffer.alloc(1000, 2))).status).toBe(200)
    await storage.seal(upload.whole.key, upload.whole.size)
    expect((await readSealed(upload.whole)).length).toBe(upload.whole.size)
    expect(await countUploads(upload.whole.key)).toBe(0)
  })

  it('distinguishes the whole file from its parts even if dates are whole seconds', async () => {
    const proxy = await startDateRoundingProxy(bucket.settings.endpoint)
    const settings = { ...bucket.settings, endpoint: new URL(proxy.url) }
    const storageWithWholeSeconds = openS3Storage({ settings, clock })
    for (let round = 0; round < 3; round += 1) {
      const upload = createPartsUpload()
      const wholeUploadId = uploadIdIn(await storageWithWholeSeconds.signUpload(upload.whole))
      const parts = new Set((await signPartUrls(upload, storageWithWholeSeconds)).map(uploadIdIn))
      expect(parts).not.toContain(wholeUploadId)
      expect(uploadIdIn(await storageWithWholeSeconds.signUpload(upload.whole))).toBe(wholeUploadId)
      expect(
        new Set((await signPartUrls(upload, storageWithWholeSeconds)).map(uploadIdIn)),
      ).toEqual(parts)
      expect(await countUploads(upload.whole.key)).toBe(2)
    }
    await storageWithWholeSeconds.close()
    await proxy.close()
  })

  it('uses the whole file or the parts, whichever was sent last, even if some parts are missing', async () => {
    const upload = createPartsUpload()
    const { key, size } = upload.whole
    const url = await storage.signUpload(upload.whole)
    const [one, two] = await signPartUrls(upload)
    const parts = [Buffer.alloc(partSize, 1), Buffer.alloc(1000, 2)] as const
    expect((await put(url, Buffer.alloc(size, 3))).status).toBe(200)
    expect((await put(two, parts[1])).status).toBe(200)
    const mismatchError = { name: 'SizeMismatch', expected: size, actual: 1000 }
    await expect(storage.seal(key, size)).rejects.toMatchObject(mismatchError)
    expect(await storage.storedSize(key)).toBe(1000)
    expect((await put(one, parts[0])).status).toBe(200)
    await storage.seal(key, size)
    expect((await readSealed(upload.whole)).equals(Buffer.concat(parts))).toBe(true)
  })

  it('verifies a body against its MD5, which is not signed, and reports a mismatch', async () => {
    const md5 = (body: string) => ({ 'Content-MD5': checksums.md5(Buffer.from(body)) })
    const upload = grant(5)
    const part: PartGrant = { ...upload, partNumber: 1, offset: 0 }
    for (const url of [await storage.signUpload(upload), ...(await storage.signParts([part]))]) {
      const response = await put(url, 'hello', md5('world'))
      expect([response.status, response.body.toString()]).toEqual([
        400,
        expect.stringContaining('<Code>BadDigest</Code>'),
      ])
      expect(await storage.storedSize(upload.key)).toBeNull()
    }
    expect(await storage.listParts(upload.key)).toEqual([])
    const url = await storage.signUpload(upload)
    expect((await put(url, 'hello', md5('hello'))).status).toBe(200)
    // The rejected body must not have replaced the stored part.
    expect((await put(url, 'other', md5('world'))).status).toBe(400)
    await storage.seal(upload.key, 5)
    expect((await readSealed(upload)).toString()).toBe('hello')
  })

  it('lists more than one page of parts', async () => {
    const upload = grant(1)
    const count = 2 * pageSize + 1
    const parts = Array.from({ length: count }, (_, index) => {
      return { ...upload, partNumber: index + 1, offset: index }
    })
    const urls = await storage.signParts(parts)
    await Promise.all(urls.map((url) => put(url, 'x')))
    const checksum = checksums.md5(Buffer.from('x'))
    expect(await pagedStorage.listParts(upload.key)).toEqual(
      parts.map(({ partNumber }) => ({ partNumber, size: 1, checksum })),
    )
    expect(await pagedStorage.storedSize(upload.key)).toBe(count)
    const mismatchError = { name: 'SizeMismatch', expected: count - 1, actual: count }
    await expect(pagedStorage.seal(upload.key, count - 1)).rejects.toMatchObject(mismatchError)
    await pagedStorage.remove(upload.key)
    expect(await countUploads(upload.key)).toBe(0)
  })

  it('lists an upload with both parts and a whole file once, and removes both', async () => {
    const upload = createPartsUpload()
    const url = await storage.signUpload(upload.whole)
    const [, two] = await signPartUrls(upload)
    expect((await put(url, Buffer.alloc(upload.whole.size))).status).toBe(200)
    expect((await put(two, Buffer.alloc(1000))).status).toBe(200)
    const listedKeys: string[] = []
    for await (const { key } of storage.list()) listedKeys.push(key)
    expect(listedKeys.filter((key) => key === upload.whole.key)).toHaveLength(1)
    await storage.remove(upload.whole.key)
    expect(await countUploads(upload.whole.key)).toBe(0)
    expect((await put(two, Buffer.alloc(1000))).status).toBe(404)
  })

  it('signs URLs for the public endpoint', async () => {
    const publicEndpoint = new URL(bucket.settings.endpoint ?? '')
    publicEndpoint.hostname = 'localhost'
    const settings = { ...bucket.settings, publicEndpoint }
    const storageWithPublicUrls = openS3Storage({ settings, clock })
    expect(await storageWithPublicUrls.publicOrigin()).toBe(publicEndpoint.origin)
    const upload = grant(5)
    const url = await storageWithPublicUrls.signUpload(upload)
    expect(new URL(url).origin).toBe(publicEndpoint.origin)
    expect((await put(url, 'hello')).status).toBe(200)
    expect((await put(url.replace('localhost', '127.0.0.1'), 'other')).status).toBe(403)
    await storageWithPublicUrls.seal(upload.key, 5)
    await storageWithPublicUrls.close()
  })

  it('lists more than one page of objects and of uploads, and ignores unrelated objects', async () => {
    const { bucket: Bucket } = bucket.settings
    const objects = Array.from({ length: 4 * pageSize + 2 }, (_, index) => ({
      key: newStorageKey(),
      index,
    }))
    const createObject = async ({ key, index }: { key: string; index: number }) => {
      const location = { Bucket, Key: `files/${key}` }
      if (index % 2) await bucket.client.send(new PutObjectCommand({ ...location, Body: 'x' }))
      else await bucket.client.send(new CreateMultipartUploadCommand(location))
    }
    await Promise.all(objects.map(createObject))
    await bucket.client.send(new PutObjectCommand({ Bucket, Key: 'files/README', Body: 'x' }))
    await bucket.client.send(new PutObjectCommand({ Bucket, Key: 'else', Body: 'x' }))
    const listedKeys: string[] = []
    for await (const { key } of pagedStorage.list()) listedKeys.push(key)
    const createdKeys = new Set(objects.map(({ key }) => key))
    expect(listedKeys.filter((key) => createdKeys.has(key))).toHaveLength(objects.length)
    expect(listedKeys).not.toContain('README')
  })

  it('distinguishes an unreachable bucket from a missing object', async () => {
    const settings = { ...bucket.settings, bucket: 'there-is-none' }
    const missingBucket = openS3Storage({ settings, clock })
    const unavailableError = { name: 'AppError', code: 'UNAVAILABLE' }
    const { key } = grant(5)
    await expect(missingBucket.check()).rejects.toMatchObject(unavailableError)
    await expect(missingBucket.signUpload(grant(5))).rejects.toMatchObject(unavailableError)
    const part = { ...grant(5), partNumber: 1, offset: 0 }
    await expect(missingBucket.signParts([part])).rejects.toMatchObject(unavailableError)
    await expect(missingBucket.listParts(key)).rejects.toMatchObject(unavailableError)
    await expect(missingBucket.seal(key, 5)).rejects.toMatchObject(unavailableError)
    await expect(missingBucket.storedSize(key)).rejects.toMatchObject(unavailableError)
    await expect(missingBucket.remove(key)).rejects.toMatchObject(unavailableError)
    await expect(missingBucket.list()[Symbol.asyncIterator]().next()).rejects.toMatchObject(
      unavailableError,
    )
    await missingBucket.close()
  })

  it('rejects invalid storage keys', async () => {
    await expect(storage.remove('../installation')).rejects.toThrow(RangeError)
    await expect(storage.signUpload({ ...grant(1), key: 'x' })).rejects.toThrow(RangeError)
    await expect(storage.listParts('x')).rejects.toThrow(RangeError)
  })
})

/**
 * Starts a proxy for the S3 server that truncates the start dates of multipart uploads to whole
 * seconds.
 */
async function startDateRoundingProxy(server: URL | null) {
  const proxy = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming
    const target = { host: server?.hostname, port: server?.port, path: url, method, headers }
    incoming.pipe(
      request(target, async (response) => {
        const body = (await text(response)).replaceAll(/(?<=<Initiated>[^<.]+)\.\d+/g, '.000')
        const { 'content-length': _, 'transfer-encoding': __, ...kept } = response.headers
        outgoing.writeHead(response.statusCode ?? 500, kept).end(body)
      }),
    )
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => proxy.close(resolve)),
  }
}
