import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { type HttpClient, makeHttpClient } from './http-client.ts'
import {
  type Credentials,
  contentType,
  type Mayfly,
  makeAccount,
  signIn,
  uploadCalls,
} from './mayfly.ts'

/** The account and the file that all clients use. */
export interface Stage {
  cookie: string
  credentials: Credentials
  /** The short code of a file of `fileBytes` bytes. */
  code: string
}

const fileBytes = 4 * 1024 ** 2
const small = randomBytes(100 * 1024)
const json = { 'content-type': 'application/json' }
const html = { accept: 'text/html' }

/** How many clients act in parallel. */
const clients = 8
/** How long a client pauses between two acts. The pause limits the load on the server. */
const pauseMs = 20

/**
 * For how long the clients of 'unread download' and 'slow headers' leave their connections open and
 * do nothing.
 */
const slowMs = 300

/**
 * One thing that a client does. It throws if the server answers with another status than expected.
 */
type Act = (world: World) => Promise<void>

interface World extends Stage {
  mayfly: Mayfly
  http: HttpClient
}

/** What people, programs and attackers do. The clients repeat these acts in this order. */
const acts: Readonly<Record<string, Act>> = {
  page: (world) => expectStatus(world, 200, `/s/${world.code}`, { headers: html }),
  details: (world) => expectStatus(world, 200, `/api/links/${world.code}`),
  download: (world) => expectStatus(world, 200, `/api/download/${world.code}`),
  range: (world) =>
    expectStatus(world, 206, `/api/download/${world.code}`, { headers: { range: 'bytes=7-9000' } }),
  landing: (world) => expectStatus(world, 200, '/', { headers: html }),
  ready: (world) => expectStatus(world, 200, '/api/ready'),
  async dashboard(world) {
    const { cookie } = world
    for (const path of ['/api/auth/user', '/api/files', '/api/files/summary']) {
      await expectStatus(world, 200, path, { headers: { cookie } })
    }
  },
  async upload({ mayfly, http, cookie }) {
    const calls = uploadCalls(mayfly, http, cookie)
    const started = await calls.start('soak.bin', small.length)
    const headers = { 'content-type': contentType }
    await http.expectOk(started.uploadUrl, { method: 'PUT', headers, body: small })
    const { id } = await calls.confirm(started)
    const url = `${mayfly.url}/api/files/${id}`
    await http.expectOk(url, { method: 'DELETE', headers: { cookie } })
  },
  /** Cuts the connection in the middle of a PUT, and then aborts the upload. */
  async 'cut upload'(world) {
    const { mayfly, http, cookie } = world
    const { uploadUrl, cloudKey } = await uploadCalls(mayfly, http, cookie).start('cut.bin', 5000)
    const { pathname, search } = new URL(uploadUrl)
    const put = `PUT ${pathname}${search} HTTP/1.1\r\nHost: ${new URL(mayfly.url).host}\r\n`
    const head = `Content-Type: ${contentType}\r\nContent-Length: 5000\r\n\r\n`
    await speak(mayfly, `${put}${head}${'x'.repeat(2000)}`, 100)
    const body = JSON.stringify({ cloudKey })
    const headers = { ...json, cookie }
    await expectStatus(world, 200, '/api/files/abort-upload', { method: 'POST', headers, body })
  },
  async login(world) {
    const login = (password: string) =>
      world.http.send(`${world.mayfly.url}/api/auth/login`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ ...world.credentials, password }),
      })
    expectAnswer('wrong password', (await login('wrong password')).status, 401)
    const { status, headers } = await login(world.credentials.password)
    expectAnswer('login', status, 200)
    const cookie = [headers['set-cookie'] ?? []]
      .flat()
      .map((one) => one.split(';', 1)[0])
      .join('; ')
    await expectStatus(world, 302, '/api/logout', { headers: { cookie } })
  },
  /** Asks for a download, reads none of it, and resets the connection. */
  'unread download': ({ mayfly, code }) => speak(mayfly, get(`/api/download/${code}`), slowMs),
  'slow headers': ({ mayfly }) => speak(mayfly, 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ', slowMs),
  'slow body': ({ mayfly }) =>
    speak(
      mayfly,
      `POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n{`,
      1000,
    ),
  'many requests on one connection': ({ mayfly }) => speak(mayfly, get('/').repeat(40), 200),
  'large headers': ({ mayfly }) => speak(mayfly, `GET / HTTP/1.1\r\nX: ${'x'.repeat(60_000)}`, 100),
  'no HTTP': ({ mayfly }) => speak(mayfly, '\x16\x03\x01 hello\r\n\r\n', 100),
  unknown: (world) => expectStatus(world, 404, '/api/download/zzzzzz'),
  foreign: (world) => expectStatus(world, 401, '/api/files'),
  'broken JSON': (world) =>
    expectStatus(world, 400, '/api/auth/login', { method: 'POST', headers: json, body: '{' }),
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
}

/**
 * Opens a connection and sends `text`. Waits `ms` milliseconds without reading an answer, and
 * resets the connection.
 */
async function speak({ url }: Mayfly, text: string, ms: number): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {}) // the server may be the one that leaves first
  await once(socket, 'connect')
  socket.pause()
  socket.write(text)
  await wait(ms)
  socket.resetAndDestroy()
}

async function expectStatus(
  { mayfly, http }: World,
  expected: number,
  path: string,
  call?: Parameters<HttpClient['send']>[1],
): Promise<void> {
  expectAnswer(path, (await http.send(`${mayfly.url}${path}`, call)).status, expected)
}

function expectAnswer(what: string, status: number, expected: number): void {
  if (status !== expected) throw new Error(`${what}: ${status} in place of ${expected}`)
}

/** Makes the account and the file that all clients use. */
export async function setStage(mayfly: Mayfly): Promise<Stage> {
  const http = makeHttpClient(1)
  try {
    const credentials = await makeAccount(mayfly, http)
    const cookie = await signIn(mayfly, http)
    const calls = uploadCalls(mayfly, http, cookie)
    const started = await calls.start('shared.bin', fileBytes)
    const headers = { 'content-type': contentType }
    const body = randomBytes(fileBytes)
    await http.expectOk(started.uploadUrl, { method: 'PUT', headers, body })
    const { shortCode: code } = await calls.confirm(started)
    return { cookie, credentials, code }
  } finally {
    http.close()
  }
}

/** The result of one round of traffic: how many acts were done, and which of them failed. */
export interface Round {
  done: number
  /** Each failure as a text, and how often it happened. */
  faults: Map<string, number>
}

/**
 * Lets all clients act in parallel for `ms` milliseconds. Each client repeats all acts in order.
 */
export async function runTraffic(mayfly: Mayfly, stage: Stage, ms: number): Promise<Round> {
  const http = makeHttpClient(clients)
  const world = { ...stage, mayfly, http }
  const all = Object.entries(acts)
  const round: Round = { done: 0, faults: new Map() }
  const until = performance.now() + ms
  const act = async (client: number) => {
    // Each client begins with another act, so that the clients do different things at the same
    // time.
    for (let turn = client * 3; performance.now() < until; turn += 1) {
      const [name, perform] = all[turn % all.length] ?? ['', async () => {}]
      await perform(world).catch((error: unknown) => {
        const fault = `${name}: ${error instanceof Error ? error.message : error}`
        round.faults.set(fault, (round.faults.get(fault) ?? 0) + 1)
      })
      round.done += 1
      await wait(pauseMs)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_client, client) => act(client)))
  http.close()
  return round
}
