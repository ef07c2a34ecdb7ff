import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { File } from '../../src/shared/contract/files.ts'
import type { Link, PublicLink } from '../../src/shared/contract/links.ts'
import { type Client, expectOk, json, makeClient, putBytes, type StartedUpload } from './make.ts'
import type { TestApp } from './test-app.ts'

export interface StartedLink {
  link: Link
  uploads: (StartedUpload & { shortCode: string })[]
}

/** Fields for a file to upload, by default ten bytes of text. */
export function newFile(changes: Record<string, unknown> = {}) {
  return { fileName: 'notes.txt', fileSize: 10, fileType: 'text/plain', ...changes }
}

/** Requests a link with these files, or `count` small ones. Returns the response. */
export function requestLink(
  person: Client,
  files: unknown = [newFile()],
  changes: Record<string, unknown> = {},
): Promise<Response> {
  return person.post('/api/links', { files, expirationDays: 3, ...changes })
}

/** Requests to add files to a link. */
export function requestMoreFiles(
  person: Client,
  code: string,
  files: unknown = [newFile()],
  changes: Record<string, unknown> = {},
): Promise<Response> {
  return person.post(`/api/links/${code}/files`, { files, ...changes })
}

/** Reads the response of `requestLink` or `requestMoreFiles`, which must be a success. */
export async function readStarted(response: Response): Promise<StartedLink> {
  await expectOk(response)
  return json(response)
}

/** Starts a link whose files have these contents. `names` defaults to file-0.txt and so on. */
export async function startLink(
  person: Client,
  contents: readonly Uint8Array[],
  changes: Record<string, unknown> = {},
  names: readonly string[] = [],
): Promise<StartedLink> {
  const files = contents.map(({ length }, index) =>
    newFile({ fileName: names[index] ?? `file-${index}.txt`, fileSize: length }),
  )
  return readStarted(await requestLink(person, files, changes))
}

/** Sends and confirms uploads, with their CRC-32s as browsers do. Returns their files. */
export async function finishUploads(
  person: Client,
  uploads: readonly StartedUpload[],
  contents: readonly Uint8Array<ArrayBuffer>[],
): Promise<File[]> {
  const files: File[] = []
  for (const [index, upload] of uploads.entries()) {
    const bytes = contents[index] ?? new Uint8Array()
    await expectOk(await putBytes(upload, bytes))
    const response = await person.post('/api/files/confirm-upload', {
      cloudKey: upload.cloudKey,
      crc32: crc32(bytes),
    })
    await expectOk(response)
    files.push(await json<File>(response))
  }
  return files
}

/** Returns random contents of these sizes. */
export function contentsOf(...sizes: number[]): Uint8Array<ArrayBuffer>[] {
  return sizes.map((size) => new Uint8Array(randomBytes(size)))
}

/** Uploads a link, by default with two files of random bytes. */
export async function makeLink(
  person: Client,
  changes: Record<string, unknown> = {},
  contents = contentsOf(100, 200),
  names: readonly string[] = [],
): Promise<{ code: string; files: File[]; contents: Uint8Array<ArrayBuffer>[] }> {
  const { link, uploads } = await startLink(person, contents, changes, names)
  return {
    code: link.shortCode,
    files: await finishUploads(person, uploads, contents),
    contents,
  }
}

export function changeLink(person: Client, code: string, changes: unknown): Promise<Response> {
  return person.fetch(`/api/links/${code}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(changes),
  })
}

export function deleteLink(person: Client, code: string): Promise<Response> {
  return person.fetch(`/api/links/${code}`, { method: 'DELETE' })
}

/** Finds a link in its owner's list. */
export async function findListed(person: Client, code: string): Promise<Link | undefined> {
  const links = await json<Link[]>(await person.fetch('/api/links?limit=1000'))
  return links.find(({ shortCode }) => shortCode === code)
}

/** Returns what visitors see of a link. */
export async function readPublicLink(app: TestApp, code: string): Promise<PublicLink> {
  const response = await makeClient(app).fetch(`/api/links/${code}`)
  await expectOk(response)
  return json(response)
}

/** Returns an `Authorization` header with a link's password. */
export function basic(password: string, user = ''): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
}

/** Downloads from a link as a visitor, waiting for the last byte. Returns the status and body. */
export async function fetchBytes(
  app: TestApp,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<{ status: number; headers: Headers; body: Buffer }> {
  const response = await makeClient(app).fetch(`/api/download/${path}`, { headers, method })
  const body = Buffer.from(await response.arrayBuffer())
  return { status: response.status, headers: response.headers, body }
}
