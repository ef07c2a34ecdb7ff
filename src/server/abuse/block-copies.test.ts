import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { insertLinkedFilesSql } from '../../../tests/support/linked-files.ts'
import {
  type Client,
  json,
  makeFile,
  makePerson,
  type Person,
  sha256,
} from '../../../tests/support/make.ts'
import {
  partBytes,
  putPart,
  startMultipartUpload,
} from '../../../tests/support/small-multipart-uploads.ts'
import {
  canDownload,
  closeWithoutErrors,
  findListedFile,
  listReports,
  listTakedownAudit,
  makeFileBytes,
  reportLink,
  startTakedownSetup,
  takeDownOrThrow,
  uploadAndConfirm,
  uploadBytes,
} from '../../../tests/support/takedowns.ts'
import type { TestApp } from '../../../tests/support/test-app.ts'
import { codesOf, confirmInBatch, startAndSend } from '../../../tests/support/upload-batches.ts'
import { expectError, requestConfirm } from '../../../tests/support/upload-requests.ts'
import type { File } from '../../shared/contract/files.ts'
import { blockedContent, removals, uploads } from '../db/schema.ts'
import { expireFiles } from '../files/expire-files.ts'
import { computeDigests } from './compute-digests.ts'

let app: TestApp
let admin: Person
let owner: Person
let visitor: Client
beforeAll(async () => {
  ;({ app, admin, owner, visitor } = await startTakedownSetup())
})
afterEach(async () => {
  await app.sendQueuedEmails()
})
afterAll(() => closeWithoutErrors(app))

describe('blocked content', () => {
  it('cannot be uploaded again in a single request by any user', async () => {
    const bytes = makeFileBytes()
    const file = await makeFile(owner, { bytes })
    await takeDownOrThrow(admin, file.shortCode)
    const eve = await makePerson(app)
    for (const [person, claim] of [
      [owner, {}],
      [eve, {}],
      [eve, { sha256: sha256(bytes) }],
      [admin, {}],
    ] as const) {
      const { cloudKey, response } = await uploadAndConfirm(person, bytes, claim)
      await expectError(response, 409, 'CONTENT_BLOCKED')
      // The failed confirm ended the upload and deleted its bytes.
      await expectError(await requestConfirm(person, cloudKey), 404, 'UPLOAD_NOT_FOUND')
      expect(await app.storage.storedSize(cloudKey)).toBeNull()
    }
    expect(await app.deps.db.select().from(removals)).toEqual([])
    const ownedByEve = eq(uploads.ownerId, eve.id)
    expect(await app.deps.db.$count(uploads, ownedByEve)).toBe(0)
    expect(await json(await eve.fetch('/api/files'))).toEqual([])
  })

  it('cannot be uploaded again in parts', async () => {
    const eve = await makePerson(app)
    const firstUpload = await startMultipartUpload(app, eve)
    const sendUpload = async (
      startedUpload: typeof firstUpload,
      bytes: Uint8Array<ArrayBuffer>,
    ) => {
      const upload = { ...startedUpload, bytes }
      const { urls } = await json<{ urls: Record<string, string> }>(
        await eve.post('/api/files/upload-parts', {
          cloudKey: upload.cloudKey,
          partNumbers: [1, 2, 3],
        }),
      )
      for (const n of [3, 1, 2]) await putPart(urls[n] ?? '', partBytes(upload, n))
    }
    await sendUpload(firstUpload, firstUpload.bytes)
    const file = await json<File>(await requestConfirm(eve, firstUpload.cloudKey))
    await takeDownOrThrow(admin, file.shortCode)
    const secondUpload = await startMultipartUpload(app, eve)
    await sendUpload(secondUpload, firstUpload.bytes)
    const { cloudKey } = secondUpload
    await expectError(await eve.post('/api/files', { cloudKey }), 409, 'CONTENT_BLOCKED')
    expect(await app.storage.storedSize(cloudKey)).toBeNull()
  })

  it('is rejected in a batch without affecting the other entries', async () => {
    const bytes = makeFileBytes()
    await takeDownOrThrow(admin, (await makeFile(owner, { bytes })).shortCode)
    const premiumUser = await makePerson(app, { tier: 'premium' })
    const startedUploads = await startAndSend(premiumUser, [
      makeFileBytes(),
      bytes,
      makeFileBytes(),
    ])
    expect(codesOf(await confirmInBatch(premiumUser, startedUploads))).toEqual([
      'ok',
      'CONTENT_BLOCKED',
      'ok',
    ])
    expect(await app.storage.storedSize(startedUploads[1]?.cloudKey ?? '')).toBeNull()
  })

  it('is rejected by each of many parallel confirms', async () => {
    const bytes = makeFileBytes()
    await takeDownOrThrow(admin, (await makeFile(owner, { bytes })).shortCode)
    const key = await uploadBytes(owner, bytes)
    const responses = await Promise.all(Array.from({ length: 6 }, () => requestConfirm(owner, key)))
    for (const { status } of responses) expect([404, 409]).toContain(status)
    expect(responses.some(({ status }) => status === 409)).toBe(true)
    expect(await app.storage.storedSize(key)).toBeNull()
  })

  it('is rejected when a confirm is repeated after the takedown', async () => {
    const bytes = makeFileBytes()
    const { cloudKey, response } = await uploadAndConfirm(owner, bytes)
    await takeDownOrThrow(admin, (await json<File>(response)).shortCode)
    await expectError(await requestConfirm(owner, cloudKey), 409, 'CONTENT_BLOCKED')
  })

  it('excludes content that differs by one byte or only has the same size', async () => {
    const bytes = makeFileBytes()
    await takeDownOrThrow(admin, (await makeFile(owner, { bytes })).shortCode)
    const otherBytes = bytes.slice()
    otherBytes[0] = (otherBytes[0] ?? 0) ^ 1
    expect((await uploadAndConfirm(owner, otherBytes)).response.status).toBe(200)
    expect((await uploadAndConfirm(owner, bytes.slice(1))).response.status).toBe(200)
  })
})

