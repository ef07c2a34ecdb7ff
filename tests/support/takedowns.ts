import type { Report } from '../../src/shared/contract/abuse.ts'
import type { AuditLine } from '../../src/shared/contract/admin.ts'
import type { File } from '../../src/shared/contract/files.ts'
import { type Client, json, type Person, putBytes, startUpload } from './make.ts'
import { confirm } from './upload-requests.ts'

/** Takes down the file behind a link. Returns the answer. */
export function takeDown(
  admin: Client,
  shortCode: unknown,
  reason: unknown = 'It is malware.',
): Promise<Response> {
  return admin.post('/api/admin/takedown', { shortCode, reason })
}

/** Takes down the file behind a link. Returns the message to the administrator. */
export async function takenDown(admin: Client, shortCode: string, reason?: string) {
  const answer = await takeDown(admin, shortCode, reason)
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`)
  return (await json<{ message: string }>(answer)).message
}

/** Reports the file behind a link. Returns the answer. */
export function report(client: Client, shortCode: string, more: object = {}): Promise<Response> {
  return client.post(`/api/links/${shortCode}/report`, { reason: 'It is malware.', ...more })
}

/** Returns the open reports. The file that was reported last comes first. */
export async function listReports(admin: Client, query = ''): Promise<Report[]> {
  return json(await admin.fetch(`/api/admin/reports${query}`))
}

/** Returns the lines of the audit log about takedowns of a person's files. */
export async function takedownAudit(admin: Client, { email }: Person): Promise<AuditLine[]> {
  const query = `?user=${encodeURIComponent(email)}&action=take-down`
  return json(await admin.fetch(`/api/admin/audit${query}`))
}

/** Uploads these bytes and confirms the upload. Returns the answer to the confirmation. */
export async function uploadAgain(person: Person, bytes: Uint8Array<ArrayBuffer>, more = {}) {
  const started = await startUpload(person, { size: bytes.length })
  await putBytes(started, bytes)
  return { cloudKey: started.cloudKey, answer: await confirm(person, started.cloudKey, more) }
}

/** Returns a file as its owner's list shows it. */
export async function listedFile(owner: Client, id: string): Promise<File | undefined> {
  const listed = await json<File[]>(await owner.fetch('/api/files'))
  return listed.find((file) => file.id === id)
}
