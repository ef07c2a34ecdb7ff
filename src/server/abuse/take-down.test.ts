import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { getFileRow, updateFiles } from '../../../tests/support/file-rows.ts'
import {
  type Client,
  json,
  makeFile,
  makePerson,
  type Person,
  requestRenewal,
  sha256,
} from '../../../tests/support/make.ts'
import {
  canDownload,
  closeWithoutErrors,
  findListedFile,
  listReports,
  listTakedownAudit,
  makeFileBytes,
  reportLink,
  startTakedownSetup,
  takeDown,
  takeDownOrThrow,
  uploadAndConfirm,
} from '../../../tests/support/takedowns.ts'
import type { TestApp } from '../../../tests/support/test-app.ts'
import { expectError } from '../../../tests/support/upload-requests.ts'
import type { File } from '../../shared/contract/files.ts'
import { deletionReceipts, files, users } from '../db/schema.ts'
import { expireFiles } from '../files/expire-files.ts'
import { compareStorage } from '../jobs/compare-storage.ts'
import { createStores } from '../storage/stores.ts'
import { proveContent } from './block-copies.ts'
import { computeDigests } from './compute-digests.ts'
import { takeDown as takeDownFile, takedownText } from './take-down.ts'

const day = 24 * 60 * 60_000
const html = { accept: 'text/html' }

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

async function findFileRow(id: string) {
  const [row] = await app.deps.db.select().from(files).where(eq(files.id, id))
  return row
}

async function findTakedownEntry({ id }: { id: string }) {
  const lines = await listTakedownAudit(admin, owner)
  return lines.find(({ details }) => details.fileId === id)
}

describe('a link that is taken down', () => {
  it('responds like an unknown link on every route immediately', async () => {
    const file = await makeFile(owner)
    expect(await takeDownOrThrow(admin, file.shortCode)).toBe(
      'The file was taken down. Its content is blocked.',
    )
    for (const [path, headers, method] of [
      ['/api/download/', {}, 'GET'],
      ['/api/download/', {}, 'HEAD'],
      ['/api/download/', { range: 'bytes=0-9' }, 'GET'],
      ['/s/', {}, 'GET'],
      ['/s/', html, 'GET'],
      ['/download/', html, 'GET'],
      ['/api/links/', {}, 'GET'],
      ['/s/', { 'user-agent': 'Slackbot 1.0' }, 'GET'],
    ] as const) {
      const [takenDownResponse, unknownResponse] = await Promise.all(
        [file.shortCode, 'abcdefghij'].map((code) =>
          visitor.fetch(path + code, { method, headers: headers as HeadersInit }),
        ),
      )
      expect(takenDownResponse?.status, path).toBe(404)
      expect(await takenDownResponse?.text()).toBe(await unknownResponse?.text())
    }
  })

  it("to an empty file doesn't affect other empty files or block uploads", async () => {
    const bytes = new Uint8Array()
    const otherOwner = await makePerson(app)
    const [file, otherFile] = [
      await makeFile(owner, { bytes }),
      await makeFile(otherOwner, { bytes }),
    ]
    await reportLink(visitor, file.shortCode)
    const listedReport = (await listReports(admin)).find(
      ({ shortCode }) => shortCode === file.shortCode,
    )
    expect(listedReport?.file).toMatchObject({ size: 0, copies: 0 })
    expect(await takeDownOrThrow(admin, file.shortCode)).toBe(
      'The file was taken down. It is empty, so no content is blocked and no other file goes with it.',
    )
    await computeDigests(app.deps)
    expect(await canDownload(visitor, file.shortCode)).toBe(false)
    expect(await canDownload(visitor, otherFile.shortCode)).toBe(true)
    expect((await uploadAndConfirm(owner, bytes)).response.status).toBe(200)
  })

  it('is inactive even on a server whose clock is behind', async () => {
    const file = await makeFile(owner)
    await takeDownOrThrow(admin, file.shortCode)
    app.clock.advance(-60_000)
    expect(await canDownload(visitor, file.shortCode)).toBe(false)
    app.clock.advance(60_000)
  })

  it('loses its bytes at once and gets a receipt, and storage stays consistent', async () => {
    const file = await makeFile(owner)
    const key = (await findFileRow(file.id))?.storageKey ?? ''
    await takeDownOrThrow(admin, file.shortCode, 'Malware.\nSeen by three scanners.')
    const takedownTime = app.clock()
    expect(await findListedFile(owner, file.id)).toMatchObject({
      takenDownAt: takedownTime.toISOString(),
      takedownReason: 'Malware.\nSeen by three scanners.',
      purgingAt: takedownTime.toISOString(),
      purgeDueAt: takedownTime.toISOString(),
      purgedAt: takedownTime.toISOString(),
    })
    expect(await app.storage.storedSize(key)).toBeNull()
    app.clock.advance(1000)
    expect(await expireFiles(app.deps)).toMatchObject({ purged: 0, failed: 0 })
    expect(await compareStorage(app.deps)).toMatchObject({ removed: 0, missing: 0 })

    // The receipt is kept even if the owner removes the file from the history.
    expect((await owner.fetch(`/api/files/${file.id}`, { method: 'DELETE' })).status).toBe(200)
    const [receipt] = await app.deps.db
      .select()
      .from(deletionReceipts)
      .where(eq(deletionReceipts.fileId, file.id))
    expect(receipt).toMatchObject({ storageKey: key, dueAt: takedownTime })
  })

  it('cannot be renewed and frees its slot', async () => {
    const file = await makeFile(owner)
    await takeDownOrThrow(admin, file.shortCode)
    await expectError(await requestRenewal(owner, file.id), 409, 'FILE_GONE')
    const freeUser = await makePerson(app)
    const [first] = [await makeFile(freeUser), await makeFile(freeUser), await makeFile(freeUser)]
    await takeDownOrThrow(admin, first.shortCode)
    await makeFile(freeUser)
  })

  it('lets a running download finish', async () => {
    const bytes = makeFileBytes(16 * 1024 * 1024)
    const file = await makeFile(owner, { bytes })
    const reader = (await visitor.fetch(`/api/download/${file.shortCode}`)).body?.getReader()
    const firstChunk = await reader?.read()
    await takeDownOrThrow(admin, file.shortCode)
    await expireFiles(app.deps)
    let receivedBytes = firstChunk?.value?.length ?? 0
    for (let chunk = await reader?.read(); chunk?.value; chunk = await reader?.read()) {
      receivedBytes += chunk.value.length
    }
    expect(receivedBytes).toBe(bytes.length)
    expect(await canDownload(visitor, file.shortCode)).toBe(false)
  })
})

