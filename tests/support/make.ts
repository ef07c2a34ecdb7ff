import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { eq } from 'drizzle-orm'
import { users } from '../../src/server/db/schema.ts'
import type { File } from '../../src/shared/contract/files.ts'
import type { TestApp } from './app-server.ts'

/** An HTTP client that keeps cookies. */
export interface Client {
  fetch(path: string, init?: RequestInit): Promise<Response>
  post(path: string, body?: unknown): Promise<Response>
}

export interface Person extends Client {
  id: string
  email: string
  password: string
}

/** A server in this process or another one. */
type Server = Pick<TestApp, 'url'>

/**
 * Creates a client that has these cookies. By default it has none, like a visitor who isn't signed
 * in.
 */
export function makeClient(app: Server, cookie = ''): Client {
  const request = (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    if (cookie) headers.set('cookie', cookie)
    return fetch(new URL(path, app.url), { redirect: 'manual', ...init, headers })
  }
  return {
    fetch: request,
    post: (path, body) =>
      request(path, {
        method: 'POST',
        ...(body !== undefined && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      }),
  }
}

export async function signUp(
  app: Server,
  headers: Record<string, string> = {},
): Promise<Pick<Person, 'email' | 'password'>> {
  const email = `${randomUUID()}@example.org`
  const password = 'correct horse'
  const form = { firstName: 'Ada', lastName: 'Lovelace', email, password }
  const signupResponse = await makeClient(app).fetch('/api/auth/signup', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ ...form, confirmPassword: password }),
  })
  await expectOk(signupResponse)
  return { email, password }
}

/** Signs a user up and in over HTTP, then changes the user in the database. */
export async function makePerson(
  app: TestApp,
  changes: Partial<
    Pick<
      typeof users.$inferInsert,
      'emailVerified' | 'tier' | 'role' | 'premiumTrialStartedAt' | 'premiumTrialEndsAt'
    >
  > = {},
): Promise<Person> {
  const { email, password } = await signUp(app)
  if (Object.keys(changes).length > 0) {
    await app.deps.db.update(users).set(changes).where(eq(users.email, email))
  }
  const loginResponse = await requestLogin(app, email, password)
  const { id } = await json<{ id: string }>(loginResponse)
  return { ...makeClient(app, readCookies(loginResponse)), id, email, password }
}

/** Logs in over HTTP and returns the session cookies. */
export async function logIn(app: Server, email: string, password: string): Promise<string> {
  return readCookies(await requestLogin(app, email, password))
}

async function requestLogin(app: Server, email: string, password: string): Promise<Response> {
  const response = await makeClient(app).post('/api/auth/login', { email, password })
  await expectOk(response)
  return response
}

function readCookies({ headers }: Response): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')
}

/**
 * Signs a user in again after the session has expired, which happens after 14 days without
 * activity.
 */
export async function signInAgain(app: Server, person: Person): Promise<Person> {
  return { ...person, ...makeClient(app, await logIn(app, person.email, person.password)) }
}

export interface StartedUpload {
  uploadUrl: string
  cloudKey: string
  metadata: Record<string, unknown>
  /**
   * The part size, the number of parts, and the URLs for the first parts. Undefined if the upload
   * isn't sent in parts.
   */
  parts?: { size: number; count: number; urls: Record<string, string> }
}

export async function startUpload(
  person: Client,
  file: { name?: string; size: number; type?: string; days?: string; idempotencyKey?: string },
): Promise<StartedUpload> {
  const response = await person.post('/api/files/get-upload-url', {
    fileName: file.name ?? 'notes.txt',
    fileSize: file.size,
    fileType: file.type ?? 'text/plain',
    expirationDays: file.days ?? '3',
    idempotencyKey: file.idempotencyKey,
  })
  await expectOk(response)
  return json(response)
}

export function putBytes(
  { uploadUrl }: StartedUpload,
  bytes: Uint8Array<ArrayBuffer>,
  type = 'text/plain',
): Promise<Response> {
  return fetch(uploadUrl, { method: 'PUT', headers: { 'content-type': type }, body: bytes })
}

/** Requests presigned URLs for these parts. Returns them in the same order. */
export async function signParts(
  person: Client,
  cloudKey: string,
  partNumbers: number[],
): Promise<string[]> {
  const response = await person.post('/api/files/upload-parts', { cloudKey, partNumbers })
  await expectOk(response)
  const { urls } = await json<{ urls: Record<string, string> }>(response)
  return partNumbers.map((partNumber) => urls[partNumber] ?? '')
}

export interface ListedPart {
  partNumber: number
  size: number
  checksum?: string
}

export async function listParts(person: Client, cloudKey: string): Promise<ListedPart[]> {
  const response = await person.fetch(`/api/files/upload-parts?cloudKey=${cloudKey}`)
  await expectOk(response)
  return (await json<{ parts: ListedPart[] }>(response)).parts
}

/** Uploads `options.bytes`, by default random bytes, and returns the file. */
export async function makeFile(
  person: Client,
  options: { name?: string; bytes?: Uint8Array<ArrayBuffer>; type?: string; days?: string } = {},
): Promise<File & { bytes: Uint8Array<ArrayBuffer> }> {
  const bytes = options.bytes ?? new Uint8Array(randomBytes(1000))
  const startedUpload = await startUpload(person, { ...options, size: bytes.length })
  await expectOk(await putBytes(startedUpload, bytes, options.type))
  const response = await person.post('/api/files/confirm-upload', {
    cloudKey: startedUpload.cloudKey,
  })
  await expectOk(response)
  return { ...(await json<File>(response)), bytes }
}

export function requestRenewal(
  person: Client,
  id: string,
  body: unknown = { expirationDays: 3 },
): Promise<Response> {
  return person.fetch(`/api/files/${id}/renew`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

export function requestDeletion(person: Client, fileIds: unknown): Promise<Response> {
  return person.fetch('/api/files/bulk', {
    method: 'DELETE',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ fileIds }),
  })
}

export async function json<T>(response: Response): Promise<T> {
  return (await response.json()) as T
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Computes Base64-encoded checksums, for use in a PUT or a list of parts. */
export const checksums = {
  crc32: (bytes: Uint8Array): string => {
    const value = Buffer.alloc(4)
    value.writeUInt32BE(crc32(bytes))
    return value.toString('base64')
  },
  md5: (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('base64'),
}

export async function expectOk(response: Response): Promise<void> {
  if (response.ok) return
  throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`)
}
