import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { computeDigests } from '../src/server/abuse/compute-digests.ts'
import { uploads } from '../src/server/db/schema.ts'
import { compareStorage } from '../src/server/jobs/compare-storage.ts'
import { sweepUploads } from '../src/server/uploads/end-uploads.ts'
import type { File } from '../src/shared/contract/files.ts'
import { countStoredBytes } from './support/bucket.ts'
import {
  closeRequest,
  listReceived,
  makeRequest,
  startDelivery,
  withToken,
} from './support/file-requests.ts'
import { newFile } from './support/link-requests.ts'
import {
  type Client,
  checksums,
  json,
  listParts,
  makeClient,
  makePerson,
  type Person,
  putBytes,
  type StartedUpload,
  sha256,
  signParts,
  startUpload,
} from './support/make.ts'
import { countOpenUploads, describeOnS3, makeBucket, type TestBucket } from './support/s3.ts'
import { startTestApp, type TestApp } from './support/test-app.ts'
import {
  abortUpload,
  expectError,
  requestConfirm,
  requestParts,
} from './support/upload-requests.ts'

const mebibyte = 1024 ** 2
const minute = 60_000
const hour = 60 * minute
const partSize = 8 * mebibyte
/**
 * Two parts. The last part is small, because the connection may break before the client has read
 * the error when a large body is rejected.
 */
const bytes = new Uint8Array(randomBytes(partSize + 1000))
const hash = sha256(bytes)
function getPartBytes(partNumber: number) {
  return bytes.subarray((partNumber - 1) * partSize, partNumber * partSize)
}

function putPart(url: string, body: Uint8Array<ArrayBuffer>) {
  return fetch(url, {
    method: 'PUT',
    headers: {
      'content-type': 'text/plain',
      'content-md5': checksums.md5(body),
    },
    body,
  })
}

function start(person: Person) {
  return startUpload(person, { size: bytes.length })
}

async function sendParts(person: Client, { cloudKey }: StartedUpload, ...partNumbers: number[]) {
  const urls = await signParts(person, cloudKey, partNumbers)
  const responses = await Promise.all(
    urls.map((url, index) => putPart(url, getPartBytes(partNumbers[index] ?? 0))),
  )
  expect(responses.map(({ status }) => status)).toEqual(partNumbers.map(() => 200))
}