describe('the owner of a file that was taken down', () => {
  it('gets an email with the name, the reason and a reply address', async () => {
    await app.deps.db.update(users).set({ emailVerified: true }).where(eq(users.id, owner.id))
    const file = await makeFile(owner, { name: 'invoice.pdf' })
    await takeDownOrThrow(admin, file.shortCode, 'It is a trap.\n<b>Sorry</b>.')
    const [email, ...otherEmails] = await app.sendQueuedEmails()
    expect(otherEmails).toEqual([])
    const { supportEmail } = app.deps.config
    expect(email).toMatchObject({
      to: { address: owner.email },
      replyTo: { address: supportEmail },
      content: { subject: '1 of your files was taken down' },
    })
    for (const phrase of [
      'invoice.pdf',
      'The reason: It is a trap.',
      '<b>Sorry</b>.',
      supportEmail,
    ])
      expect(email?.content.text).toContain(phrase)
    expect(email?.content.html).toContain('&lt;b&gt;Sorry&lt;/b&gt;')
  })

  it('gets an email without the file name if the email address is unverified', async () => {
    const eve = await makePerson(app)
    const file = await makeFile(eve, { name: 'words to a stranger.txt' })
    await takeDownOrThrow(admin, file.shortCode)
    const [email] = await app.sendQueuedEmails()
    expect(email?.to.address).toBe(eve.email)
    expect(email?.content.text).toContain('It is malware.')
    expect(email?.content.text).not.toContain('words to a stranger')
  })

  it("gets an email even if the file's row was removed before the email was written", async () => {
    const file = await makeFile(owner)
    await takeDownOrThrow(admin, file.shortCode)
    await owner.fetch(`/api/files/${file.id}`, { method: 'DELETE' })
    await expireFiles(app.deps)
    expect(await findFileRow(file.id)).toBeUndefined()
    expect(await app.sendQueuedEmails()).toHaveLength(1)
  })
})

