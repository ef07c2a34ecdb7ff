import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { updateFiles } from '../../../tests/support/file-rows.ts'
import {
  json,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  sha256,
} from '../../../tests/support/make.ts'
import { listReports, reportLink, takeDownOrThrow } from '../../../tests/support/takedowns.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { AuditEntry } from '../../shared/contract/admin.ts'
import { files } from '../db/schema.ts'
import { expireFiles } from '../files/expire-files.ts'
import { createStores } from '../storage/stores.ts'
import { computeDigests } from './compute-digests.ts'
import { takeDown } from './take-down.ts'

let app: TestApp
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
  admin = await makePerson(app, { role: 'admin' })
})
afterAll(() => app.close())

/**
 * Creates a file whose SHA-256 was sent by the client and not verified, as for files in a bucket.
 * Returns it with its owner.
 */
async function makeUnprovenFile() {
  const owner = await makePerson(app)
  const file = await makeFile(owner, { bytes: new Uint8Array(randomBytes(1000)) })
  const changes = { isContentProved: false, sha256: sha256(new Uint8Array(randomBytes(8))) }
  await app.deps.db.update(files).set(changes).where(eq(files.id, file.id))
  return { owner, file }
}

async function findAuditEntries({ email }: Person): Promise<AuditEntry[]> {
  return json(await admin.fetch(`/api/admin/audit?search=${email}`))
}

describe('a takedown of a file whose content can no longer be determined', () => {
  it.each(['purged', 'deleted'])(
    '%s: closes the report and records actor and reason',
    async (state) => {
      const { owner, file } = await makeUnprovenFile()
      await reportLink(makeClient(app), file.shortCode)
      if (state === 'deleted') await owner.fetch(`/api/files/${file.id}`, { method: 'DELETE' })
      const originalTime = app.clock()
      app.clock.set(new Date(file.expiresAt))
      await expireFiles(app.deps)
      const message =
        'The link had ended before. No bytes are left to tell its content by, so nothing is blocked.'
      expect(await takeDownOrThrow(admin, file.shortCode, 'Gone, but bad.')).toBe(message)
      expect(await listReports(admin)).toEqual([])
      // The second call changes nothing and isn't recorded.
      expect(await takeDownOrThrow(admin, file.shortCode, 'Again.')).toBe(message)
      app.clock.set(originalTime)
      const [entry, ...otherEntries] = await findAuditEntries(owner)
      expect(otherEntries).toEqual([])
      expect(entry).toMatchObject({
        actor: admin.email,
        action: 'take-down',
        ipAddress: '127.0.0.1',
        details: {
          shortCode: file.shortCode,
          fileId: file.id,
          sha256: null,
          reason: 'Gone, but bad.',
          linkWasOpen: false,
        },
      })
    },
  )
})

describe('content blocked after its link has ended', () => {
  it('is attributed to the administrator if the takedown call could read it', async () => {
    const { owner, file } = await makeUnprovenFile()
    await takeDownOrThrow(admin, file.shortCode, 'Malware.')
    const { shortCode, id: fileId } = file
    const digest = sha256(file.bytes)
    expect(await findAuditEntries(owner)).toMatchObject([
      {
        action: 'block-content',
        actor: admin.email,
        subject: owner.email,
        ipAddress: '127.0.0.1',
        details: { shortCode, fileId, sha256: digest, reason: 'Malware.' },
      },
      { action: 'take-down', actor: admin.email, details: { sha256: null } },
    ])
    await takeDownOrThrow(admin, file.shortCode, 'Again.')
    expect(await findAuditEntries(owner)).toHaveLength(2)
  })

  it('is recorded even if the link had already expired', async () => {
    const { owner, file } = await makeUnprovenFile()
    // The deletion of the bytes has begun but isn't complete.
    const changes = { expiresAt: app.clock(), purgingAt: app.clock() }
    await updateFiles(app.deps.db, eq(files.id, file.id), changes)
    expect(await takeDownOrThrow(admin, file.shortCode)).toBe(
      'The link had ended before. Its content is blocked.',
    )
    expect(await findAuditEntries(owner)).toMatchObject([
      { action: 'block-content', actor: admin.email, ipAddress: '127.0.0.1' },
    ])
  })

  it('is attributed to the server if storage became readable only later', async () => {
    const { owner, file } = await makeUnprovenFile()
    const unreadableStorage = { ...app.storage, digest: () => Promise.reject(new Error('EIO')) }
    const { content } = await takeDown(
      { ...app.deps, stores: createStores(unreadableStorage) },
      {
        shortCode: file.shortCode,
        reason: 'Spam.',
        actor: { id: admin.id, ipAddress: '192.0.2.1' },
      },
    )
    expect(content).toBe('waiting')
    expect(await findAuditEntries(owner)).toMatchObject([
      { action: 'take-down', actor: admin.email },
    ])

    expect(await computeDigests(app.deps)).toMatchObject({ failed: 0 })
    await computeDigests(app.deps)
    expect(await findAuditEntries(owner)).toMatchObject([
      {
        action: 'block-content',
        actor: null,
        subject: owner.email,
        ipAddress: null,
        details: { sha256: sha256(file.bytes), reason: 'Spam.' },
      },
      { action: 'take-down' },
    ])
  })
})
