import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { get, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { File } from '../src/shared/contract/files.ts'
import { findFreePort } from './support/free-port.ts'
import {
  type Client,
  json,
  listParts,
  logIn,
  makeClient,
  makeFile,
  putBytes,
  type StartedUpload,
  sha256,
  signParts,
  signUp,
  startUpload,
} from './support/make.ts'
import { freshDatabase } from './support/postgres.ts'
import type { TestDatabase } from './support/postgres-server.ts'
import { isLongRun } from './support/rounds.ts'
import { type RandomInt, runSeededRounds } from './support/seeded-rounds.ts'
import { type ServerProcess, startServerProcess } from './support/server-process.ts'

let folder: string
let database: TestDatabase
let settings: Parameters<typeof startServerProcess>[0]
let server: ServerProcess
let isRunning = false

/**
 * Starts the server on the data directory that all tests share. Each test begins with a running
 * server.
 */
async function start() {
  server = await startServerProcess(settings)
  isRunning = true
  void server.exitCode.then(() => {
    isRunning = false
  })
}

async function restart() {
  await server.exitCode
  await start()
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-fault-'))
  database = await freshDatabase()
  const env = { DATABASE_URL: database.url }
  settings = { dataDir: join(folder, 'data'), port: await findFreePort(), env }
})

beforeEach(async () => {
  if (!isRunning) await start()
})

afterAll(async () => {
  server.kill('SIGTERM')
  await server.exitCode
  await database.drop()
  await rm(folder, { recursive: true })
})

async function makeUser(): Promise<Client> {
  const { email, password } = await signUp(server)
  return makeClient(server, await logIn(server, email, password))
}

const type = 'application/octet-stream'

interface PendingUpload extends StartedUpload {
  bytes: Buffer<ArrayBuffer>
}

async function startRandomUpload(user: Client, name: string, size: number): Promise<PendingUpload> {
  const bytes = randomBytes(size)
  return { ...(await startUpload(user, { name, size, type })), bytes }
}

async function confirm(user: Client, { cloudKey }: PendingUpload): Promise<File> {
  const response = await user.post('/api/files/confirm-upload', { cloudKey })
  expect(response.status).toBe(200)
  return json(response)
}

async function expectSameBytes(code: string, bytes: Buffer) {
  const response = await makeClient(server).fetch(`/api/download/${code}`)
  expect(response.status).toBe(200)
  expect(sha256(new Uint8Array(await response.arrayBuffer()))).toBe(sha256(bytes))
}

/**
 * Sends the first `pauseOffset` bytes, then waits. `paused` resolves when they have been sent.
 * `resume` sends the rest except for the last byte.
 */
function sendSlowly({ uploadUrl, bytes }: PendingUpload, pauseOffset: number) {
  const headers = { 'content-type': type, 'content-length': bytes.length }
  const putRequest = request(uploadUrl, { method: 'PUT', headers, agent: false })
  // Expected, because killing the server breaks the connection.
  putRequest.on('error', () => {})
  const write = (part: Buffer) =>
    new Promise<void>((resolve) => putRequest.write(part, () => resolve()))
  return {
    paused: write(bytes.subarray(0, pauseOffset)),
    resume: () => void write(bytes.subarray(pauseOffset, -1)),
  }
}

async function fetchStoredOffset({ uploadUrl }: PendingUpload): Promise<number> {
  const response = await fetch(uploadUrl, { method: 'HEAD' })
  expect(response.status).toBe(200)
  return Number(response.headers.get('upload-offset'))
}

/** Completes an interrupted upload by sending either the missing bytes or the whole file again. */
async function finish(user: Client, upload: PendingUpload, method: 'continue' | 'start again') {
  const { uploadUrl, bytes } = upload
  const offset = await fetchStoredOffset(upload)
  if (offset < bytes.length) {
    const response =
      method === 'continue'
        ? await fetch(uploadUrl, {
            method: 'PUT',
            headers: { 'content-type': type, range: `bytes=${offset}-` },
            body: bytes.subarray(offset),
          })
        : await putBytes(upload, new Uint8Array(bytes), type)
    expect(response.status).toBe(200)
  }
  return confirm(user, upload)
}

