import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BucketById, startBucketById } from '../../../../tests/support/bucket-by-id.ts'
import { makeFile, makePerson, putBytes, startUpload } from '../../../../tests/support/make.ts'
import { send } from '../../../../tests/support/send.ts'
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts'
import { testClock } from '../../../../tests/support/test-clock.ts'
import { uploads } from '../../db/schema.ts'
import { compareStorage } from '../../jobs/compare-storage.ts'
import { newStorageKey } from '../storage-key.ts'
import { openS3Storage, type S3Storage } from './s3.ts'

const minute = 60_000
const day = 24 * 60 * minute

describe('a bucket that lists uploads by id', () => {
  const clock = testClock()
  let bucket: BucketById
  let storage: S3Storage
  beforeAll(async () => {
    bucket = await startBucketById()
    storage = openS3Storage({ settings: bucket.settings, clock, pageSize: 3 })
  })
  afterAll(async () => {
    await storage.close()
    await bucket.close()
  })

  const grant = (size: number) => {
    const expiresAt = new Date(clock().getTime() + day)
    return { key: newStorageKey(), size, mimeType: 'text/plain', expiresAt }
  }
  const put = async (url: string | undefined, body: string) => {
    const request = { method: 'PUT', headers: { 'content-type': 'text/plain' }, body }
    expect((await send(url ?? '', request)).status).toBe(200)
  }
  const listKeys = async () => {
    const keys: string[] = []
    for await (const { key } of storage.list()) keys.push(key)
    return keys
  }
  const read = async (key: string) => {
    const bytes = await storage.read(key)
    return Buffer.concat((await bytes?.toArray()) ?? []).toString()
  }

  it('accepts a whole file and a file in parts, and leaves no upload open', async () => {
    const whole = grant(5)
    await put(await storage.signUpload(whole), 'hello')
    await storage.seal(whole.key, 5)
    expect(await read(whole.key)).toBe('hello')

    const partsUpload = grant(5)
    const [one, two] = await storage.signParts([
      { ...partsUpload, size: 3, partNumber: 1, offset: 0 },
      { ...partsUpload, size: 2, partNumber: 2, offset: 3 },
    ])
    await storage.signUpload(partsUpload)
    await put(two, 'lo')
    await put(one, 'hel')
    await storage.seal(partsUpload.key, 5)
    expect(await read(partsUpload.key)).toBe('hello')
    expect(bucket.uploads.size).toBe(0)
  })

  it('lists open and sealed objects in key order, each once', async () => {
    const sealedUpload = grant(5)
    await put(await storage.signUpload(sealedUpload), 'hello')
    await storage.seal(sealedUpload.key, 5)
    const openUploads = Array.from({ length: 8 }, () => grant(5))
    for (const upload of openUploads) await storage.signUpload(upload)
    const keys = await listKeys()
    expect(keys).toEqual(keys.toSorted())
    expect(keys.filter((key) => openUploads.some((upload) => upload.key === key))).toHaveLength(8)
    expect(keys).toContain(sealedUpload.key)
    for (const { key } of openUploads) await storage.remove(key)
    expect(bucket.uploads.size).toBe(0)
  })

  it('counts a part that was sent twice only once, across several pages', async () => {
    const upload = grant(5)
    const grants = Array.from('hello', (_, index) => ({
      ...upload,
      size: 1,
      partNumber: index + 1,
      offset: index,
    }))
    const urls = await storage.signParts(grants)
    for (const [at, letter] of Array.from('jello').entries()) await put(urls[at], letter)
    await put(urls[0], 'h')
    const parts = await storage.listParts(upload.key)
    expect(parts.map(({ partNumber }) => partNumber)).toEqual([1, 2, 3, 4, 5])
    expect(await storage.storedSize(upload.key)).toBe(5)
    await storage.seal(upload.key, 5)
    expect(await read(upload.key)).toBe('hello')
  })

  it('stops paging when one part was sent more often than fits on a page', async () => {
    const upload = grant(5)
    const url = await storage.signUpload(upload)
    for (let time = 0; time < 7; time += 1) await put(url, 'hello')
    expect(await storage.storedSize(upload.key)).toBe(5)
    await storage.remove(upload.key)
  })
})

describe('a server with a bucket that lists uploads by id', () => {
  let bucket: BucketById
  let app: TestApp
  beforeAll(async () => {
    bucket = await startBucketById()
    app = await startTestApp({ env: bucket.env })
  })
  afterAll(async () => {
    await app.close()
    await bucket.close()
  })

  it('compares the bucket every night, and removes uploads without a row after a day', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    await makeFile(person)
    const startedUploads = []
    for (let n = 0; n < 6; n += 1) startedUploads.push(await startUpload(person, { size: 3 }))
    const [lostUpload, ...keptUploads] = startedUploads
    if (lostUpload) await putBytes(lostUpload, new Uint8Array(3))
    await app.deps.db.delete(uploads).where(eq(uploads.storageKey, lostUpload?.cloudKey ?? ''))
    expect(await compareStorage(app.deps)).toMatchObject({ objects: 7, removed: 0, missing: 0 })
    // The bucket's clock has moved on since the test's clock was set.
    app.clock.advance(day + minute)
    expect(await compareStorage(app.deps)).toMatchObject({ objects: 7, removed: 1, missing: 0 })
    const openKeys = new Set(Array.from(bucket.uploads.values(), ({ key }) => key))
    expect([...openKeys].sort()).toEqual(
      keptUploads.map(({ cloudKey }) => `files/${cloudKey}`).sort(),
    )
    expect(app.logLines.filter(({ level }) => level >= 50)).toEqual([])
  })
})
