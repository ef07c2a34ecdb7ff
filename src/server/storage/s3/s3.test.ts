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
import { storageSuite } from '../storage.suite.ts'
import type { PartGrant } from '../storage.ts'
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
  return { storage, endUpload: () => undefined, close: () => storage.close() }
}

describeOnS3('S3', () => {
  storageSuite('s3', open)
  partsSuite('s3', open)
})

describeOnS3('S3 beyond the storage port', () => {
  let bucket: TestBucket
  let storage: S3Storage
  /** The same bucket, listed in small pages. */
  let inPages: S3Storage
  const pageSize = 50
  beforeAll(async () => {
    bucket = await makeBucket()
    storage = openS3Storage({ settings: bucket.settings, clock })
    inPages = openS3Storage({ settings: bucket.settings, clock, pageSize })
  })
  afterAll(() => Promise.all([storage.close(), inPages.close()]))

  const grant = (size: number) => ({
    key: newStorageKey(),
    size,
    mimeType: 'text/plain',
    until: new Date(clock().getTime() + hour),
  })
  const put = (url: string, body: string | Buffer, headers = {}) =>
    send(url, { method: 'PUT', headers: { 'Content-Type': 'text/plain', ...headers }, body })
  /**
   * Sends bytes that must be rejected with 404. The server may close the connection before it has
   * read them all, in which case the response can be lost.
   */
  const expectRefused = async (url: string, body: Buffer) => {
    const status = await put(url, body).then(
      (response) => response.status,
      ({ code }: NodeJS.ErrnoException) => code ?? 'unknown',
    )
    expect([404, 'EPIPE', 'ECONNRESET']).toContain(status)
  }
  /**
   * Creates an upload of two parts with 5 MiB and 1000 bytes. Returns the grants for the whole file
   * and for each part.
   */
  const inParts = () => {
    const whole = grant(partSize + 1000)
    const first: PartGrant = { ...whole, partNumber: 1, offset: 0, size: partSize }
    const second: PartGrant = { ...whole, partNumber: 2, offset: partSize, size: 1000 }
    return { whole, parts: [first, second] as const }
  }
  const urlsOf = async (upload: ReturnType<typeof inParts>, from = storage) => {
    const [first = '', second = ''] = await from.signParts(upload.parts)
    return [first, second] as const
  }
  const uploadIdIn = (url: string) => new URL(url).searchParams.get('uploadId')
  const bytesOf = async ({ key }: { key: string }) => {
    const { bucket: Bucket } = bucket.settings
    const read = await bucket.client.send(new GetObjectCommand({ Bucket, Key: `files/${key}` }))
    return Buffer.from((await read.Body?.transformToByteArray()) ?? [])
  }
  const uploadsOf = (key: string) => countOpenUploads(bucket, key)

  it('reuses the multipart upload when an upload is signed again', async () => {
    const upload = grant(5)
    await storage.signUpload(upload)
    await storage.signUpload(upload)
    expect(await uploadsOf(upload.key)).toBe(1)
  })

  it('accepts no bytes through a new URL for a sealed object, and leaves no upload open', async () => {
    const upload = grant(10)
    await put(await storage.signUpload(upload), 'a'.repeat(10))
    await storage.seal(upload.key, 10)
    const url = await storage.signUpload(upload)
    expect((await put(url, 'b'.repeat(10))).status).toBe(404)
    expect(await uploadsOf(upload.key)).toBe(0)
    await storage.seal(upload.key, 10)
  })

  it('accepts no bytes for a sealed object with an open upload, which the next seal aborts', async () => {
    const upload = inParts()
    const { key, size } = upload.whole
    await put(await storage.signUpload(upload.whole), Buffer.alloc(size, 1))
    await storage.seal(key, size)
    // This is the state after a server stopped between completing the object and aborting the other
    // upload.
    const { bucket: Bucket } = bucket.settings
    await bucket.client.send(new CreateMultipartUploadCommand({ Bucket, Key: `files/${key}` }))
    const url = await storage.signUpload(upload.whole)
    const [one, two] = await urlsOf(upload)
    await expectRefused(url, Buffer.alloc(size, 2))
    await expectRefused(one, Buffer.alloc(partSize, 2))
    await expectRefused(two, Buffer.alloc(1000, 2))
    expect(await uploadsOf(key)).toBe(1)
    await storage.seal(key, size)
    expect(await uploadsOf(key)).toBe(0)
    expect((await bytesOf(upload.whole)).equals(Buffer.alloc(size, 1))).toBe(true)
  })

  it('seals one of two concurrently started uploads, and leaves none open', async () => {
    const upload = grant(5)
    const begun = await Promise.all([storage.signUpload(upload), storage.signUpload(upload)])
    const url = await storage.signUpload(upload)
    expect((await put(url, 'hello')).status).toBe(200)
    await storage.seal(upload.key, 5)
    expect(await storage.storedSize(upload.key)).toBe(5)
    expect(await uploadsOf(upload.key)).toBe(0)
    for (const one of [...begun, url]) expect((await put(one, 'other')).status).toBe(404)
  })

  it('never reports a wrong size for bytes that are resent during a seal', async () => {
    const upload = grant(5)
    const url = await storage.signUpload(upload)
    await put(url, 'hello')
    const sealing = async () => {
      try {
        await storage.seal(upload.key, 5)
      } catch (error) {
        expect(error).toMatchObject({ name: 'SizeMismatch', actual: null })
      }
    }
    await Promise.all([sealing(), ...['world', 'other', 'again'].map((body) => put(url, body))])
    await storage.seal(upload.key, 5)
    expect(await storage.storedSize(upload.key)).toBe(5)
  })

  it('signs all parts, in every batch, for one multipart upload, separate from that of the whole file', async () => {
    const upload = inParts()
    const whole = uploadIdIn(await storage.signUpload(upload.whole))
    const [one, two] = await urlsOf(upload)
    expect((await put(two, Buffer.alloc(1000))).status).toBe(200)
    const batches = await Promise.all([urlsOf(upload), urlsOf(upload), urlsOf(upload)])
    const ids = new Set([one, two, ...batches.flat()].map(uploadIdIn))
    expect(ids.size).toBe(1)
    expect(ids).not.toContain(whole)
    expect(uploadIdIn(await storage.signUpload(upload.whole))).toBe(whole)
    expect(await uploadsOf(upload.whole.key)).toBe(2)
  })

  it('opens both multipart uploads at once when parts are signed first', async () => {
    for (let round = 0; round < 8; round += 1) {
      const upload = inParts()
      const parts = new Set((await urlsOf(upload)).map(uploadIdIn))
      const whole = uploadIdIn(await storage.signUpload(upload.whole))
      expect([parts.size, parts.has(whole)]).toEqual([1, false])
      expect(new Set((await urlsOf(upload)).map(uploadIdIn))).toEqual(parts)
      expect(await uploadsOf(upload.whole.key)).toBe(2)
    }
  })

  it('agrees on one multipart upload when several are started concurrently', async () => {
    const upload = inParts()
    const whole = uploadIdIn(await storage.signUpload(upload.whole))
    await Promise.all(Array.from({ length: 4 }, () => urlsOf(upload)))
    const ids = new Set(
      (await Promise.all([urlsOf(upload), urlsOf(upload)])).flat().map((url) => uploadIdIn(url)),
    )
    expect(ids.size).toBe(1)
    expect(ids).not.toContain(whole)
    const [one, two] = await urlsOf(upload)
    expect((await put(one, Buffer.alloc(partSize, 1))).status).toBe(200)
    expect((await put(two, Buffer.alloc(1000, 2))).status).toBe(200)
    await storage.seal(upload.whole.key, upload.whole.size)
    expect((await bytesOf(upload.whole)).length).toBe(upload.whole.size)
    expect(await uploadsOf(upload.whole.key)).toBe(0)
  })

  it('tells the whole file from its parts even if dates are whole seconds', async () => {
    const endpoint = await roundingDates(bucket.settings.endpoint)
    const settings = { ...bucket.settings, endpoint: new URL(endpoint.url) }
    const coarse = openS3Storage({ settings, clock })
    for (let round = 0; round < 8; round += 1) {
      const upload = inParts()
      const whole = uploadIdIn(await coarse.signUpload(upload.whole))
      const parts = new Set((await urlsOf(upload, coarse)).map(uploadIdIn))
      expect(parts).not.toContain(whole)
      expect(uploadIdIn(await coarse.signUpload(upload.whole))).toBe(whole)
      expect(new Set((await urlsOf(upload, coarse)).map(uploadIdIn))).toEqual(parts)
      expect(await uploadsOf(upload.whole.key)).toBe(2)
    }
    await coarse.close()
    await endpoint.close()
  })

  it('uses what was sent last: the whole file, or parts even if some are missing', async () => {
    const upload = inParts()
    const { key, size } = upload.whole
    const url = await storage.signUpload(upload.whole)
    const [one, two] = await urlsOf(upload)
    const parts = [Buffer.alloc(partSize, 1), Buffer.alloc(1000, 2)] as const
    expect((await put(url, Buffer.alloc(size, 3))).status).toBe(200)
    expect((await put(two, parts[1])).status).toBe(200)
    const partly = { name: 'SizeMismatch', expected: size, actual: 1000 }
    await expect(storage.seal(key, size)).rejects.toMatchObject(partly)
    expect(await storage.storedSize(key)).toBe(1000)
    expect((await put(one, parts[0])).status).toBe(200)
    await storage.seal(key, size)
    expect((await bytesOf(upload.whole)).equals(Buffer.concat(parts))).toBe(true)
  })

  it('verifies a body against its MD5, which is not signed, and reports a mismatch', async () => {
    const md5 = (body: string) => ({ 'Content-MD5': checksums.md5(Buffer.from(body)) })
    const upload = grant(5)
    const part: PartGrant = { ...upload, partNumber: 1, offset: 0 }
    for (const url of [await storage.signUpload(upload), ...(await storage.signParts([part]))]) {
      const refused = await put(url, 'hello', md5('world'))
      expect([refused.status, refused.body.toString()]).toEqual([
        400,
        expect.stringContaining('<Code>BadDigest</Code>'),
      ])
      expect(await storage.storedSize(upload.key)).toBeNull()
    }
    expect(await storage.listParts(upload.key)).toEqual([])
    const url = await storage.signUpload(upload)
    expect((await put(url, 'hello', md5('hello'))).status).toBe(200)
    // The rejected body has not replaced the stored part.
    expect((await put(url, 'other', md5('world'))).status).toBe(400)
    await storage.seal(upload.key, 5)
    expect((await bytesOf(upload)).toString()).toBe('hello')
  })

  it('lists more than one page of parts', async () => {
    const upload = grant(1)
    const count = 2 * pageSize + 10
    const parts = Array.from({ length: count }, (_, index) => {
      return { ...upload, partNumber: index + 1, offset: index }
    })
    const urls = await storage.signParts(parts)
    await Promise.all(urls.map((url) => put(url, 'x')))
    const checksum = checksums.md5(Buffer.from('x'))
    expect(await inPages.listParts(upload.key)).toEqual(
      parts.map(({ partNumber }) => ({ partNumber, size: 1, checksum })),
    )
    expect(await inPages.storedSize(upload.key)).toBe(count)
    const expected = { name: 'SizeMismatch', expected: count - 1, actual: count }
    await expect(inPages.seal(upload.key, count - 1)).rejects.toMatchObject(expected)
    await inPages.remove(upload.key)
    expect(await uploadsOf(upload.key)).toBe(0)
  })

  it('lists an upload with both parts and a whole file once, and removes both', async () => {
    const upload = inParts()
    const url = await storage.signUpload(upload.whole)
    const [, two] = await urlsOf(upload)
    expect((await put(url, Buffer.alloc(upload.whole.size))).status).toBe(200)
    expect((await put(two, Buffer.alloc(1000))).status).toBe(200)
    const listed: string[] = []
    for await (const { key } of storage.list()) listed.push(key)
    expect(listed.filter((key) => key === upload.whole.key)).toHaveLength(1)
    await storage.remove(upload.whole.key)
    expect(await uploadsOf(upload.whole.key)).toBe(0)
    expect((await put(two, Buffer.alloc(1000))).status).toBe(404)
  })

  it('signs URLs for the public endpoint', async () => {
    const seen = new URL(bucket.settings.endpoint ?? '')
    seen.hostname = 'localhost'
    const settings = { ...bucket.settings, publicEndpoint: seen }
    const behind = openS3Storage({ settings, clock })
    expect(await behind.publicOrigin()).toBe(seen.origin)
    const upload = grant(5)
    const url = await behind.signUpload(upload)
    expect(new URL(url).origin).toBe(seen.origin)
    expect((await put(url, 'hello')).status).toBe(200)
    expect((await put(url.replace('localhost', '127.0.0.1'), 'other')).status).toBe(403)
    await behind.seal(upload.key, 5)
    await behind.close()
  })

  it('lists more than one page of objects and of uploads, and ignores unrelated objects', async () => {
    const { bucket: Bucket } = bucket.settings
    const many = Array.from({ length: 4 * pageSize + 10 }, (_, index) => ({
      key: newStorageKey(),
      index,
    }))
    const make = async ({ key, index }: { key: string; index: number }) => {
      const at = { Bucket, Key: `files/${key}` }
      if (index % 2) await bucket.client.send(new PutObjectCommand({ ...at, Body: 'x' }))
      else await bucket.client.send(new CreateMultipartUploadCommand(at))
    }
    await Promise.all(many.map(make))
    await bucket.client.send(new PutObjectCommand({ Bucket, Key: 'files/README', Body: 'x' }))
    await bucket.client.send(new PutObjectCommand({ Bucket, Key: 'else', Body: 'x' }))
    const listed: string[] = []
    for await (const { key } of inPages.list()) listed.push(key)
    const ours = new Set(many.map(({ key }) => key))
    expect(listed.filter((key) => ours.has(key))).toHaveLength(many.length)
    expect(listed).not.toContain('README')
  })

  it('tells an unreachable bucket from a missing object', async () => {
    const settings = { ...bucket.settings, bucket: 'there-is-none' }
    const away = openS3Storage({ settings, clock })
    const unavailable = { name: 'AppError', code: 'UNAVAILABLE' }
    const { key } = grant(5)
    await expect(away.check()).rejects.toMatchObject(unavailable)
    await expect(away.signUpload(grant(5))).rejects.toMatchObject(unavailable)
    const part = { ...grant(5), partNumber: 1, offset: 0 }
    await expect(away.signParts([part])).rejects.toMatchObject(unavailable)
    await expect(away.listParts(key)).rejects.toMatchObject(unavailable)
    await expect(away.seal(key, 5)).rejects.toMatchObject(unavailable)
    await expect(away.storedSize(key)).rejects.toMatchObject(unavailable)
    await expect(away.remove(key)).rejects.toMatchObject(unavailable)
    await expect(away.list()[Symbol.asyncIterator]().next()).rejects.toMatchObject(unavailable)
    await away.close()
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
async function roundingDates(server: URL | null) {
  const proxy = createServer((incoming, answer) => {
    const { method = 'GET', url = '/', headers } = incoming
    const target = { host: server?.hostname, port: server?.port, path: url, method, headers }
    incoming.pipe(
      request(target, async (response) => {
        const body = (await text(response)).replaceAll(/(?<=<Initiated>[^<.]+)\.\d+/g, '.000')
        const { 'content-length': _, 'transfer-encoding': __, ...kept } = response.headers
        answer.writeHead(response.statusCode ?? 500, kept).end(body)
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