/** One user's uploads, which the kill interrupts. */
interface Interrupted {
  /**
   * Sends the requests that the kill is meant to interrupt. Resolves when the server has responded
   * or died.
   */
  sendRest(): Promise<unknown>
  /**
   * Call this after the restart. Asserts that everything confirmed is intact, and completes the
   * interrupted uploads.
   */
  finish(): Promise<void>
}

/**
 * Confirms one file and prepares two more. The kill interrupts the transfer of the second file and
 * the confirm of the third.
 * @param bytesByCode receives the bytes of every confirmed file, by short code.
 * @param offsets receives the number of bytes stored for the second file.
 */
async function interruptFileUploads(
  random: RandomInt,
  bytesByCode: Map<string, Buffer>,
  offsets: number[],
): Promise<Interrupted> {
  const size = 8 * 1024 * 1024
  const user = await makeUser()
  const finishedUpload = await startRandomUpload(user, 'done.bin', 1 + random(size))
  const unconfirmedUpload = await startRandomUpload(user, 'unconfirmed.bin', 1 + random(size))
  const halfSentUpload = await startRandomUpload(user, 'half.bin', size)
  for (const completeUpload of [finishedUpload, unconfirmedUpload]) {
    expect(
      (await putBytes(completeUpload, new Uint8Array(completeUpload.bytes), type)).status,
    ).toBe(200)
  }
  // Enough bytes that the server has certainly stored some.
  const slowPut = sendSlowly(halfSentUpload, size / 8 + random((size * 7) / 8 - 1))
  await slowPut.paused
  const file = await confirm(user, finishedUpload)
  bytesByCode.set(file.shortCode, finishedUpload.bytes)
  const method = random(2) === 0 ? 'continue' : 'start again'
  return {
    async sendRest() {
      slowPut.resume()
      const file = await confirm(user, unconfirmedUpload).catch(() => null)
      if (file) bytesByCode.set(file.shortCode, unconfirmedUpload.bytes)
    },
    async finish() {
      for (const [code, bytes] of bytesByCode) await expectSameBytes(code, bytes)
      offsets.push(await fetchStoredOffset(halfSentUpload))
      for (const upload of [unconfirmedUpload, halfSentUpload]) {
        const { shortCode } = await finish(user, upload, method)
        await expectSameBytes(shortCode, upload.bytes)
        bytesByCode.set(shortCode, upload.bytes)
      }
      const files = await json<File[]>(await user.fetch('/api/files'))
      expect(files.map(({ originalName }) => originalName).sort()).toEqual([
        'done.bin',
        'half.bin',
        'unconfirmed.bin',
      ])
    },
  }
}

const partNumbers = [1, 2, 3]

/**
 * Sends `completePartCount` parts of a file. The kill interrupts the transfer of the remaining
 * parts or, if there are none, the confirm.
 */
async function interruptPartUpload(
  random: RandomInt,
  completePartCount: number,
): Promise<Interrupted> {
  const partSize = 8 * 1024 * 1024
  const user = await makeUser()
  const size = (partNumbers.length - 1) * partSize + 1 + random(partSize)
  const upload = await startRandomUpload(user, 'parts.bin', size)
  const { cloudKey, bytes } = upload
  const send = async (partNumber: number): Promise<boolean> => {
    const [url = ''] = await signParts(user, cloudKey, [partNumber])
    const body = bytes.subarray((partNumber - 1) * partSize, partNumber * partSize)
    const response = await fetch(url, { method: 'PUT', headers: { 'content-type': type }, body })
    return response.ok
  }
  const storedPartNumbers: number[] = []
  const sendRest = async (partNumber: number) => {
    if (await send(partNumber).catch(() => false)) storedPartNumbers.push(partNumber)
  }
  await Promise.all(partNumbers.slice(0, completePartCount).map(sendRest))
  expect(storedPartNumbers).toHaveLength(completePartCount)
  return {
    sendRest: () =>
      completePartCount === partNumbers.length
        ? confirm(user, upload).catch(() => null)
        : Promise.all(partNumbers.slice(completePartCount).map(sendRest)),
    async finish() {
      if (storedPartNumbers.length < partNumbers.length) {
        const listedPartNumbers = (await listParts(user, cloudKey)).map(
          ({ partNumber }) => partNumber,
        )
        expect(listedPartNumbers).toEqual(expect.arrayContaining(storedPartNumbers))
        for (const partNumber of partNumbers) {
          if (!listedPartNumbers.includes(partNumber)) expect(await send(partNumber)).toBe(true)
        }
      }
      const file = await confirm(user, upload)
      await expectSameBytes(file.shortCode, bytes)
      expect(await json<File[]>(await user.fetch('/api/files'))).toHaveLength(1)
    },
  }
}