describeOnS3('a multipart upload on S3', () => {
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

  const storedParts = async (person: Person, { cloudKey }: StartedUpload) =>
    (await listParts(person, cloudKey)).map(({ partNumber }) => partNumber)

  const expectFile = async (response: Response) => {
    expect(response.status).toBe(200)
    const file = await json<File>(response)
    const downloadResponse = await fetch(`${app.url}/api/download/${file.shortCode}`)
    expect(sha256(new Uint8Array(await downloadResponse.arrayBuffer()))).toBe(hash)
    return file
  }

  it('goes straight to the bucket and is confirmed from its part list', async () => {
    const ada = await makePerson(app)
    const bytesBefore = await countStoredBytes(bucket)
    const startedUpload = await start(ada)
    expect(startedUpload).toMatchObject({
      parts: { size: partSize, count: 2 },
      checksum: 'md5',
      store: 's3',
      computesSha256: false,
    })
    const [url = ''] = await signParts(ada, startedUpload.cloudKey, [1])
    expect(new URL(url).origin).toBe(bucket.env.S3_ENDPOINT)
    expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe('3600')

    await sendParts(ada, startedUpload, 2, 1)
    expect(await listParts(ada, startedUpload.cloudKey)).toEqual(
      [1, 2].map((partNumber) => {
        const part = getPartBytes(partNumber)
        return { partNumber, size: part.length, checksum: checksums.md5(part) }
      }),
    )
    const file = await expectFile(
      await requestConfirm(ada, startedUpload.cloudKey, { sha256: hash }),
    )
    expect(file).toMatchObject({ size: bytes.length, sha256: null })
    expect(await countStoredBytes(bucket)).toBe(bytesBefore + bytes.length)
    // Confirm again, as a client does if it didn't receive the first response.
    expect(
      await json(await requestConfirm(ada, startedUpload.cloudKey, { sha256: hash })),
    ).toMatchObject({
      id: file.id,
    })
    await computeDigests(app.deps)
    expect(await json(await requestConfirm(ada, startedUpload.cloudKey))).toMatchObject({
      sha256: hash,
    })
  })

  it('works with the URLs from the start response, and is the same if started again', async () => {
    const ada = await makePerson(app)
    const request = { size: bytes.length, idempotencyKey: 'signed along' }
    const [firstStart, repeatedStart] = [
      await startUpload(ada, request),
      await startUpload(ada, request),
    ]
    expect(repeatedStart.cloudKey).toBe(firstStart.cloudKey)
    const urls = [firstStart, repeatedStart].map(({ parts }, index) => parts?.urls[index + 1] ?? '')
    for (const url of urls) {
      expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe('3600')
    }
    const [firstUrl = '', secondUrl = ''] = urls
    expect((await putPart(firstUrl, getPartBytes(1))).status).toBe(200)
    expect((await startUpload(ada, request)).cloudKey).toBe(firstStart.cloudKey)
    expect((await putPart(secondUrl, getPartBytes(2))).status).toBe(200)
    expect(await storedParts(ada, firstStart)).toEqual([1, 2])
    await expectFile(await requestConfirm(ada, firstStart.cloudKey, { sha256: hash }))
  })

  it("can't be confirmed before all parts are stored, and then continues", async () => {
    const ada = await makePerson(app)
    const startedUpload = await start(ada)
    await expectError(await requestConfirm(ada, startedUpload.cloudKey), 400, 'UPLOAD_INCOMPLETE')
    await sendParts(ada, startedUpload, 1)
    await expectError(await requestConfirm(ada, startedUpload.cloudKey), 400, 'UPLOAD_INCOMPLETE')
    expect(await storedParts(ada, startedUpload)).toEqual([1])
    await sendParts(ada, startedUpload, 2)
    await expectFile(await requestConfirm(ada, startedUpload.cloudKey))
  })

  it('keeps its bytes when sealed but rejected by the file limit', async () => {
    const ada = await makePerson(app)
    const [multipartUpload, singleUpload] = [
      await start(ada),
      await startUpload(ada, { size: 1000 }),
    ]
    await sendParts(ada, multipartUpload, 1, 2)
    expect((await putBytes(singleUpload, getPartBytes(2))).status).toBe(200)
    app.clock.advance(16 * minute)
    const files: File[] = []
    for (let n = 0; n < 3; n += 1) {
      const otherUpload = await startUpload(ada, { size: 1 })
      expect((await putBytes(otherUpload, new Uint8Array(1))).status).toBe(200)
      files.push(await json<File>(await requestConfirm(ada, otherUpload.cloudKey)))
    }
    await expectError(
      await requestConfirm(ada, multipartUpload.cloudKey, { sha256: hash }),
      403,
      'TIER_FILE_COUNT',
    )
    await expectError(await requestConfirm(ada, singleUpload.cloudKey), 403, 'TIER_FILE_COUNT')
    expect(await listParts(ada, multipartUpload.cloudKey)).toEqual([
      { partNumber: 1, size: partSize },
      { partNumber: 2, size: 1000 },
    ])
    expect(await listParts(ada, singleUpload.cloudKey)).toEqual([{ partNumber: 1, size: 1000 }])
    for (const { id } of files.slice(0, 2))
      await ada.fetch(`/api/files/${id}`, { method: 'DELETE' })
    await expectFile(await requestConfirm(ada, multipartUpload.cloudKey, { sha256: hash }))
    expect((await requestConfirm(ada, singleUpload.cloudKey)).status).toBe(200)
  })

  it('frees everything when aborted, including its part URLs', async () => {
    const ada = await makePerson(app)
    const bytesBefore = await countStoredBytes(bucket)
    const startedUpload = await start(ada)
    expect((await putBytes(startedUpload, bytes)).status).toBe(200)
    await sendParts(ada, startedUpload, 1)
    const [url = ''] = await signParts(ada, startedUpload.cloudKey, [2])
    expect((await abortUpload(ada, startedUpload.cloudKey)).status).toBe(200)
    expect(await countStoredBytes(bucket)).toBe(bytesBefore)
    expect((await putPart(url, getPartBytes(2))).status).toBe(404)
    await expectError(await requestParts(ada, startedUpload.cloudKey, [2]), 404, 'UPLOAD_NOT_FOUND')
    expect(await countStoredBytes(bucket)).toBe(bytesBefore)
  })

  it('is sent by a sender with the token of its delivery alone, also after the request has closed', async () => {
    const owner = await makePerson(app, { tier: 'premium' })
    const request = await makeRequest(owner)
    const files = [newFile({ fileSize: bytes.length }), newFile()]
    const delivery = await startDelivery(makeClient(app), request.code, files)
    const sender = withToken(makeClient(app), delivery.uploadToken)
    const [upload, abandonedUpload] = delivery.uploads as [StartedUpload, StartedUpload]
    const { cloudKey } = upload
    await sendParts(sender, upload, 1)
    const otherDelivery = await startDelivery(makeClient(app), request.code)
    const otherSender = withToken(makeClient(app), otherDelivery.uploadToken)
    await expectError(await requestParts(otherSender, cloudKey, [2]), 404, 'UPLOAD_NOT_FOUND')
    await expectError(await requestConfirm(otherSender, cloudKey), 404, 'UPLOAD_NOT_FOUND')
    await closeRequest(owner, request.id)
    await sendParts(sender, upload, 2)
    expect((await listParts(sender, cloudKey)).map(({ size }) => size)).toEqual([partSize, 1000])
    const sent = { originalName: 'notes.txt', mimeType: 'text/plain', size: bytes.length }
    expect(await json(await requestConfirm(sender, cloudKey, { sha256: hash }))).toEqual(sent)
    expect((await abortUpload(sender, abandonedUpload.cloudKey)).status).toBe(200)
    const received = await listReceived(owner, request)
    const link = received.find(({ state }) => state === 'ready')
    const path = `/api/download/${link?.shortCode}`
    expect((await makeClient(app).fetch(path)).status).toBe(404)
    const { headers } = await owner.fetch(path)
    const download = await fetch(headers.get('location') ?? '')
    expect(sha256(new Uint8Array(await download.arrayBuffer()))).toBe(hash)
  })

  // These tests advance the server's clock but can't advance the bucket's, so the bucket then
  // rejects newly signed URLs.
  describe('left behind', () => {
    it('is deleted after a day, as are orphaned parts', async () => {
      const ada = await makePerson(app)
      const bytesBefore = await countStoredBytes(bucket)
      const idleUpload = await start(ada)
      await sendParts(ada, idleUpload, 1)
      const deletedUpload = await start(ada)
      await sendParts(ada, deletedUpload, 2)
      const silentUpload = await start(ada)
      await app.deps.db.delete(uploads).where(eq(uploads.storageKey, deletedUpload.cloudKey))
      expect(await compareStorage(app.deps)).toMatchObject({ removed: 0, missing: 0 })
      expect(await countStoredBytes(bucket)).toBe(bytesBefore + bytes.length)

      app.clock.advance(24 * hour + minute)
      expect(await sweepUploads(app.deps)).toBeGreaterThan(0)
      expect(await app.storage.storedSize(idleUpload.cloudKey)).toBeNull()
      expect(await countOpenUploads(bucket, silentUpload.cloudKey)).toBe(0)
      expect(await compareStorage(app.deps)).toMatchObject({ removed: 1, missing: 0 })
      expect(await countStoredBytes(bucket)).toBe(bytesBefore)
    })
  })
})
