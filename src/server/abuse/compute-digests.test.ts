import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, json, makeFile, type Person, sha256 } from '../../../tests/support/make.ts'
import {
  canDownload,
  findListedFile,
  makeFileBytes,
  startTakedownSetup,
  takeDownOrThrow,
  uploadBytes,
} from '../../../tests/support/takedowns.ts'
import type { TestApp } from '../../../tests/support/test-app.ts'
import { download, expectError, requestConfirm } from '../../../tests/support/upload-requests.ts'
import { AppError } from '../errors.ts'
import type { FileRow } from '../files/queries.ts'
import type { Storage } from '../storage/storage.ts'
import { createStores } from '../storage/stores.ts'
import { confirmUpload } from '../uploads/confirm-upload.ts'
import { computeDigests } from './compute-digests.ts'

let app: TestApp
let admin: Person
let owner: Person
let visitor: Client
let requestCount = 0
beforeAll(async () => {
  ;({ app, admin, owner, visitor } = await startTakedownSetup())
})
afterAll(() => app.close())

function depsWith(changes: Partial<Storage> = {}) {
  return {
    ...app.deps,
    stores: createStores({ ...app.storage, ...changes }),
    requestJob() {
      requestCount += 1
    },
  }
}

function confirmOrThrow(cloudKey: string, claimedSha256?: string): Promise<FileRow> {
  return confirmUpload(depsWith(), owner.id, { cloudKey, sha256: claimedSha256 })
}

async function getErrorCode(promise: Promise<unknown>): Promise<string> {
  const error = await promise.catch((error: unknown) => error)
  return error instanceof AppError ? error.code : 'none'
}

describe('a confirmed file', () => {
  it('is usable immediately and gets its SHA-256 later, exactly once', async () => {
    const bytes = makeFileBytes()
    requestCount = 0
    const file = await confirmOrThrow(await uploadBytes(owner, bytes))
    expect([file.sha256, requestCount]).toEqual([null, 1])
    expect(await download(app, file)).toEqual(bytes)
    expect((await findListedFile(owner, file.id))?.sha256).toBeNull()
    expect(await computeDigests(app.deps)).toEqual({ computed: 1, failed: 0, takenDown: 0 })
    expect((await findListedFile(owner, file.id))?.sha256).toBe(sha256(bytes))
    const details = await json<{ sha256: string }>(
      await visitor.fetch(`/api/links/${file.shortCode}`),
    )
    expect(details.sha256).toBe(sha256(bytes))
    expect(await computeDigests(app.deps)).toEqual({ computed: 0, failed: 0, takenDown: 0 })
  })

  it('is checked against the SHA-256 claimed by each confirm, before the response', async () => {
    const bytes = makeFileBytes()
    const wrongKey = await uploadBytes(owner, bytes)
    expect(await getErrorCode(confirmOrThrow(wrongKey, 'f'.repeat(64)))).toBe('CHECKSUM_MISMATCH')
    expect(await app.storage.storedSize(wrongKey)).toBeNull()
    requestCount = 0
    const fileWithRightClaim = await confirmOrThrow(await uploadBytes(owner, bytes), sha256(bytes))
    expect([fileWithRightClaim.sha256, requestCount]).toEqual([sha256(bytes), 0])

    const key = await uploadBytes(owner, bytes)
    const file = await confirmOrThrow(key)
    const mismatchResponse = await requestConfirm(owner, key, { sha256: 'f'.repeat(64) })
    await expectError(mismatchResponse, 409, 'CHECKSUM_MISMATCH')
    const retryResponse = await requestConfirm(owner, key, { sha256: sha256(bytes) })
    expect(retryResponse.status).toBe(200)
    expect(await download(app, file)).toEqual(bytes)
    await computeDigests(app.deps)
  })

  it("that cannot be read is retried later and doesn't delay other files", async () => {
    const files = [
      await confirmOrThrow(await uploadBytes(owner, makeFileBytes())),
      await confirmOrThrow(await uploadBytes(owner, makeFileBytes())),
    ]
    let hasFailed = false
    const flakyDeps = depsWith({
      async digest(key) {
        if (hasFailed) return app.storage.digest(key)
        hasFailed = true
        throw new Error('the disk does not answer')
      },
    })
    expect(await computeDigests(flakyDeps)).toEqual({ computed: 1, failed: 1, takenDown: 0 })
    expect(await computeDigests(app.deps)).toEqual({ computed: 1, failed: 0, takenDown: 0 })
    for (const { id } of files) expect((await findListedFile(owner, id))?.sha256).not.toBeNull()
  })

  it('that was deleted is not read', async () => {
    const file = await confirmOrThrow(await uploadBytes(owner, makeFileBytes()))
    await owner.fetch(`/api/files/${file.id}`, { method: 'DELETE' })
    expect(await computeDigests(app.deps)).toEqual({ computed: 0, failed: 0, takenDown: 0 })
  })
})