test('after repeated kills, confirmed files and parts are intact and everything else can be completed', async () => {
  const maxWaitMs = 20
  const bytesByCode = new Map<string, Buffer>()
  const offsets: number[] = []
  /**
   * How many parts are stored before each kill. If all parts are stored, the kill interrupts the
   * confirm.
   */
  const completePartCounts = isLongRun ? [0, 1, 2, 3] : [2]

  await runSeededRounds(completePartCounts.length, async (random) => {
    const interruptedUploads = [
      await interruptFileUploads(random, bytesByCode, offsets),
      await interruptPartUpload(random, completePartCounts.shift() ?? 0),
    ]
    const sendPromises = interruptedUploads.map((upload) => upload.sendRest())
    if (random(2) === 0) await wait(random(maxWaitMs))
    server.kill('SIGKILL')
    await Promise.all(sendPromises)
    await restart()
    for (const upload of interruptedUploads) await upload.finish()
  })
  // At least one kill interrupted an upload after some of its bytes had been stored.
  expect(Math.max(...offsets)).toBeGreaterThan(0)
})

/**
 * Starts a download that is larger than all buffers between the server and a client that doesn't
 * read.
 */
async function startLargeDownload(user: Client) {
  const { shortCode, bytes } = await makeFile(user, { bytes: new Uint8Array(24 * 1024 * 1024) })
  const downloadRequest = get(`${server.url}/api/download/${shortCode}`, { agent: false })
  const [response] = (await once(downloadRequest, 'response')) as [IncomingMessage]
  return { response, bytes }
}

// After SIGTERM, a running download can finish before the server exits.
test.each(['SIGTERM', 'SIGKILL'] as const)(
  '%s during many downloads loses no counted download',
  async (signal) => {
    const clients = 16
    const user = await makeUser()
    const { shortCode } = await makeFile(user)
    let completedCount = 0
    const enoughDownloads = Promise.withResolvers<void>()
    const downloadPromises = Array.from({ length: clients }, async () => {
      for (;;) {
        const response = await fetch(`${server.url}/api/download/${shortCode}`).catch(() => null)
        if (response?.status !== 200) return
        completedCount += 1
        if (completedCount === 100) enoughDownloads.resolve()
        await response.arrayBuffer().catch(() => {})
      }
    })
    await enoughDownloads.promise
    if (signal === 'SIGTERM') {
      const { response, bytes } = await startLargeDownload(user)
      server.kill(signal)
      await Promise.all(downloadPromises)
      expect(sha256(await buffer(response))).toBe(sha256(bytes))
      expect(await server.exitCode).toBe(0)
    } else {
      server.kill(signal)
      await Promise.all(downloadPromises)
    }
    await restart()

    const files = await json<File[]>(await user.fetch('/api/files'))
    const file = files.find((listedFile) => listedFile.shortCode === shortCode)
    const countedDownloadCount = file?.downloadCount ?? 0
    expect(countedDownloadCount).toBeGreaterThanOrEqual(completedCount)
    // After a graceful stop, every counted download has received its response. A killed server may
    // have counted a download without responding.
    expect(countedDownloadCount).toBeLessThanOrEqual(
      completedCount + (signal === 'SIGTERM' ? 0 : clients),
    )
  },
)
