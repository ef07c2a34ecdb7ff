import type { File } from '../../src/shared/contract/files.ts'
import type { Link } from '../../src/shared/contract/links.ts'
import type { FileRequest } from '../../src/shared/contract/requests.ts'
import { withAuthorization } from './keys.ts'
import { contentsOf, finishUploads, newFile } from './link-requests.ts'
import { type Client, expectOk, json, makeClient, type StartedUpload } from './make.ts'
import type { TestApp } from './test-app.ts'

export interface StartedDelivery {
  uploads: StartedUpload[]
  uploadToken: string
}

export function requestRequest(
  owner: Client,
  changes: Record<string, unknown> = {},
): Promise<Response> {
  return owner.post('/api/requests', { title: 'Your photos', openDays: 7, ...changes })
}

/** Creates a request that is open for a week. */
export async function makeRequest(
  owner: Client,
  changes: Record<string, unknown> = {},
): Promise<FileRequest> {
  const response = await requestRequest(owner, changes)
  await expectOk(response)
  return json(response)
}

export function changeRequest(owner: Client, id: string, changes: unknown): Promise<Response> {
  return owner.fetch(`/api/requests/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(changes),
  })
}

export function closeRequest(owner: Client, id: string): Promise<Response> {
  return owner.fetch(`/api/requests/${id}`, { method: 'DELETE' })
}

export async function listRequests(owner: Client): Promise<FileRequest[]> {
  return json(await owner.fetch('/api/requests'))
}

/** Lists the links that a request has received, with those on their way. */
export async function listReceived(owner: Client, { id }: { id: string }): Promise<Link[]> {
  return json(await owner.fetch(`/api/links?requestId=${id}`))
}

/** Returns a client that sends the token of a delivery. */
export function withToken(client: Client, uploadToken: string): Client {
  return withAuthorization(client, `Upload ${uploadToken}`)
}

/** Starts a delivery of these files, by default of ten bytes of text. */
export function requestDelivery(
  sender: Client,
  code: string,
  files: unknown = [newFile()],
  changes: Record<string, unknown> = {},
): Promise<Response> {
  return sender.post(`/api/requests/${code}/links`, { files, ...changes })
}

export async function startDelivery(
  sender: Client,
  code: string,
  files: unknown = [newFile()],
  changes: Record<string, unknown> = {},
): Promise<StartedDelivery> {
  const response = await requestDelivery(sender, code, files, changes)
  await expectOk(response)
  return json(response)
}

/** Sends a delivery as a visitor, by default of two files. */
export async function sendDelivery(
  app: TestApp,
  code: string,
  changes: Record<string, unknown> = {},
  contents = contentsOf(100, 200),
): Promise<StartedDelivery & { sender: Client; files: File[]; contents: typeof contents }> {
  const files = contents.map(({ length }, index) =>
    newFile({ fileName: `file-${index}.txt`, fileSize: length }),
  )
  const started = await startDelivery(makeClient(app), code, files, changes)
  const sender = withToken(makeClient(app), started.uploadToken)
  return {
    ...started,
    sender,
    files: await finishUploads(sender, started.uploads, contents),
    contents,
  }
}
