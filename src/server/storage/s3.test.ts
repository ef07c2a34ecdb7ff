import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnS3, makeBucket, type TestBucket } from '../../../tests/support/s3.ts'
import { send } from '../../../tests/support/send.ts'
import { openS3Storage, type S3Storage } from './s3.ts'
import { storageSuite } from './storage.suite.ts'
import { newStorageKey } from './storage-key.ts'

const clock = () => new Date()
const hour = 3_600_000

describeOnS3('S3', () => {
  storageSuite('s3', async () => {
    const { settings } = await makeBucket()
    const storage = openS3Storage({ settings, clock })
    return { storage, endUpload: () => undefined, close: () => storage.close() }
  })
})

describeOnS3('beyond the port, S3', () => {
  let bucket: TestBucket
  let storage: S3Storage
  beforeAll(async () => {
    bucket = await makeBucket()
    storage = openS3Storage({ settings: bucket.settings, clock })
  })
  afterAll(() => storage.close())

  const grant = (size: number) => ({
    key: newStorageKey(),
    size,
    mimeType: 'text/plain',
    until: new Date(clock().getTime() + hour),
  })
  const put = (url: string, body: string) =>
    send(url, { method: 'PUT', headers: { 'Content-Type': 'text/plain' }, body })
  const uploadsOf = async (key: string) => {
    const { bucket: Bucket } = bucket.settings
    const list = new ListMultipartUploadsCommand({ Bucket, Prefix: `files/${key}` })
    return (await bucket.client.send(list)).Uploads?.length ?? 0
  }

  it('signs one upload again for the same multipart upload', async () => {
    const wish = grant(5)
    await storage.signUpload(wish)
    await storage.signUpload(wish)
    expect(await uploadsOf(wish.key)).toBe(1)
  })

  it('seals one of two that were begun at once, and leaves none open', async () => {
    const wish = grant(5)
    const urls = await Promise.all([storage.signUpload(wish), storage.signUpload(wish)])
    for (const url of urls) expect((await put(url, 'hello')).status).toBe(200)
    await storage.seal(wish.key, 5)
    expect(await storage.storedSize(wish.key)).toBe(5)
    expect(await uploadsOf(wish.key)).toBe(0)
    for (const url of urls) expect((await put(url, 'other')).status).toBe(404)
  })

  it('never takes bytes that are sent anew while it seals for wrong ones', async () => {
    const wish = grant(5)
    const url = await storage.signUpload(wish)
    await put(url, 'hello')
    const sealing = async () => {
      try {
        await storage.seal(wish.key, 5)
      } catch (error) {
        expect(error).toMatchObject({ name: 'SizeMismatch', actual: null })
      }
    }
    await Promise.all([sealing(), ...['world', 'other', 'again'].map((body) => put(url, body))])
    await storage.seal(wish.key, 5)
    expect(await storage.storedSize(wish.key)).toBe(5)
  })

  it('signs for the address that browsers see', async () => {
    const seen = new URL(bucket.settings.endpoint ?? '')
    seen.hostname = 'localhost'
    const settings = { ...bucket.settings, publicEndpoint: seen }
    const behind = openS3Storage({ settings, clock })
    expect(await behind.publicOrigin()).toBe(seen.origin)
    const wish = grant(5)
    const url = await behind.signUpload(wish)
    expect(new URL(url).origin).toBe(seen.origin)
    expect((await put(url, 'hello')).status).toBe(200)
    expect((await put(url.replace('localhost', '127.0.0.1'), 'other')).status).toBe(403)
    await behind.seal(wish.key, 5)
    await behind.close()
  })

  it('lists more than one page of objects and of uploads, and nothing of others', async () => {
    const { bucket: Bucket } = bucket.settings
    const many = Array.from({ length: 2010 }, (_, index) => ({ key: newStorageKey(), index }))
    const make = async ({ key, index }: { key: string; index: number }) => {
      const at = { Bucket, Key: `files/${key}` }
      if (index % 2) await bucket.client.send(new PutObjectCommand({ ...at, Body: 'x' }))
      else await bucket.client.send(new CreateMultipartUploadCommand(at))
    }
    for (let from = 0; from < many.length; from += 50) {
      await Promise.all(many.slice(from, from + 50).map(make))
    }
    await bucket.client.send(new PutObjectCommand({ Bucket, Key: 'files/README', Body: 'x' }))
    await bucket.client.send(new PutObjectCommand({ Bucket, Key: 'else', Body: 'x' }))
    const listed: string[] = []
    for await (const { key } of storage.list()) listed.push(key)
    const ours = new Set(many.map(({ key }) => key))
    expect(listed.filter((key) => ours.has(key))).toHaveLength(many.length)
    expect(listed).not.toContain('README')
  })

  it('says that a bucket is away, which is not the same as an object that is missing', async () => {
    const settings = { ...bucket.settings, bucket: 'there-is-none' }
    const away = openS3Storage({ settings, clock })
    const unavailable = { name: 'AppError', code: 'UNAVAILABLE' }
    const { key } = grant(5)
    await expect(away.check()).rejects.toMatchObject(unavailable)
    await expect(away.signUpload(grant(5))).rejects.toMatchObject(unavailable)
    await expect(away.seal(key, 5)).rejects.toMatchObject(unavailable)
    await expect(away.storedSize(key)).rejects.toMatchObject(unavailable)
    await expect(away.remove(key)).rejects.toMatchObject(unavailable)
    await expect(away.list()[Symbol.asyncIterator]().next()).rejects.toMatchObject(unavailable)
    await away.close()
  })

  it('takes no key that it did not make', async () => {
    await expect(storage.remove('../installation')).rejects.toThrow(RangeError)
    await expect(storage.signUpload({ ...grant(1), key: 'x' })).rejects.toThrow(RangeError)
  })
})
