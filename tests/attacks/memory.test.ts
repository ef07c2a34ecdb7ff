import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectionLimits } from '../../src/server/http/limits.ts'
import { findFreePort } from '../support/free-port.ts'
import { hangTimeoutMs } from '../support/hang-timeout.ts'
import {
  type Client,
  json,
  logIn,
  makeClient,
  makeFile,
  signParts,
  signUp,
  startUpload,
} from '../support/make.ts'
import { freshDatabase } from '../support/postgres.ts'
import type { TestDatabase } from '../support/postgres-server.ts'
import { measureResidentMiB } from '../support/resident-memory.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { getRequest, sendWithoutReading, type UnreadSockets } from '../support/unread-sockets.ts'
import { expectError, requestUpload } from '../support/upload-requests.ts'

/**
 * Memory limit for the server process, in MiB. The process uses about 130 when idle and up to 260
 * during these attacks. If it buffered everything that clients send or don't read, it would use 400
 * or more.
 */
const maxMemoryMiB = 350
const MiB = 1024 ** 2
const fileBytes = 16 * MiB
const metricsToken = 'memory-test-0123456789'
/**
 * The idle process has about 50 timers and connections. If an attack leaked its timers and
 * connections, there would be 400 or more.
 */
const maxResources = 150
/**
 * How long a disconnected client's timers may remain, well below the time after which they would
 * fire anyway.
 */
const idleTimeoutMs = connectionLimits.bodyMs / 2
/** Number of health checks at the start of an attack, and again while its connections are open. */
const checkCount = 15

let folder: string
let database: TestDatabase
let server: ServerProcess
let owner: Client
let cookie: string
let code: string
const openSockets: UnreadSockets[] = []
function closeAll() {
  for (const sockets of openSockets.splice(0)) sockets.reset()
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-attack-'))
  const dataDir = join(folder, 'data')
  database = await freshDatabase()
  const env = { DATABASE_URL: database.url, TRUST_PROXY: 'on', METRICS_TOKEN: metricsToken }
  server = await startServerProcess({ dataDir, port: await findFreePort(), env })
  const { email, password } = await signUp(server)
  cookie = await logIn(server, email, password)
  owner = makeClient(server, cookie)
  code = (await makeFile(owner, { bytes: new Uint8Array(fileBytes) })).shortCode
})

afterAll(async () => {
  closeAll()
  server.kill('SIGTERM')
  await server.exitCode
  await database.drop()
  await rm(folder, { recursive: true })
})

/** Runs the attack while sending health checks. Returns the peak memory in MiB. */
async function measurePeakDuring(attack: () => Promise<UnreadSockets>): Promise<number> {
  let peakMiB = 0
  const attackPromise = attack()
  for (let check = 0; check < checkCount; check += 1) {
    const healthResponse = await fetch(`${server.url}/api/health`, {
      signal: AbortSignal.timeout(hangTimeoutMs),
    })
    expect(healthResponse.status).toBe(200)
    peakMiB = Math.max(peakMiB, measureResidentMiB(server.pid))
  }
  openSockets.push(await attackPromise)
  for (let check = 0; check < checkCount; check += 1) {
    expect((await fetch(`${server.url}/api/health`)).status).toBe(200)
    peakMiB = Math.max(peakMiB, measureResidentMiB(server.pid))
  }
  return peakMiB
}

/**
 * Closes all of the attack's connections and asserts that the server has released their resources.
 */
async function expectResourcesReleased() {
  closeAll()
  await expect.poll(countActiveResources, { timeout: idleTimeoutMs }).toBeLessThan(maxResources)
}

/**
 * Returns the number of active resources, such as timers and sockets, in the server's event loop.
 */
async function countActiveResources(): Promise<number> {
  const headers = { Authorization: `Bearer ${metricsToken}` }
  const text = await (await fetch(`${server.url}/metrics`, { headers })).text()
  return Number(/^nodejs_active_resources_total (\d+)$/m.exec(text)?.[1])
}

/** A chunked body of 512 KiB that never ends. */
const chunkedBody = `Transfer-Encoding: chunked\r\n\r\n80000\r\n${' '.repeat(512 * 1024 - 1)}`

