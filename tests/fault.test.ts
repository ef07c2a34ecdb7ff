import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { get, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { File } from '../src/shared/contract/files.ts'
import { prepareDataFolder } from './support/data-folder.ts'
import { eventually } from './support/eventually.ts'
import { freePort } from './support/free-port.ts'
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
import { isLongRun } from './support/rounds.ts'
import { type Draw, seededRounds } from './support/seeded-rounds.ts'
import { type ServerProcess, startServerProcess } from './support/server-process.ts'

let folder: string
let settings: { dataDir: string; port: number }
let server: ServerProcess
let isRunning = false

/**
 * Starts the server on the folder that all tests here share. Each test begins with a running
 * server.
 */
async function start() {
  server = await startServerProcess(settings)
  isRunning = true
  void server.ended.then(() => {
    isRunning = false
  })
}

async function restart() {
  await server.ended
  await start()
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-fault-'))
  settings = { dataDir: join(folder, 'data'), port: await freePort() }
  await prepareDataFolder(settings.dataDir)
})

beforeEach(async () => {
  if (!isRunning) await start()
})

afterAll(async () => {
  server.kill('SIGTERM')
  await server.ended
  await rm(folder, { recursive: true })
})

async function makeUser(): Promise<Client> {
  const { email, password } = await signUp(server)
  return makeClient(server, await logIn(server, email, password))
}

const type = 'application/octet-stream'

/** An upload that was started, and the bytes to send. */
interface Wish extends StartedUpload {
  bytes: Buffer<ArrayBuffer>
}

async function wish(user: Client, name: string, size: number): Promise<Wish> {
  const bytes = randomBytes(size)
  return { ...(await startUpload(user, { name, size, type })), bytes }
}

