import { randomBytes } from 'node:crypto'
import { createGetRequest, createPostRequest, createPutRequest, exchange } from './exchange.ts'
import { type HttpClient, makeHttpClient } from './http-client.ts'
import {
  type Credentials,
  contentType,
  type Mayfly,
  makeAccount,
  signIn,
  uploadCalls,
  uploadFile,
} from './mayfly.ts'

/** An account and a file that all clients share. */
export interface SharedFixture {
  cookie: string
  credentials: Credentials
  /** Short code of the shared file, which has `sharedBytes` bytes. */
  code: string
}

export interface ActionContext extends SharedFixture {
  mayfly: Mayfly
  http: HttpClient
}

/** Something that a client does. Throws if a response has an unexpected status. */
type Action = (context: ActionContext) => Promise<void>

/** Larger than a connection's buffers, so that the server notices when a client stops reading. */
export const sharedBytes = 16 * 1024 ** 2
const smallBody = randomBytes(100 * 1024)
/** Large enough for two parts, because a part has at most 8 MiB. */
const largeBody = randomBytes(8 * 1024 ** 2 + smallBody.length)
const json = { 'content-type': 'application/json' }
const html = { accept: 'text/html' }
const linkFileNames = ['one.bin', 'two.bin', 'three.bin']
/** More pipelined requests than the 16 that the server allows. */
const pipelinedRequestCount = 40

/** The actions of users, programs and attackers, by name. */
export const actions: Readonly<Record<string, Action>> = {
  page: (context) => expectStatus(context, 200, `/s/${context.code}`, { headers: html }),
  details: (context) => expectStatus(context, 200, `/api/links/${context.code}`),
  download: (context) => expectStatus(context, 200, `/api/download/${context.code}`),
  range: (context) =>
    expectStatus(context, 206, `/api/download/${context.code}`, {
      headers: { range: 'bytes=7-9000' },
    }),
  landing: (context) => expectStatus(context, 200, '/', { headers: html }),
  ready: (context) => expectStatus(context, 200, '/api/ready'),
  async dashboard(context) {
    const { cookie } = context
    for (const path of ['/api/auth/user', '/api/files', '/api/files/summary']) {
      await expectStatus(context, 200, path, { headers: { cookie } })
    }
  },
  async 'upload and deletion'(context) {
    const { id, shortCode } = await upload(context, 'soak.bin')
    await remove(context, id)
    await expectStatus(context, 404, `/api/links/${shortCode}`)
  },
  async 'upload in parts'(context) {
    const { mayfly, http, cookie } = context
    const calls = uploadCalls(mayfly, http, cookie)
    const startedUpload = await calls.start('parts.bin', largeBody.length)
    const { size, count } = startedUpload.parts ?? { size: largeBody.length, count: 1 }
    const numbers = Array.from({ length: count }, (_part, index) => index + 1)
    const urls = await calls.sign(startedUpload, numbers)
    for (const number of numbers) {
      await put(http, urls[number] ?? '', largeBody.subarray((number - 1) * size, number * size))
    }
    await remove(context, (await calls.confirm(startedUpload)).id)
  },
  async 'link of several files'(context) {
    const { mayfly, http, cookie } = context
    const calls = uploadCalls(mayfly, http, cookie)
    const { uploads } = await calls.startLink(linkFileNames, smallBody.length)
    const fileIds: string[] = []
    for (const startedUpload of uploads) {
      await put(http, startedUpload.uploadUrl, smallBody)
      fileIds.push((await calls.confirm(startedUpload)).id)
    }
    const body = JSON.stringify({ fileIds })
    const headers = { ...json, cookie }
    await expectStatus(context, 200, '/api/files/bulk', { method: 'DELETE', headers, body })
  },
  async renewal(context) {
    const { id, shortCode } = await upload(context, 'renewed.bin')
    const body = JSON.stringify({ expirationDays: '7' })
    const headers = { ...json, cookie: context.cookie }
    await expectStatus(context, 200, `/api/files/${id}/renew`, { method: 'PATCH', headers, body })
    await expectStatus(context, 404, `/api/links/${shortCode}`)
    await remove(context, id)
  },
  /** Closes the connection in the middle of a PUT. */
  async 'cut upload'(context) {
    const { mayfly, http, cookie } = context
    const { uploadUrl, cloudKey } = await uploadCalls(mayfly, http, cookie).start('cut.bin', 5000)
    await exchange(mayfly, createPutRequest(uploadUrl, 5000, 2000), { maxMs: 100 })
    const requestOptions = {
      method: 'POST',
      headers: { ...json, cookie },
      body: JSON.stringify({ cloudKey }),
    }
    await expectStatus(context, 400, '/api/files/confirm-upload', requestOptions)
    await expectStatus(context, 200, '/api/files/abort-upload', requestOptions)
  },
  async login(context) {
    const login = (password: string) =>
      context.http.send(`${context.mayfly.url}/api/auth/login`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ ...context.credentials, password }),
      })
    requireStatus('wrong password', (await login('wrong password')).status, 401)
    const { status, headers } = await login(context.credentials.password)
    requireStatus('login', status, 200)
    const cookie = [headers['set-cookie'] ?? []]
      .flat()
      .map((header) => header.split(';', 1)[0])
      .join('; ')
    await expectStatus(context, 302, '/api/logout', { headers: { cookie } })
  },
  /** Starts a download and resets the connection after the status line. */
  'left download': ({ mayfly, code }) =>
    expectText(mayfly, createGetRequest(`${mayfly.url}/api/download/${code}`), /^HTTP\/1\.1 200 /),
  'large headers': ({ mayfly }) =>
    expectText(
      mayfly,
      createGetRequest(mayfly.url, `X: ${'x'.repeat(17_000)}`),
      /^HTTP\/1\.1 431 /,
    ),
  'large body': ({ mayfly }) =>
    expectText(
      mayfly,
      createPostRequest(`${mayfly.url}/api/auth/login`, 1_000_000, '{'),
      /^HTTP\/1\.1 413 /,
    ),
  'no HTTP': ({ mayfly }) => expectText(mayfly, '\x16\x03\x01 hello\r\n\r\n', /^HTTP\/1\.1 400 /),
  async 'many requests on one connection'({ mayfly }) {
    const { isClosed, text } = await exchange(
      mayfly,
      createGetRequest(mayfly.url).repeat(pipelinedRequestCount),
    )
    const responseCount = text.match(/HTTP\/1\.1 /g)?.length ?? 0
    if (!isClosed || responseCount > 1) throw new Error(`not cut, and ${responseCount} answered`)
  },
  unknown: (context) => expectStatus(context, 404, '/api/download/zzzzzz'),
  foreign: (context) => expectStatus(context, 401, '/api/files'),
  'broken JSON': (context) =>
    expectStatus(context, 400, '/api/auth/login', { method: 'POST', headers: json, body: '{' }),
}