async function countDownloads() {
  const files = await json<{ downloadCount: number }[]>(await owner.fetch('/api/files'))
  return files[0]?.downloadCount
}

describe('an account that never finishes uploads', () => {
  it("can't exhaust memory with 400 half-sent parts", async () => {
    const urls: string[] = []
    for (let accountIndex = 0; accountIndex < 3; accountIndex += 1) {
      const { email, password } = await signUp(server)
      const client = makeClient(server, await logIn(server, email, password))
      for (let fileIndex = 0; fileIndex < 3; fileIndex += 1) {
        const { cloudKey, parts } = await startUpload(client, { size: 400 * MiB })
        const partNumbers = Array.from({ length: parts?.count ?? 0 }, (_, index) => index + 1)
        urls.push(...(await signParts(client, cloudKey, partNumbers)))
      }
    }
    const partialBody = 'x'.repeat(384 * 1024)
    const makeText = (index: number) => {
      const { host, pathname, search } = new URL(urls[index] ?? '')
      const forwardedFor = `X-Forwarded-For: 198.51.100.${index & 255}`
      const headers = `Host: ${host}\r\n${forwardedFor}\r\nContent-Type: text/plain\r\nContent-Length: ${8 * MiB}`
      return `PUT ${pathname}${search} HTTP/1.1\r\n${headers}\r\n\r\n${partialBody}`
    }
    const peakPromise = measurePeakDuring(() => sendWithoutReading(server.url, makeText, 400))
    expect(await peakPromise).toBeLessThan(maxMemoryMiB)
    await expectResourcesReleased()
  })

  it("can't exhaust memory with 1,000 calls with a large chunked body that never ends, nor block others", async () => {
    const makeText = (index: number) => {
      const forwardedFor = `X-Forwarded-For: 198.51.${100 + (index >> 8)}.${index & 255}`
      const headers = `Host: ${new URL(server.url).host}\r\nCookie: ${cookie}\r\n${forwardedFor}`
      return `POST /api/links HTTP/1.1\r\n${headers}\r\n${chunkedBody}`
    }
    const peakPromise = measurePeakDuring(() => sendWithoutReading(server.url, makeText, 1000))
    expect(await peakPromise).toBeLessThan(maxMemoryMiB)
    await expectError(await requestUpload(owner, { fileName: '' }), 400, 'INVALID_INPUT')
    await expectResourcesReleased()
  })
})

describe('a client that never reads responses', () => {
  it("can't exhaust memory with 3,000 pipelined downloads, which count as one", async () => {
    const downloadCountBefore = (await countDownloads()) ?? 0
    const text = getRequest(`${server.url}/api/download/${code}`).repeat(3000)
    expect(await measurePeakDuring(() => sendWithoutReading(server.url, () => text))).toBeLessThan(
      maxMemoryMiB,
    )
    expect(await countDownloads()).toBeLessThanOrEqual(downloadCountBefore + 1)
  })

  it("can't exhaust memory with 3,000 requests for the page of a link", async () => {
    const text = getRequest(`${server.url}/s/${code}`, { Accept: 'text/html' }).repeat(3000)
    expect(await measurePeakDuring(() => sendWithoutReading(server.url, () => text))).toBeLessThan(
      maxMemoryMiB,
    )
  })

  it("can't exhaust memory with 300 downloads from a different address each", async () => {
    const downloadCountBefore = (await countDownloads()) ?? 0
    const makeText = (index: number) => {
      const address = `198.51.${100 + (index >> 8)}.${index & 255}`
      return getRequest(`${server.url}/api/download/${code}`, { 'X-Forwarded-For': address })
    }
    const peakPromise = measurePeakDuring(() => sendWithoutReading(server.url, makeText, 300))
    expect(await peakPromise).toBeLessThan(maxMemoryMiB)
    // A download is counted before its first byte is sent, so this includes every download that
    // the server has started.
    const countStartedDownloads = async () => ((await countDownloads()) ?? 0) - downloadCountBefore
    await expect.poll(countStartedDownloads).toBeGreaterThanOrEqual(200)
    expect(measureResidentMiB(server.pid)).toBeLessThan(maxMemoryMiB)
    await expectResourcesReleased()
  })
})