describe('content that was taken down', () => {
  it('cannot be confirmed as a new file', async () => {
    const bytes = makeFileBytes()
    await takeDownOrThrow(admin, (await makeFile(owner, { bytes })).shortCode)
    const key = await uploadBytes(owner, bytes)
    expect(await getErrorCode(confirmOrThrow(key))).toBe('CONTENT_BLOCKED')
    expect(await app.storage.storedSize(key)).toBeNull()
  })

  it('is also found in files whose SHA-256 was unknown', async () => {
    const bytes = makeFileBytes()
    const unhashedFile = await confirmOrThrow(await uploadBytes(owner, bytes))
    await takeDownOrThrow(admin, (await makeFile(owner, { bytes })).shortCode)
    await computeDigests(app.deps)
    expect(await canDownload(visitor, unhashedFile.shortCode)).toBe(false)
    expect((await findListedFile(owner, unhashedFile.id))?.takedownReason).toBe('It is malware.')
  })

  it('is found in a file whose hashing failed because the storage folder was unmounted', async () => {
    // No blocked content has this size, so the confirm doesn't compute the SHA-256 itself.
    const bytes = makeFileBytes(1001)
    const file = await confirmOrThrow(await uploadBytes(owner, bytes))
    const depsWithUnmountedStorage = depsWith({
      digest: async () => null,
      installation: async () => null,
    })
    expect(await computeDigests(depsWithUnmountedStorage)).toEqual({
      computed: 0,
      failed: 1,
      takenDown: 0,
    })
    await takeDownOrThrow(admin, (await makeFile(owner, { bytes })).shortCode)
    expect(await computeDigests(app.deps)).toEqual({ computed: 1, failed: 0, takenDown: 1 })
    expect(await canDownload(visitor, file.shortCode)).toBe(false)
  })

  it('is blocked even if its bytes were temporarily missing', async () => {
    const bytes = makeFileBytes(1002)
    const file = await confirmOrThrow(await uploadBytes(owner, bytes))
    const depsWithLostFile = depsWith({ digest: async () => null })
    expect(await computeDigests(depsWithLostFile)).toEqual({ computed: 0, failed: 0, takenDown: 0 })
    expect(await computeDigests(app.deps)).toEqual({ computed: 0, failed: 0, takenDown: 0 })
    await takeDownOrThrow(admin, file.shortCode)
    expect((await findListedFile(owner, file.id))?.sha256).toBe(sha256(bytes))
    expect(await getErrorCode(confirmOrThrow(await uploadBytes(owner, bytes)))).toBe(
      'CONTENT_BLOCKED',
    )
  })

  it('is blocked even if its SHA-256 is still unknown', async () => {
    const bytes = makeFileBytes()
    const file = await confirmOrThrow(await uploadBytes(owner, bytes))
    await takeDownOrThrow(admin, file.shortCode)
    expect(await getErrorCode(confirmOrThrow(await uploadBytes(owner, bytes)))).toBe(
      'CONTENT_BLOCKED',
    )
  })
})