describe('a takedown of a link that is not active', () => {
  it('twice returns the earlier takedown and changes nothing', async () => {
    const file = await makeFile(owner)
    await takeDownOrThrow(admin, file.shortCode, 'First.')
    app.clock.advance(1000)
    expect(await takeDownOrThrow(admin, file.shortCode, 'Second.')).toBe(
      'The file had been taken down before. Its content is blocked.',
    )
    expect((await findFileRow(file.id))?.takedownReason).toBe('First.')
    expect(await app.sendQueuedEmails()).toHaveLength(1)
    const lines = await listTakedownAudit(admin, owner)
    expect(lines.filter(({ details }) => details.fileId === file.id)).toHaveLength(1)
  })

  it('in parallel takes the file down once', async () => {
    const file = await makeFile(owner)
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => takeDown(admin, file.shortCode)),
    )
    const messages = await Promise.all(
      responses.map(async (response) => (await json<{ message: string }>(response)).message),
    )
    expect(messages.filter((text) => text.startsWith('The file was taken down.'))).toHaveLength(1)
    expect(messages.filter((text) => text.startsWith('The file had been'))).toHaveLength(7)
    expect(await app.sendQueuedEmails()).toHaveLength(1)
  })

  it('private: prevents its renewal', async () => {
    const file = await makeFile(owner)
    const originalTime = app.clock()
    app.clock.set(new Date(file.expiresAt))
    expect(await takeDownOrThrow(admin, file.shortCode)).toContain('The file was taken down.')
    await expectError(await requestRenewal(owner, file.id), 409, 'FILE_GONE')
    app.clock.set(originalTime)
    expect(await findTakedownEntry(file)).toMatchObject({ details: { linkWasOpen: false } })
  })

  it('purged: still blocks the content and sends no email', async () => {
    const freeUser = await makePerson(app)
    const expiredFile = await makeFile(freeUser)
    const originalTime = app.clock()
    app.clock.set(new Date(expiredFile.expiresAt))
    await expireFiles(app.deps)
    expect(await takeDownOrThrow(admin, expiredFile.shortCode)).toBe(
      'The link had ended before. Its content is blocked.',
    )
    app.clock.set(originalTime)
    await expectError(
      (await uploadAndConfirm(freeUser, expiredFile.bytes)).response,
      409,
      'CONTENT_BLOCKED',
    )
    expect(await app.sendQueuedEmails()).toEqual([])
  })

  it('deleted and reported: blocks the content recorded in the report', async () => {
    const file = await makeFile(owner)
    await reportLink(visitor, file.shortCode)
    await owner.fetch(`/api/files/${file.id}`, { method: 'DELETE' })
    expect(await findFileRow(file.id)).toBeUndefined()
    expect(await takeDownOrThrow(admin, file.shortCode)).toBe(
      'The link had ended before. Its content is blocked.',
    )
    expect(await listReports(admin)).toEqual([])
    await expectError((await uploadAndConfirm(owner, file.bytes)).response, 409, 'CONTENT_BLOCKED')
    const line = await findTakedownEntry(file)
    expect(line).toMatchObject({
      actor: admin.email,
      ipAddress: '127.0.0.1',
      details: { shortCode: file.shortCode, sha256: sha256(file.bytes), linkWasOpen: false },
    })
  })

  it.each(['reported again', 'not reported again'])(
    'deleted, with a SHA-256 from after the report (%s): blocks its content',
    async (state) => {
      const file = await makeFile(owner)
      // Simulates a file in a bucket, whose SHA-256 was sent by the client and not verified.
      await app.pool.query('update files set is_content_proved = false where id = $1', [file.id])
      await reportLink(visitor, file.shortCode)
      if (state === 'reported again') {
        await app.pool.query('update files set is_content_proved = true where id = $1', [file.id])
        await reportLink(visitor, file.shortCode)
      } else {
        const { shortCode = null, ...content } = await getFileRow(app, file.id)
        await proveContent(app.deps, { ...content, shortCode })
      }
      await owner.fetch(`/api/files/${file.id}`, { method: 'DELETE' })
      expect(await findFileRow(file.id)).toBeUndefined()
      expect(await takeDownOrThrow(admin, file.shortCode)).toBe(
        'The link had ended before. Its content is blocked.',
      )
      await expectError(
        (await uploadAndConfirm(owner, file.bytes)).response,
        409,
        'CONTENT_BLOCKED',
      )
    },
  )

  it('renewed after the report: takes down the file under its new link', async () => {
    const file = await makeFile(owner)
    await reportLink(visitor, file.shortCode)
    const renewedFile = await json<File>(await requestRenewal(owner, file.id))
    expect(await takeDownOrThrow(admin, file.shortCode)).toContain('The file was taken down.')
    expect(await canDownload(visitor, renewedFile.shortCode)).toBe(false)
  })

  it.each(['abcdefghij', 'x', "'--", 'x'.repeat(64), '\0', 'https://'])(
    'unknown: rejects %j as unknown',
    async (code) => {
      const response = await takeDown(admin, code)
      expect(response.status).toBe(404)
      expect(await response.json()).toEqual({
        code: 'LINK_NOT_FOUND',
        message: 'No file has this link.',
      })
    },
  )
})

