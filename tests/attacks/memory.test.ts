import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectionLimits } from '../../src/server/http/limits.ts'
import { transferLimits } from '../../src/server/storage/disk/transfer-limits.ts'
import { prepareDataFolder } from '../support/data-folder.ts'
import { freePort } from '../support/free-port.ts'
import { hangMs } from '../support/hang.ts'
import {
  json,
  logIn,
  makeClient,
  makeFile,
  type Person,
  signParts,
  signUp,
  startUpload,
} from '../support/make.ts'
import { residentMiB } from '../support/resident-memory.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { askWithoutReading, getRequest, type UnreadSockets } from '../support/unread-sockets.ts'
import { endsOf, startAll, wish } from '../support/upload-batches.ts'

/**
 * Whatever clients do, the process of the server may use at most this many MiB of memory. At rest
 * it uses some 200, and up to 340 during these attacks. If it kept what the clients send or do not
 * read, it would use 480 or more.
 */
const ceilingMiB = 400
const MiB = 1024 ** 2
const fileBytes = 16 * MiB
const metricsToken = 'memory-test-0123456789'
/** At rest the process has some 50 timers and connections. An attack would leave 400 or more. */
const mostResources = 150
/** Timers of requests whose client has left must end in less time than if it were still there. */
const forgottenMs = connectionLimits.bodyMs / 2
/**
 * How often the server is asked whether it is healthy: so many times while an attack begins, and as
 * often after that.
 */
const checks = 40

let folder: string
let server: ServerProcess
let owner: Pick<Person, 'fetch' | 'post'>
let cookie: string
let code: string
const unread: UnreadSockets[] = []
function leaveAll() {
  for (const sockets of unread.splice(0)) sockets.leave()
}

/** Starts a new server for each kind of attack, so that one attack does not affect the next. */
function withServer() {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mayfly-attack-'))
    const dataDir = join(folder, 'data')
    await prepareDataFolder(dataDir)
    const env = { TRUST_PROXY: 'on', METRICS_TOKEN: metricsToken }
    server = await startServerProcess({ dataDir, port: await freePort(), env })
    const { email, password } = await signUp(server)
    cookie = await logIn(server, email, password)
    owner = makeClient(server, cookie)
    const person = { ...owner, id: '', email, password }
    code = (await makeFile(person, { bytes: new Uint8Array(fileBytes) })).shortCode
  })

  afterAll(async () => {
    leaveAll()
    server.kill('SIGTERM')
    await server.ended
    await rm(folder, { recursive: true })
  })
}

/**
 * Runs the attack, and asks whether the server is healthy meanwhile. Returns the most memory that
 * the server had, in MiB.
 */
async function peakDuring(attack: () => Promise<UnreadSockets>): Promise<number> {
  let peak = 0
  const attacking = attack()
  for (let check = 0; check < checks; check += 1) {
    const health = await fetch(`${server.url}/api/health`, { signal: AbortSignal.timeout(hangMs) })
    expect(health.status).toBe(200)
    peak = Math.max(peak, residentMiB(server.pid))
  }
  unread.push(await attacking)
  for (let check = 0; check < checks; check += 1) {
    expect((await fetch(`${server.url}/api/health`)).status).toBe(200)
    peak = Math.max(peak, residentMiB(server.pid))
  }
  return peak
}

/** Cuts all connections of the attack, and checks that the server then keeps nothing of them. */
async function leaveNothingBehind() {
  leaveAll()
  await expect.poll(activeResources, { timeout: forgottenMs }).toBeLessThan(mostResources)
}

/** Returns how many timers, connections and the like the event loop of the server has. */
async function activeResources(): Promise<number> {
  const headers = { Authorization: `Bearer ${metricsToken}` }
  const text = await (await fetch(`${server.url}/metrics`, { headers })).text()
  return Number(/^nodejs_active_resources_total (\d+)$/m.exec(text)?.[1])
}

/** The last header and the body of a request that ends one byte too early. */
function announced(bytes: number): string {
  return `Content-Length: ${bytes}\r\n\r\n${' '.repeat(bytes - 1)}`
}

/** The same for a body of 512 KiB whose length is not known before its end. */
const inChunks = `Transfer-Encoding: chunked\r\n\r\n80000\r\n${' '.repeat(512 * 1024 - 1)}`

async function downloads() {
  const files = await json<{ downloadCount: number }[]>(await owner.fetch('/api/files'))
  return files[0]?.downloadCount
}