async function upload({ mayfly, http, cookie }: ActionContext, name: string) {
  const calls = uploadCalls(mayfly, http, cookie)
  const startedUpload = await calls.start(name, smallBody.length)
  await put(http, startedUpload.uploadUrl, smallBody)
  return calls.confirm(startedUpload)
}

async function put(http: HttpClient, url: string, body: Buffer): Promise<void> {
  await http.expectOk(url, { method: 'PUT', headers: { 'content-type': contentType }, body })
}

function remove(context: ActionContext, id: string): Promise<void> {
  const { cookie } = context
  return expectStatus(context, 200, `/api/files/${id}`, { method: 'DELETE', headers: { cookie } })
}

async function expectStatus(
  { mayfly, http }: ActionContext,
  expected: number,
  path: string,
  options?: Parameters<HttpClient['send']>[1],
): Promise<void> {
  requireStatus(path, (await http.send(`${mayfly.url}${path}`, options)).status, expected)
}

/** Sends raw text and asserts that the response matches `expected`. */
async function expectText(mayfly: Mayfly, text: string, expected: RegExp): Promise<void> {
  const responseText = (await exchange(mayfly, text, { stopAt: /\r\n/ })).text
  if (!expected.test(responseText))
    throw new Error(`'${responseText.slice(0, 40)}' in place of ${expected}`)
}

function requireStatus(label: string, status: number, expected: number): void {
  if (status !== expected) throw new Error(`${label}: ${status} in place of ${expected}`)
}

/** Creates the shared account and file. */
export async function prepareSoak(mayfly: Mayfly): Promise<SharedFixture> {
  const http = makeHttpClient(1)
  try {
    const credentials = await makeAccount(mayfly, http)
    const cookie = await signIn(mayfly, http)
    const file = { name: 'shared.bin', bytes: randomBytes(sharedBytes) }
    return { cookie, credentials, code: await uploadFile(mayfly, http, cookie, file) }
  } finally {
    http.close()
  }
}
