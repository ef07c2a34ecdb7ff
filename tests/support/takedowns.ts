import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { bindStores } from '../../src/server/boot/open-storage.ts'
import type { Report } from '../../src/shared/contract/abuse.ts'
import type { AuditEntry } from '../../src/shared/contract/admin.ts'
import type { File } from '../../src/shared/contract/files.ts'
import {
  type Client,
  json,
  makeClient,
  makePerson,
  type Person,
  putBytes,
  startUpload,
} from './make.ts'
import { startTestApp, type TestApp } from './test-app.ts'
import { requestConfirm } from './upload-requests.ts'

export interface TakedownSetup {
  app: TestApp
  admin: Person
  owner: Person
  visitor: Client
}

export async function startTakedownSetup(): Promise<TakedownSetup> {
  const app = await startTestApp()
  // Bind the stores, as a starting server does. A store without an installation id counts as
  // missing.
  await bindStores(app.deps)
  const admin = await makePerson(app, { role: 'admin' })
  const owner = await makePerson(app, { tier: 'premium' })
  return { app, admin, owner, visitor: makeClient(app) }
}

/** Closes a server and asserts that its log contains no errors. */
export async function closeWithoutErrors(app: TestApp): Promise<void> {
  const errorLines = app.logLines.filter(({ level }) => level >= 50)
  await app.close()
  expect(errorLines).toEqual([])
}

/**
 * Returns random bytes, so that each file has different content. Files with the same bytes are
 * taken down together.
 */
export function makeFileBytes(size = 1000): Uint8Array<ArrayBuffer> {
  return new Uint8Array(randomBytes(size))
}

/** Tries to download a file. Returns true if the link works. */
export async function canDownload(client: Client, shortCode: string): Promise<boolean> {
  const response = await client.fetch(`/api/download/${shortCode}`)
  await response.arrayBuffer()
  expect([200, 404]).toContain(response.status)
  return response.status === 200
}

export function takeDown(
  admin: Client,
  shortCode: unknown,
  reason: unknown = 'It is malware.',
): Promise<Response> {
  return admin.post('/api/admin/takedown', { shortCode, reason })
}

/** Takes a file down, and returns the message shown to the administrator. */
export async function takeDownOrThrow(admin: Client, shortCode: string, reason?: string) {
  const response = await takeDown(admin, shortCode, reason)
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  return (await json<{ message: string }>(response)).message
}

export function reportLink(
  client: Client,
  shortCode: string,
  extraFields: object = {},
): Promise<Response> {
  return client.post(`/api/links/${shortCode}/report`, { reason: 'It is malware.', ...extraFields })
}

/** Returns the open reports, with the most recent one first. */
export async function listReports(admin: Client, query = ''): Promise<Report[]> {
  return json(await admin.fetch(`/api/admin/reports${query}`))
}

/** Returns the audit log entries about takedowns of a user's files. */
export async function listTakedownAudit(admin: Client, { email }: Person): Promise<AuditEntry[]> {
  const query = `?search=${encodeURIComponent(email)}&action=take-down`
  return json(await admin.fetch(`/api/admin/audit${query}`))
}

/** Uploads bytes without confirming the upload, and returns the storage key. */
export async function uploadBytes(person: Person, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const startedUpload = await startUpload(person, { size: bytes.length })
  await putBytes(startedUpload, bytes)
  return startedUpload.cloudKey
}

/** Uploads bytes and confirms the upload. Returns the response to the confirm. */
export async function uploadAndConfirm(
  person: Person,
  bytes: Uint8Array<ArrayBuffer>,
  extraFields = {},
) {
  const cloudKey = await uploadBytes(person, bytes)
  return { cloudKey, response: await requestConfirm(person, cloudKey, extraFields) }
}

/** Returns a file as it appears in its owner's file list. */
export async function findListedFile(owner: Client, id: string): Promise<File | undefined> {
  const files = await json<File[]>(await owner.fetch('/api/files'))
  return files.find((file) => file.id === id)
}