async function confirm(user: Client, { cloudKey }: Wish): Promise<File> {
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
 * Sends the first `pause` bytes of an upload and then resolves `paused`. After `goOn` it sends
 * more, but never the last byte. So this upload cannot end.
 */
function sendWithoutEnd({ uploadUrl, bytes }: Wish, pause: number) {
  const headers = { 'content-type': type, 'content-length': bytes.length }
  const sending = request(uploadUrl, { method: 'PUT', headers, agent: false })
  // The connection breaks when the server is killed.
  sending.on('error', () => {})
  const write = (part: Buffer) =>
    new Promise<void>((resolve) => sending.write(part, () => resolve()))
  return {
    paused: write(bytes.subarray(0, pause)),
    goOn: () => void write(bytes.subarray(pause, -1)),
  }
}

async function storedOffset({ uploadUrl }: Wish): Promise<number> {
  const answer = await fetch(uploadUrl, { method: 'HEAD' })
  expect(answer.status).toBe(200)
  return Number(answer.headers.get('upload-offset'))
}

/**
 * Finishes an upload, so that it becomes a file. Continues with the bytes that storage lacks, or
 * sends all bytes again.
 */
async function finish(user: Client, upload: Wish, how: 'continue' | 'start again') {
  const { uploadUrl, bytes } = upload
  const offset = await storedOffset(upload)
  if (offset < bytes.length) {
    const response =
      how === 'continue'
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

/** Uploads of one person that were begun before the server is killed. */
interface Interrupted {
  /**
   * Sends what is on its way when the server is killed. Resolves when the server has answered or
   * died.
   */
  travel(): Promise<unknown>
  /**
   * Called after the next start. Expects everything that was acknowledged, and finishes the rest.
   */
  finish(): Promise<void>
}

/**
 * Confirms one file. When the server is killed, it is just receiving the bytes of a second file and
 * the confirm of a third.
 * @param acknowledged the bytes of all confirmed files, by short code. This function adds to it.
 * @param offsets how many bytes of the second file were stored. This function adds to it.
 */
async function beginWholeFiles(
  random: Draw,
  acknowledged: Map<string, Buffer>,
  offsets: number[],
): Promise<Interrupted> {
  const size = 8 * 1024 * 1024
  const user = await makeUser()
  const done = await wish(user, 'done.bin', 1 + random(size))
  const unheard = await wish(user, 'unheard.bin', 1 + random(size))
  const half = await wish(user, 'half.bin', size)
  for (const whole of [done, unheard]) {
    expect((await putBytes(whole, new Uint8Array(whole.bytes), type)).status).toBe(200)
  }
  const sending = sendWithoutEnd(half, random(size - 1))
  await sending.paused
  const file = await confirm(user, done)
  acknowledged.set(file.shortCode, done.bytes)
  const how = random(2) === 0 ? 'continue' : 'start again'
  return {
    async travel() {
      sending.goOn()
      const heard = await confirm(user, unheard).catch(() => null)
      if (heard) acknowledged.set(heard.shortCode, unheard.bytes)
    },
    async finish() {
      for (const [code, bytes] of acknowledged) await expectSameBytes(code, bytes)
      offsets.push(await storedOffset(half))
      for (const upload of [unheard, half]) {
        const { shortCode } = await finish(user, upload, how)
        await expectSameBytes(shortCode, upload.bytes)
        acknowledged.set(shortCode, upload.bytes)
      }
      const files = await json<File[]>(await user.fetch('/api/files'))
      expect(files.map(({ originalName }) => originalName).sort()).toEqual([
        'done.bin',
        'half.bin',
        'unheard.bin',
      ])
    },
  }
}

const partNumbers = [1, 2, 3, 4]

/**
 * Sends `whole` parts of a file and waits for the answers. The other parts are on their way when
 * the server is killed, or the confirm if there are none.
 */
async function beginParts(random: Draw, whole: number): Promise<Interrupted> {
  const partSize = 8 * 1024 * 1024
  const user = await makeUser()
  const size = (partNumbers.length - 1) * partSize + 1 + random(partSize)
  const upload = await wish(user, 'parts.bin', size)
  const { cloudKey, bytes } = upload
  const send = async (partNumber: number): Promise<boolean> => {
    const [url = ''] = await signParts(user, cloudKey, [partNumber])
    const body = bytes.subarray((partNumber - 1) * partSize, partNumber * partSize)
    const answer = await fetch(url, { method: 'PUT', headers: { 'content-type': type }, body })
    return answer.ok
  }
  const answered: number[] = []
  const travel = async (partNumber: number) => {
    if (await send(partNumber).catch(() => false)) answered.push(partNumber)
  }
  await Promise.all(partNumbers.slice(0, whole).map(travel))
  expect(answered).toHaveLength(whole)
  return {
    travel: () =>
      whole === partNumbers.length
        ? confirm(user, upload).catch(() => null)
        : Promise.all(partNumbers.slice(whole).map(travel)),
    async finish() {
      if (answered.length < partNumbers.length) {
        const listed = (await listParts(user, cloudKey)).map(({ partNumber }) => partNumber)
        expect(listed).toEqual(expect.arrayContaining(answered))
        for (const partNumber of partNumbers) {
          if (!listed.includes(partNumber)) expect(await send(partNumber)).toBe(true)
        }
      }
      const file = await confirm(user, upload)
      await expectSameBytes(file.shortCode, bytes)
      expect(await json<File[]>(await user.fetch('/api/files'))).toHaveLength(1)
    },
  }
}

test('killed again and again: what was acknowledged is there, parts too, what was not can be finished', async () => {
  const longestWaitMs = 20
  const acknowledged = new Map<string, Buffer>()
  const offsets: number[] = []
  /** How many parts are answered before each kill. If all are, only the confirm is on its way. */
  const wholeParts = isLongRun ? [0, 1, 2, 3, 4] : [0, 2, partNumbers.length]

  await seededRounds(wholeParts.length, async (random) => {
    const interrupted = [
      await beginWholeFiles(random, acknowledged, offsets),
      await beginParts(random, wholeParts.shift() ?? 0),
    ]
    const lastWords = interrupted.map((one) => one.travel())
    if (random(2) === 0) await wait(random(longestWaitMs))
    server.kill('SIGKILL')
    await Promise.all(lastWords)
    await restart()
    for (const one of interrupted) await one.finish()
  })
  // At least one kill hit an upload of which storage had some bytes.
  expect(Math.max(...offsets)).toBeGreaterThan(0)
})

describe('SIGTERM while somebody downloads', () => {
  /** More than all buffers together between the server and a client that does not read can take. */
  const size = 48 * 1024 * 1024

  const beginDownload = async (): Promise<{ bytes: Uint8Array; response: IncomingMessage }> => {
    const file = await makeFile(await makeUser(), { bytes: new Uint8Array(randomBytes(size)) })
    const asked = get(`${server.url}/api/download/${file.shortCode}`, { agent: false })
    const [response] = await once(asked, 'response')
    return { bytes: file.bytes, response }
  }

  const untilNobodyListens = () =>
    eventually(() => expect(fetch(`${server.url}/api/health`)).rejects.toThrow())

  test('the download is finished, then the server ends', async () => {
    const { bytes, response } = await beginDownload()
    server.kill('SIGTERM')
    await untilNobodyListens()
    expect(sha256(await buffer(response))).toBe(sha256(bytes))
    expect(await server.ended).toBe(0)
  })

  test('a second SIGTERM ends it at once', async () => {
    const { response } = await beginDownload()
    response.on('error', () => {})
    server.kill('SIGTERM')
    await untilNobodyListens()
    // If a second signal comes very soon, the server takes it for a repetition of the first one. So
    // it is sent until the server ends.
    const again = setInterval(() => server.kill('SIGTERM'), 100)
    expect(await server.ended).toBe(1)
    clearInterval(again)
    expect(response.complete).toBe(false)

    await restart()
    expect((await fetch(`${server.url}/api/ready`)).status).toBe(200)
  })
})

test.each(['SIGTERM', 'SIGKILL'] as const)(
  '%s while many download one link: every download that was answered is counted',
  async (signal) => {
    const clients = 16
    const user = await makeUser()
    const { shortCode } = await makeFile(user)
    let answered = 0
    const begun = Promise.withResolvers<void>()
    const downloads = Array.from({ length: clients }, async () => {
      for (;;) {
        const response = await fetch(`${server.url}/api/download/${shortCode}`).catch(() => null)
        if (response?.status !== 200) return
        answered += 1
        if (answered === 100) begun.resolve()
        await response.arrayBuffer().catch(() => {})
      }
    })
    await begun.promise
    server.kill(signal)
    await Promise.all(downloads)
    await restart()

    const [file] = await json<File[]>(await user.fetch('/api/files'))
    const counted = file?.downloadCount ?? 0
    expect(counted).toBeGreaterThanOrEqual(answered)
    // A server that stops in order answers every download that it has counted. A kill can happen
    // after the count and before the answer.
    expect(counted).toBeLessThanOrEqual(answered + (signal === 'SIGTERM' ? 0 : clients))
  },
)
