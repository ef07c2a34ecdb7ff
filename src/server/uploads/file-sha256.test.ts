import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, makePerson, putBytes, sha256 } from '../../../tests/support/make.ts'
import {
  expectResumable,
  pathsOnDisk,
  sendAllParts,
  sendParts,
  startMultipartUpload,
} from '../../../tests/support/small-multipart-uploads.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { download, expectError, requestConfirm } from '../../../tests/support/upload-requests.ts'
import type { File } from '../../shared/contract/files.ts'
import { computeDigests } from '../abuse/compute-digests.ts'
import { createStores } from '../storage/stores.ts'
import { confirmUpload } from './confirm-upload.ts'
import { retryRemovals } from './end-uploads.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

describe('the SHA-256 of a file', () => {
  it('is compared with the claimed one at the first and every later confirm', async () => {
    const person = await makePerson(app)
    for (const isClaimed of [false, true]) {
      const { cloudKey, bytes } = await sendAllParts(app, person)
      const claimFields = isClaimed ? { sha256: sha256(bytes) } : {}
      const file = await json<File>(await requestConfirm(person, cloudKey, claimFields))
      expect(file.sha256).toBe(isClaimed ? sha256(bytes) : null)
      const repeatedFile = await json<File>(
        await requestConfirm(person, cloudKey, { sha256: sha256(bytes) }),
      )
      expect(repeatedFile).toEqual(file)
      await expectError(
        await requestConfirm(person, cloudKey, { sha256: 'f'.repeat(64) }),
        409,
        'CHECKSUM_MISMATCH',
      )
      expect(await download(app, file)).toEqual(bytes)
    }
  })

  it.each(['', 'x', 'A'.repeat(64), 'a'.repeat(63), 'a'.repeat(65), 7, null, {}])(
    'is refused if claimed as %j, and the bytes stay',
    async (claim) => {
      const person = await makePerson(app)
      const upload = await sendAllParts(app, person)
      const rejection = await requestConfirm(person, upload.cloudKey, { sha256: claim })
      await expectError(rejection, 400, 'INVALID_INPUT')
      await expectResumable(app, person, upload)
    },
  )

  it('ends the upload when it differs from the claim', async () => {
    const person = await makePerson(app)
    const upload = await startMultipartUpload(app, person)
    await sendParts(person, { ...upload, bytes: new Uint8Array(25) }, [1, 2, 3])
    const claimFields = { sha256: sha256(upload.bytes) }
    const rejection = await requestConfirm(person, upload.cloudKey, claimFields)
    await expectError(rejection, 409, 'CHECKSUM_MISMATCH')
    expect(await pathsOnDisk(app, upload.cloudKey)).toEqual([])
    await expectError(
      await requestConfirm(person, upload.cloudKey, claimFields),
      404,
      'UPLOAD_NOT_FOUND',
    )
    expect((await putBytes(upload, upload.bytes)).status).toBe(404)
    // The slot is free again, so the file can be sent as a new upload.
    const newUpload = await sendAllParts(app, person)
    const file = await json<File>(
      await requestConfirm(person, newUpload.cloudKey, { sha256: sha256(newUpload.bytes) }),
    )
    expect(await download(app, file)).toEqual(newUpload.bytes)
  })

  it('gives each of several parallel claims a file or a conflict, never a server error', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    for (let round = 0; round < 2; round += 1) {
      const { cloudKey, bytes } = await sendAllParts(app, person)
      const claims = [sha256(bytes), 'f'.repeat(64), sha256(bytes), 'e'.repeat(64)]
      const responses = await Promise.all(
        claims.map((claim) => requestConfirm(person, cloudKey, { sha256: claim })),
      )
      for (const [index, response] of responses.entries()) {
        if (response.ok) {
          expect(claims[index]).toBe(sha256(bytes))
          expect(await download(app, await json<File>(response))).toEqual(bytes)
        } else expect([404, 409]).toContain(response.status)
      }
    }
    expect(app.logLines.filter(({ level }) => level >= 50)).toEqual([])
    const files = await json<File[]>(await person.fetch('/api/files'))
    await Promise.all(files.map((file) => download(app, file)))
  })

  it('leaves the removal of wrong bytes to the job when storage fails', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const upload = await sendAllParts(app, person)
    const remove = () => Promise.reject(new Error('EIO'))
    const deps = { ...app.deps, stores: createStores({ ...app.storage, remove }) }
    const wrongClaim = { cloudKey: upload.cloudKey, sha256: 'f'.repeat(64) }
    await expect(confirmUpload(deps, person.id, wrongClaim)).rejects.toMatchObject({
      code: 'CHECKSUM_MISMATCH',
    })
    app.clock.advance(3 * 60_000)
    expect(await retryRemovals(app.deps)).toEqual({ removed: 1, failed: 0 })
    expect(await pathsOnDisk(app, upload.cloudKey)).toEqual([])
  })

  it('is never taken from an unverified claim', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const bucketStores = createStores({ ...app.storage, computesSha256: false })
    const deps = { ...app.deps, stores: bucketStores }
    const { cloudKey, bytes } = await sendAllParts(app, person)
    const file = await confirmUpload(deps, person.id, { cloudKey, sha256: 'a'.repeat(64) })
    expect(file.sha256).toBeNull()
    await computeDigests(app.deps)
    const [listedFile] = await json<File[]>(await person.fetch('/api/files'))
    expect(listedFile?.sha256).toBe(sha256(bytes))
  })
})
