import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { computeDigests } from '../src/server/abuse/compute-digests.ts'
import { blockedContent, files } from '../src/server/db/schema.ts'
import { expireFiles } from '../src/server/files/expire-files.ts'
import { compareStorage } from '../src/server/jobs/compare-storage.ts'
import type { File } from '../src/shared/contract/files.ts'
import { countStoredBytes } from './support/bucket.ts'
import {
  json,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  putBytes,
  sha256,
  startUpload,
} from './support/make.ts'
import { describeOnS3, makeBucket, type TestBucket } from './support/s3.ts'
import { listReports, reportLink, takeDownOrThrow } from './support/takedowns.ts'
import { startTestApp, type TestApp } from './support/test-app.ts'
import { expectError, requestConfirm, requestDownload } from './support/upload-requests.ts'

const mebibyte = 1024 ** 2

function makeBytes(size = 1000) {
  return new Uint8Array(randomBytes(size))
}

describeOnS3('a takedown on S3', () => {
  let app: TestApp
  let bucket: TestBucket
  let admin: Person
  let ada: Person
  beforeAll(async () => {
    bucket = await makeBucket()
    app = await startTestApp({ env: bucket.env })
    admin = await makePerson(app, { role: 'admin' })
    ada = await makePerson(app, { tier: 'premium' })
  })
  afterAll(async () => {
    const errorLines = app.logLines.filter(({ level }) => level >= 50)
    await app.close()
    expect(errorLines).toEqual([])
  })

  const findRow = async ({ id }: Pick<File, 'id'>) => {
    const [row] = await app.deps.db.select().from(files).where(eq(files.id, id))
    return row
  }

  /**
   * Uploads bytes in a single PUT and confirms the upload. `claimedSha256` is the hash that the
   * client sends.
   */
  const upload = async (bytes: Uint8Array<ArrayBuffer>, claimedSha256?: string) => {
    const startedUpload = await startUpload(ada, { size: bytes.length })
    await putBytes(startedUpload, bytes)
    return requestConfirm(
      ada,
      startedUpload.cloudKey,
      claimedSha256 === undefined ? {} : { sha256: claimedSha256 },
    )
  }

  /** Uploads bytes in parts, using the URLs returned when the upload started. */
  const uploadParts = async (bytes: Uint8Array<ArrayBuffer>) => {
    const startedUpload = await startUpload(ada, { size: bytes.length })
    const { size = 0, urls = {} } = startedUpload.parts ?? {}
    for (const [partNumber, url] of Object.entries(urls)) {
      const body = bytes.subarray((Number(partNumber) - 1) * size, Number(partNumber) * size)
      const headers = { 'content-type': 'text/plain' }
      expect((await fetch(url, { method: 'PUT', headers, body })).status).toBe(200)
    }
    return requestConfirm(ada, startedUpload.cloudKey)
  }

  it('ends the link, deletes the bytes and limits presigned URLs to one minute', async () => {
    const file = await makeFile(ada)
    const key = (await findRow(file))?.storageKey ?? ''
    const redirectResponse = await requestDownload(app, file.shortCode)
    const signedUrl = new URL(redirectResponse.headers.get('location') ?? '')
    expect(Number(signedUrl.searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(60)
    expect(await takeDownOrThrow(admin, file.shortCode)).toBe(
      'The file was taken down. Its content is blocked.',
    )
    expect((await requestDownload(app, file.shortCode)).status).toBe(404)
    expect(await expireFiles(app.deps)).toEqual({ purged: 0, failed: 0 })
    expect((await fetch(signedUrl)).status).toBe(404)
    expect(await app.storage.storedSize(key)).toBeNull()
    expect(await compareStorage(app.deps)).toMatchObject({ removed: 0, missing: 0 })
  })

  it('blocks the content in the bucket, whatever SHA-256 the next uploader claims', async () => {
    const bytes = makeBytes()
    const file = await json<File>(await upload(bytes, sha256(bytes)))
    await takeDownOrThrow(admin, file.shortCode)
    await expireFiles(app.deps)
    const bytesBefore = await countStoredBytes(bucket)
    await expectError(await upload(bytes, sha256(bytes)), 409, 'CONTENT_BLOCKED')
    await expectError(await upload(bytes), 409, 'CONTENT_BLOCKED')
    expect(await countStoredBytes(bucket)).toBe(bytesBefore)
    // A wrong SHA-256 is rejected, as it is by the disk store. The upload stays open, but its bytes
    // are deleted.
    await expectError(await upload(bytes, sha256(makeBytes())), 409, 'CHECKSUM_MISMATCH')
    expect(await countStoredBytes(bucket)).toBe(bytesBefore)
    // Different content of the same size is hashed and accepted.
    const otherBytes = makeBytes()
    const otherFile = await json<File>(await upload(otherBytes))
    expect(otherFile.sha256).toBe(sha256(otherBytes))
    expect((await findRow(otherFile))?.isContentProved).toBe(true)
  })

  it('blocks content sent in parts or as a whole, whichever way it was sent before the takedown', async () => {
    const bytes = makeBytes(8 * mebibyte + 1)
    const file = await json<File>(await uploadParts(bytes))
    expect((await findRow(file))?.isContentProved).toBe(false)
    await takeDownOrThrow(admin, file.shortCode)
    await expectError(await uploadParts(bytes), 409, 'CONTENT_BLOCKED')
    await expectError(await upload(bytes), 409, 'CONTENT_BLOCKED')
    await expireFiles(app.deps)
    expect((await app.deps.db.select().from(blockedContent)).map((row) => row.sha256)).toContain(
      sha256(bytes),
    )
  })

  it("doesn't block content whose SHA-256 was merely claimed", async () => {
    const innocentBytes = makeBytes()
    const innocentFile = await json<File>(await upload(innocentBytes, sha256(innocentBytes)))
    // Someone uploads malware but claims that it has the SHA-256 of another user's file.
    const malwareBytes = makeBytes(2000)
    const file = await json<File>(await upload(malwareBytes, sha256(innocentBytes)))
    expect((await findRow(file))?.sha256).toBeNull()
    await takeDownOrThrow(admin, file.shortCode)
    await computeDigests(app.deps)
    expect((await requestDownload(app, innocentFile.shortCode)).status).toBe(302)
    expect((await upload(innocentBytes, sha256(innocentBytes))).status).toBe(200)
    await expectError(await upload(malwareBytes), 409, 'CONTENT_BLOCKED')
    expect((await findRow(file))?.sha256).toBe(sha256(malwareBytes))
    await expireFiles(app.deps)
  })

  it('takes down other files with the same bytes in the next job run', async () => {
    const bytes = makeBytes(3000)
    const claimedHashes = [sha256(bytes), undefined, sha256(makeBytes())]
    const copies: File[] = []
    for (const claimedHash of claimedHashes)
      copies.push(await json<File>(await upload(bytes, claimedHash)))
    const otherFile = await json<File>(await upload(makeBytes(3000)))
    const [takenDownFile] = copies
    await reportLink(makeClient(app), takenDownFile?.shortCode ?? '')
    // The server hasn't computed the SHA-256 yet, so it doesn't know of any copies.
    expect((await listReports(admin))[0]?.file.copies).toBe(0)
    await takeDownOrThrow(admin, takenDownFile?.shortCode ?? '')
    await app.sendQueuedEmails()
    expect(await computeDigests(app.deps)).toMatchObject({ failed: 0, takenDown: 2 })
    for (const copy of copies) expect((await requestDownload(app, copy.shortCode)).status).toBe(404)
    expect((await requestDownload(app, otherFile.shortCode)).status).toBe(302)
    const [email, ...otherEmails] = await app.sendQueuedEmails()
    expect(otherEmails).toEqual([])
    expect(email?.content.subject).toBe('2 of your files were taken down')
    expect(await computeDigests(app.deps)).toMatchObject({ takenDown: 0 })
    expect(await expireFiles(app.deps)).toMatchObject({ purged: 0, failed: 0 })
  })
})