describe('an attacker with accounts who never finishes uploads', () => {
  withServer()

  it('cannot fill the memory with 400 half-sent parts', async () => {
    const urls: string[] = []
    for (let account = 0; account < 3; account += 1) {
      const { email, password } = await signUp(server)
      const client = makeClient(server, await logIn(server, email, password))
      for (let place = 0; place < 3; place += 1) {
        const { cloudKey, parts } = await startUpload(client, { size: 400 * MiB })
        const numbers = Array.from({ length: parts?.count ?? 0 }, (_, index) => index + 1)
        urls.push(...(await signParts(client, cloudKey, numbers)))
      }
    }
    const half = 'x'.repeat(384 * 1024)
    const text = (index: number) => {
      const { host, pathname, search } = new URL(urls[index] ?? '')
      const from = `X-Forwarded-For: 198.51.100.${index & 255}`
      const facts = `Host: ${host}\r\n${from}\r\nContent-Type: text/plain\r\nContent-Length: ${8 * MiB}`
      return `PUT ${pathname}${search} HTTP/1.1\r\n${facts}\r\n\r\n${half}`
    }
    const peak = peakDuring(() => askWithoutReading(server.url, text, 400))
    expect(await peak).toBeLessThan(ceilingMiB)
    await leaveNothingBehind()
  })

  it.each([
    ['1,000 calls whose large body', 1000, '/api/files/get-upload-urls', announced(512 * 1024)],
    ['1,000 calls whose large body in chunks', 1000, '/api/files/get-upload-urls', inChunks],
    ['4,000 logins whose body of 64 KiB', 4000, '/api/auth/login', announced(64 * 1024)],
  ])('nor with %s stops before its end, and others can go on', async (_, calls, path, body) => {
    const text = (index: number) => {
      const from = `X-Forwarded-For: 198.51.${100 + (index >> 8)}.${index & 255}`
      const facts = `Host: ${new URL(server.url).host}\r\nCookie: ${cookie}\r\n${from}`
      return `POST ${path} HTTP/1.1\r\n${facts}\r\n${body}`
    }
    const peak = peakDuring(() => askWithoutReading(server.url, text, calls))
    expect(await peak).toBeLessThan(ceilingMiB)
    expect(endsOf(await startAll(owner, [wish({ fileName: '' })]))).toEqual(['INVALID_INPUT'])
    await leaveNothingBehind()
  })
})

describe('an attacker without an account who never reads answers', () => {
  withServer()

  it.each(['/s/', '/api/download/'])(
    'cannot fill the memory with 3,000 requests for %s{code} on one connection, and counts as one download at most',
    async (base) => {
      const before = (await downloads()) ?? 0
      const text = getRequest(`${server.url}${base}${code}`).repeat(3000)
      expect(await peakDuring(() => askWithoutReading(server.url, () => text))).toBeLessThan(
        ceilingMiB,
      )
      expect(await downloads()).toBeLessThanOrEqual(before + 1)
    },
  )

  it.each([
    ['the page of a link', () => `/s/${code}`, { Accept: 'text/html' }],
    ['the facts of a link', () => `/api/links/${code}`, {}],
    ['the list of calls', () => '/api/openapi.json', {}],
    ['a page that is not there', () => '/nowhere', {}],
  ])('nor with 3,000 requests for %s', async (_, path, headers) => {
    const text = getRequest(`${server.url}${path()}`, headers).repeat(3000)
    expect(await peakDuring(() => askWithoutReading(server.url, () => text))).toBeLessThan(
      ceilingMiB,
    )
  })

  it.each([
    ['one address', 171, () => '198.51.100.7'],
    ['as many addresses', 300, (index: number) => `198.51.${100 + (index >> 8)}.${index & 255}`],
  ])(
    'nor with 1,000 connections from %s, on each of which it downloads',
    async (_, room, from) => {
      const before = (await downloads()) ?? 0
      const text = (index: number) =>
        getRequest(`${server.url}/api/download/${code}`, { 'X-Forwarded-For': from(index) })
      const sockets = peakDuring(() => askWithoutReading(server.url, text, 1000))
      expect(await sockets).toBeLessThan(ceilingMiB)
      // Not more downloads begin than the limit allows. Each is counted before its first byte.
      const begun = async () => ((await downloads()) ?? 0) - before
      await expect.poll(begun).toBeGreaterThanOrEqual(room)
      expect(await begun()).toBeLessThanOrEqual(transferLimits.downloads.total)
      expect(residentMiB(server.pid)).toBeLessThan(ceilingMiB)
      await leaveNothingBehind()
    },
    60_000,
  )
})