describe('other files with the same content', () => {
  it('are counted before the takedown and taken down with it, and their owners are emailed', async () => {
    const bytes = makeFileBytes()
    const [ada, bob] = [await makePerson(app, { tier: 'premium' }), await makePerson(app)]
    const reportedFile = await makeFile(owner, { bytes, name: 'one' })
    const [adaFile, adaCopy] = [await makeFile(ada, { bytes }), await makeFile(ada, { bytes })]
    const bobCopy = await makeFile(bob, { bytes })
    const deletedFile = await makeFile(bob, { bytes })
    await bob.fetch(`/api/files/${deletedFile.id}`, { method: 'DELETE' })
    const unaffectedFile = await makeFile(bob)
    await reportLink(visitor, reportedFile.shortCode)
    await reportLink(visitor, adaFile.shortCode)
    const listedReports = await listReports(admin)
    expect(listedReports.map(({ file }) => file.copies)).toEqual([3, 3])

    expect(await takeDownOrThrow(admin, reportedFile.shortCode, 'Stolen.')).toBe(
      'The file was taken down. Its content is blocked, and 3 other files with it were taken down.',
    )
    for (const { shortCode } of [reportedFile, adaFile, adaCopy, bobCopy])
      expect(await canDownload(visitor, shortCode)).toBe(false)
    expect(await canDownload(visitor, unaffectedFile.shortCode)).toBe(true)
    expect(await listReports(admin)).toEqual([])
    expect(await findListedFile(bob, bobCopy.id)).toMatchObject({ takedownReason: 'Stolen.' })

    const emails = await app.sendQueuedEmails()
    expect(emails.map(({ to }) => to.address).toSorted()).toEqual(
      [owner.email, ada.email, bob.email].toSorted(),
    )
    const emailToAda = emails.find(({ to }) => to.address === ada.email)
    expect(emailToAda?.content.subject).toBe('2 of your files were taken down')

    const lines = await listTakedownAudit(admin, ada)
    expect(lines.map(({ details }) => details.shortCode).toSorted()).toEqual(
      [adaFile.shortCode, adaCopy.shortCode].toSorted(),
    )
    expect(lines[0]).toMatchObject({ actor: null, subject: ada.email, details: { isCopy: true } })
  })

  it('are all taken down, even if that takes several transactions', async () => {
    const bytes = makeFileBytes(10)
    const eve = await makePerson(app, { tier: 'premium' })
    const file = await makeFile(eve, { bytes })
    await app.pool.query(
      insertLinkedFilesSql(
        `owner_id, storage, storage_key, original_name, mime_type, size, sha256, is_content_proved,
          short_code, created_at, expires_at, max_lifetime_at, purge_at`,
        `select files.owner_id, storage, substr(translate(gen_random_uuid()::text, '-', ''), 1, 26),
         original_name, mime_type, size, $2, true, 'code' || n, files.created_at, expires_at,
         max_lifetime_at, purge_at
        from files join links on links.id = link_id, generate_series(1, 250) n
        where files.id = $1`,
      ),
      [file.id, sha256(bytes)],
    )
    expect(await takeDownOrThrow(admin, file.shortCode)).toContain('250 other files')
    const summary = await json(await eve.fetch('/api/files/summary'))
    expect(summary).toMatchObject({ files: { active: 0, deleted: 251 } })
    await expireFiles(app.deps)
  })
})

describe('a takedown interrupted after blocking the content', () => {
  it('is completed by the next run of the job', async () => {
    const bytes = makeFileBytes()
    const [file, copiedFile] = [await makeFile(owner, { bytes }), await makeFile(admin, { bytes })]
    await app.deps.db.insert(blockedContent).values({
      sha256: sha256(bytes),
      size: bytes.length,
      reason: 'Cut off.',
      blockedAt: app.clock(),
    })
    expect(await computeDigests(app.deps)).toMatchObject({ failed: 0, takenDown: 2 })
    for (const { shortCode } of [file, copiedFile])
      expect(await canDownload(visitor, shortCode)).toBe(false)
    expect(await findListedFile(owner, file.id)).toMatchObject({ takedownReason: 'Cut off.' })
    expect(await app.sendQueuedEmails()).toHaveLength(2)
    expect(await computeDigests(app.deps)).toMatchObject({ takenDown: 0 })
  })
})
