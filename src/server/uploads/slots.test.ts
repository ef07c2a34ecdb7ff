import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  json,
  listParts,
  makeFile,
  makePerson,
  putBytes,
  sha256,
  signParts,
  startUpload,
} from '../../../tests/support/make.ts'
import {
  pathsOnDisk,
  type SmallMultipartUpload,
  sendParts,
  startMultipartUpload,
} from '../../../tests/support/small-multipart-uploads.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import {
  expectError,
  requestConfirm,
  requestUpload,
} from '../../../tests/support/upload-requests.ts'
import type { File } from '../../shared/contract/files.ts'
import { blockedContent } from '../db/schema.ts'
import { confirmUpload } from './confirm-upload.ts'
import { retryRemovals, sweepUploads } from './end-uploads.ts'

const minute = 60_000
const day = 24 * 3_600_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

function text(length: number) {
  return new Uint8Array(length).fill(65)
}

describe('the slots of a free user', () => {
  it('are never more than three when many uploads start in parallel', async () => {
    const person = await makePerson(app)
    await makeFile(person)
    const responses = await Promise.all(Array.from({ length: 8 }, () => requestUpload(person)))
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(2)
    const rejections = responses.filter(({ status }) => status === 403)
    expect(rejections).toHaveLength(6)
    const message = (await json<{ message: string }>(rejections[0] as Response)).message
    expect(message).toMatch(/tier/)
    expect(message).toMatch(/Upgrade/)
  })

  it('are held by an idle upload for 15 minutes', async () => {
    const person = await makePerson(app)
    for (let n = 0; n < 3; n += 1) await startUpload(person, { size: 1 })
    app.clock.advance(15 * minute - 1)
    expect((await requestUpload(person)).status).toBe(403)
    app.clock.advance(1)
    expect((await requestUpload(person)).status).toBe(200)
  })

  it('are held for 15 minutes after the clock was set back', async () => {
    const person = await makePerson(app)
    app.clock.advance(4 * day)
    for (let n = 0; n < 3; n += 1) await startUpload(person, { size: 1 })
    app.clock.advance(-4 * day)
    await sweepUploads(app.deps)
    app.clock.advance(15 * minute - 1)
    expect((await requestUpload(person)).status).toBe(403)
    app.clock.advance(1)
    expect((await requestUpload(person)).status).toBe(200)
  })

  it('are not held by idle uploads, of which only the most recently active are kept', async () => {
    const person = await makePerson(app)
    const startedUploads = []
    for (let n = 0; n < 8; n += 1) {
      if (n % 3 === 0) app.clock.advance(15 * minute)
      const upload = await startUpload(person, { size: 1 })
      await putBytes(upload, text(1))
      app.clock.advance(1)
      startedUploads.push(upload)
    }
    app.clock.advance(15 * minute)
    await startUpload(person, { size: 1 })
    await retryRemovals(app.deps)
    const sizes = await Promise.all(
      startedUploads.map(({ cloudKey }) => app.storage.storedSize(cloudKey)),
    )
    expect(sizes).toEqual([null, null, null, 1, 1, 1, 1, 1])
    expect((await requestConfirm(person, startedUploads[0]?.cloudKey ?? '')).status).toBe(404)
    expect((await requestConfirm(person, startedUploads[3]?.cloudKey ?? '')).status).toBe(200)
  })

  it('are freed when a file expires', async () => {
    const person = await makePerson(app)
    for (let n = 0; n < 3; n += 1) await makeFile(person)
    expect((await requestUpload(person)).status).toBe(403)
    app.clock.advance(3 * day)
    expect((await requestUpload(person)).status).toBe(200)
  })

  it('can all be taken when an idle upload is confirmed: its bytes are kept until a slot is free', async () => {
    const person = await makePerson(app)
    const lateUpload = await startUpload(person, { size: 4 })
    await putBytes(lateUpload, text(4))
    app.clock.advance(16 * minute)
    const files = [await makeFile(person), await makeFile(person), await makeFile(person)]

    const rejection = await requestConfirm(person, lateUpload.cloudKey)
    expect(rejection.status).toBe(403)
    expect(await rejection.json()).toMatchObject({ code: 'TIER_FILE_COUNT' })
    // The bytes are already sealed, so another copy is refused and not stored.
    await expectError(await putBytes(lateUpload, text(4)), 409, 'UPLOAD_SEALED')
    expect(await pathsOnDisk(app, lateUpload.cloudKey)).toHaveLength(1)

    await person.fetch(`/api/files/${files[0]?.id}`, { method: 'DELETE' })
    expect((await requestConfirm(person, lateUpload.cloudKey)).status).toBe(200)
  })

  it('never hold a fourth file when many uploads are confirmed in parallel', async () => {
    const person = await makePerson(app)
    const startedUploads = []
    // Idle uploads don't count against the limit, so more uploads than slots can be open.
    for (let n = 0; n < 6; n += 1) {
      if (n === 3) app.clock.advance(16 * minute)
      const upload = await startUpload(person, { size: 1 })
      await putBytes(upload, text(1))
      startedUploads.push(upload)
    }
    app.clock.advance(16 * minute)
    const responses = await Promise.all(
      startedUploads.map(({ cloudKey }) => requestConfirm(person, cloudKey)),
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(await json<File[]>(await person.fetch('/api/files'))).toHaveLength(3)
  })

  it('stay held while parts are signed, listed or sent', async () => {
    const person = await makePerson(app)
    const openUploads = [
      await startMultipartUpload(app, person),
      await startMultipartUpload(app, person),
    ]
    openUploads.push(await startMultipartUpload(app, person))
    app.clock.advance(14 * minute)
    await signParts(person, openUploads[0]?.cloudKey ?? '', [1])
    await listParts(person, openUploads[1]?.cloudKey ?? '')
    await sendParts(person, openUploads[2] as SmallMultipartUpload, [1])
    app.clock.advance(14 * minute)
    expect((await requestUpload(person)).status).toBe(403)
    app.clock.advance(minute)
    expect((await requestUpload(person)).status).toBe(200)
  })
})

describe('the last slot of a free user', () => {
  /**
   * Uploads the bytes of two files, lets both uploads go idle, and then takes two of the three
   * slots.
   */
  const sendTwoForOneSlot = async (bytes = text(4)) => {
    const person = await makePerson(app)
    const [first, second] = [
      await startUpload(person, { size: bytes.length }),
      await startUpload(person, { size: 5 }),
    ]
    await putBytes(first, bytes)
    await putBytes(second, text(5))
    app.clock.advance(16 * minute)
    await makeFile(person)
    await makeFile(person)
    return { person, first, second }
  }

  it('is not taken by an upload whose content is blocked', async () => {
    const bytes = Uint8Array.of(1, 2, 3)
    const { person, first, second } = await sendTwoForOneSlot(bytes)
    await app.deps.db.insert(blockedContent).values({
      sha256: sha256(bytes),
      size: bytes.length,
      reason: 'malware',
      blockedAt: app.clock(),
    })
    await expectError(await requestConfirm(person, first.cloudKey), 409, 'CONTENT_BLOCKED')
    expect((await requestConfirm(person, second.cloudKey)).status).toBe(200)
  })

  it('is not taken by an upload that a parallel request has just ended', async () => {
    const { person, first, second } = await sendTwoForOneSlot()
    vi.spyOn(app.deps.db, 'transaction').mockImplementationOnce(async (work) => {
      const parallelResponse = await requestConfirm(person, first.cloudKey, {
        sha256: 'a'.repeat(64),
      })
      await expectError(parallelResponse, 409, 'CHECKSUM_MISMATCH')
      return app.deps.db.transaction(work)
    })
    await expect(confirmUpload(app.deps, person.id, first)).rejects.toMatchObject({
      code: 'UPLOAD_SUPERSEDED',
    })
    expect((await requestConfirm(person, second.cloudKey)).status).toBe(200)
  })
})

describe('the slots of a premium user', () => {
  it('are unlimited', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    for (let n = 0; n < 5; n += 1) expect((await requestUpload(person)).status).toBe(200)
  })
})