describe('POST /api/admin/takedown', () => {
  it.each([
    [undefined, 'x'],
    ['', 'x'],
    [1, 'x'],
    ['x'.repeat(65), 'x'],
    ['abcdefghij', undefined],
    ['abcdefghij', ' '],
    ['abcdefghij', 'x'.repeat(1001)],
    ['abcdefghij', 'a\0b'],
  ])('rejects %j for %j', async (code, reason) => {
    const response = await admin.post('/api/admin/takedown', { shortCode: code, reason })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'INVALID_INPUT' })
  })

  it('is open only to the administrator and writes to the audit log', async () => {
    const file = await makeFile(owner)
    expect((await takeDown(visitor, file.shortCode)).status).toBe(401)
    expect((await takeDown(await makePerson(app), file.shortCode)).status).toBe(403)
    expect((await takeDown(owner, file.shortCode)).status).toBe(403)
    expect(await canDownload(visitor, file.shortCode)).toBe(true)
    await takeDownOrThrow(admin, file.shortCode, 'Enough.')
    const line = await findTakedownEntry(file)
    expect(line).toMatchObject({
      at: app.clock().toISOString(),
      actor: admin.email,
      subject: owner.email,
      ipAddress: '127.0.0.1',
      details: { shortCode: file.shortCode, fileId: file.id, reason: 'Enough.' },
    })
  })

  it('leaves bytes that storage fails to remove to the purge job', async () => {
    const file = await makeFile(owner)
    const key = (await findFileRow(file.id))?.storageKey ?? ''
    const failingStorage = { ...app.storage, remove: () => Promise.reject(new Error('EIO')) }
    const takedown = {
      shortCode: file.shortCode,
      reason: 'x',
      actor: { id: admin.id, ipAddress: '' },
    }
    const deps = { ...app.deps, stores: createStores(failingStorage) }
    expect(takedownText(await takeDownFile(deps, takedown))).toBe(
      'The file was taken down. Its content is blocked.',
    )
    expect(await app.storage.storedSize(key)).toBe(1000)
    expect((await findFileRow(file.id))?.purgedAt).toBeNull()
    expect(await expireFiles(app.deps)).toMatchObject({ purged: 1, failed: 0 })
    expect(await app.storage.storedSize(key)).toBeNull()
  })

  it('keeps the bytes of an unreadable file until their SHA-256 is known', async () => {
    const file = await makeFile(owner)
    const key = (await findFileRow(file.id))?.storageKey ?? ''
    // Simulates a file in a bucket, whose SHA-256 was sent by the client and not verified.
    await app.deps.db
      .update(files)
      .set({ isContentProved: false, sha256: sha256(makeFileBytes()) })
      .where(eq(files.id, file.id))
    const unreadableStorage = { ...app.storage, digest: () => Promise.reject(new Error('EIO')) }
    const depsWithUnreadableStorage = { ...app.deps, stores: createStores(unreadableStorage) }
    const takedown = {
      shortCode: file.shortCode,
      reason: 'x',
      actor: { id: admin.id, ipAddress: '' },
    }
    expect(takedownText(await takeDownFile(depsWithUnreadableStorage, takedown))).toBe(
      'The file was taken down. Storage cannot be read now. Its content will be blocked as soon as it can.',
    )
    expect(await canDownload(visitor, file.shortCode)).toBe(false)
    expect((await owner.fetch(`/api/files/${file.id}`, { method: 'DELETE' })).status).toBe(200)
    await expireFiles(app.deps)
    expect(await computeDigests(depsWithUnreadableStorage)).toMatchObject({ computed: 0 })
    expect(await app.storage.storedSize(key)).toBe(1000)

    expect(await computeDigests(app.deps)).toMatchObject({ failed: 0, takenDown: 0 })
    await expireFiles(app.deps)
    expect(await app.storage.storedSize(key)).toBeNull()
    await expectError((await uploadAndConfirm(owner, file.bytes)).response, 409, 'CONTENT_BLOCKED')
    const failures = app.logLines.filter(({ level }) => level >= 50)
    expect(failures).toHaveLength(2)
    app.logLines.splice(0)
  })

  it('hashes a file stored before the server computed SHA-256s', async () => {
    const file = await makeFile(owner)
    const changes = { isContentProved: false, sha256: null }
    await updateFiles(app.deps.db, eq(files.id, file.id), changes)
    await takeDownOrThrow(admin, file.shortCode)
    await expectError((await uploadAndConfirm(owner, file.bytes)).response, 409, 'CONTENT_BLOCKED')
    await expireFiles(app.deps)
    app.clock.advance(day)
    await expectError((await uploadAndConfirm(owner, file.bytes)).response, 409, 'CONTENT_BLOCKED')
  })
})
