import { randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import { chunked, openPut, wholeUpload } from '../../../../tests/support/disk-uploads.ts'
import { eventually } from '../../../../tests/support/eventually.ts'
import { sha256 } from '../../../../tests/support/make.ts'
import { freshDatabase } from '../../../../tests/support/postgres.ts'
import type { TestDatabase } from '../../../../tests/support/postgres-server.ts'
import { codeOf, send } from '../../../../tests/support/send.ts'
import { SharedSession } from '../../db/shared-session.ts'
import { partsSuite } from '../parts.suite.ts'
import type { PartGrant } from '../storage.ts'

const MiB = 1024 * 1024
const type = { 'Content-Type': 'application/octet-stream' }
const silent = { warn() {} }

let database: TestDatabase
let sessions: SharedSession[]
let one: DiskServer
let two: DiskServer

async function openSession(): Promise<SharedSession> {
  return SharedSession.open({ connectionString: database.url }, silent)
}

beforeAll(async () => {
  database = await freshDatabase()
  sessions = [await openSession(), await openSession()]
  one = await openDiskServer(undefined, undefined, {}, sessions[0])
  two = await openDiskServer(one.dataDir, undefined, {}, sessions[1])
})
afterAll(async () => {
  await two.stop()
  await one.close()
  for (const session of sessions) await session.close()
  await database.drop()
})

partsSuite('disk, one of several servers', async () => {
  const session = await openSession()
  const disk = await openDiskServer(undefined, undefined, {}, session)
  return {
    ...disk,
    async close() {
      await disk.close()
      await session.close()
    },
  }
})

/** Returns the names of an upload's files, its list of parts included. */
async function namesOf(key: string): Promise<string[]> {
  const names = await readdir(join(one.dataDir, 'uploads'))
  return names.filter((name) => name.startsWith(key))
}

/** An upload in parts, by default four of 1 MiB. Either server can get any of them. */
function partedUpload(size = 4 * MiB, partSize = MiB) {
  const bytes = randomBytes(size)
  const whole = one.uploadGrant(size)
  const partOf = (partNumber: number): PartGrant => ({
    ...whole,
    partNumber,
    offset: (partNumber - 1) * partSize,
    size: partSize,
  })
  const urlOf = async (server: DiskServer, partNumber: number) => {
    const [url = ''] = await server.storage.signParts([partOf(partNumber)])
    return url
  }
  const pieceOf = (partNumber: number, of = bytes) =>
    of.subarray((partNumber - 1) * partSize, partNumber * partSize)
  const put = async (server: DiskServer, partNumber: number, of = bytes) =>
    send(await urlOf(server, partNumber), {
      method: 'PUT',
      headers: type,
      body: pieceOf(partNumber, of),
    })
  return { bytes, key: whole.key, size, urlOf, pieceOf, put }
}

it('parts of one upload go to either server, and either seals it', async () => {
  for (const sealing of [one, two]) {
    const { bytes, key, put, size } = partedUpload()
    const answers = await Promise.all([1, 2, 3, 4].map((n) => put(n % 2 === 0 ? one : two, n)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const held = await one.storage.listParts(key)
    expect(held.map(({ partNumber }) => partNumber)).toEqual([1, 2, 3, 4])
    expect(await two.storage.listParts(key)).toEqual(held)
    expect(await sealing.storage.seal(key, size)).toBe(sha256(bytes))
    expect(await one.storage.seal(key, size)).toBe(sha256(bytes))
    expect(await two.storage.seal(key, size)).toBe(sha256(bytes))
    expect(await namesOf(key)).toEqual([])
  }
})

it('many first parts of one upload at both servers begin it once', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { bytes, key, put, size } = partedUpload(20 * 1024, 1024)
    const numbers = Array.from({ length: 20 }, (_, index) => index + 1)
    await Promise.all(numbers.map((n) => put(n % 2 === 0 ? one : two, n)))
    expect(await one.storage.seal(key, size)).toBe(sha256(bytes))
  }
})

it('a part that is sent again to the other server counts as it came last, also in the SHA-256', async () => {
  const { bytes, key, put, size } = partedUpload(36 * MiB, 9 * MiB)
  const other = randomBytes(size)
  for (const part of [1, 2, 3]) await put(one, part, other)
  // The first server has had those bytes hashed, and replaces none of them itself.
  for (const part of [2, 1, 3]) await put(two, part)
  await put(one, 4)
  expect(await one.storage.seal(key, size)).toBe(sha256(bytes))
})

it('a part that is being sent again to one server is not complete for the other', async () => {
  const { bytes, key, put, urlOf, pieceOf, size } = partedUpload()
  for (const part of [1, 2, 3, 4]) await put(one, part)
  const again = openPut(await urlOf(two, 2), { ...type, 'Content-Length': MiB })
  await again.write(Buffer.alloc(1000, 7))
  await eventually(async () => expect(await one.storage.storedSize(key)).toBe(3 * MiB))
  await expect(one.storage.seal(key, size)).rejects.toThrow('expected')
  await again.write(pieceOf(2).subarray(1000))
  // The seal that found too little has not stopped the transfer on the other server.
  expect(await again.ended).toMatchObject({ status: 200 })
  await put(two, 2)
  expect(await one.storage.seal(key, size)).toBe(sha256(bytes))
})

it('a newer request stops the older one for the same bytes on the other server', async () => {
  const { bytes, key, put, urlOf, size } = partedUpload()
  const older = openPut(await urlOf(one, 1), { ...type, 'Content-Length': MiB })
  await older.write(Buffer.alloc(1000, 7))
  await eventually(async () => expect(await namesOf(key)).toHaveLength(2))
  expect((await put(two, 1)).status).toBe(200)
  expect(await older.ended).toMatchObject({ code: 'UPLOAD_SUPERSEDED' })
  for (const part of [2, 3, 4]) await put(one, part)
  expect(await one.storage.seal(key, size)).toBe(sha256(bytes))
})

it('a whole file is continued, replaced and sealed by either server', async () => {
  const size = 30 * MiB
  const bytes = randomBytes(size)
  const atOne = wholeUpload(one, size)
  const atTwo = wholeUpload(two, size, { key: atOne.key })
  // The first server has these bytes hashed. The second one replaces them.
  await atOne.put(randomBytes(20 * MiB), chunked)
  await atTwo.put(bytes.subarray(0, 10 * MiB), chunked)
  expect(await atOne.offset()).toBe(10 * MiB)
  expect((await atOne.put(bytes.subarray(10 * MiB), { Range: `bytes=${10 * MiB}-` })).status).toBe(
    200,
  )
  expect(await atOne.seal()).toBe(sha256(bytes))
  expect(await atTwo.seal()).toBe(sha256(bytes))
  expect(codeOf(await atTwo.put(bytes))).toBe('UPLOAD_SEALED')
})

/** Resolves when a server has hashed what it has received: it hashes files in turn. */
async function untilHashed(server: DiskServer) {
  const later = wholeUpload(server, 2 * MiB)
  await later.put(randomBytes(2 * MiB))
  await later.seal()
}

it('parts that follow a whole file have no byte of it in the SHA-256', async () => {
  const { bytes, key, put, size } = partedUpload(24 * MiB, 8 * MiB)
  await wholeUpload(one, size, { key }).put(randomBytes(8 * MiB), chunked)
  await untilHashed(one)
  await put(one, 2)
  await put(two, 1)
  await put(one, 3)
  expect(await one.storage.seal(key, size)).toBe(sha256(bytes))
})

it('a whole file that follows parts at the other server has no byte of them in the SHA-256', async () => {
  const bytes = randomBytes(30 * MiB)
  const { key, put } = partedUpload(bytes.length, 8 * MiB)
  // The first server has this part hashed. It goes on with the whole file that replaced it.
  await put(one, 1)
  await untilHashed(one)
  await wholeUpload(two, bytes.length, { key }).put(bytes.subarray(0, 10 * MiB), chunked)
  const atOne = wholeUpload(one, bytes.length, { key })
  await atOne.put(bytes.subarray(10 * MiB), { Range: `bytes=${10 * MiB}-` })
  expect(await atOne.seal()).toBe(sha256(bytes))
})

it('a small file that is sent again to the other server has the SHA-256 of its bytes', async () => {
  const bytes = randomBytes(1000)
  const atOne = wholeUpload(one, 1000)
  const atTwo = wholeUpload(two, 1000, { key: atOne.key })
  await atOne.put(randomBytes(1000))
  await atTwo.put(bytes)
  expect(await atOne.seal()).toBe(sha256(bytes))
})

it('removing at one server ends a transfer at the other', async () => {
  const upload = wholeUpload(one, MiB)
  const put = await upload.open({ 'Content-Length': MiB })
  await put.write(Buffer.alloc(1000))
  await eventually(async () => expect(await namesOf(upload.key)).toHaveLength(1))
  for (const { over } of [one, two]) over.add(upload.key)
  await two.storage.remove(upload.key)
  expect(await put.ended).toMatchObject({ code: 'UPLOAD_NOT_FOUND' })
  expect(await upload.left()).toEqual([])
})

it('what a killed server had locked is free at once', async () => {
  const session = await openSession()
  const killed = await openDiskServer(one.dataDir, undefined, {}, session)
  const { bytes, key, put, urlOf, size } = partedUpload()
  const older = openPut(await urlOf(killed, 1), { ...type, 'Content-Length': MiB })
  await older.write(Buffer.alloc(1000, 7))
  await eventually(async () => expect(await namesOf(key)).toHaveLength(2))
  // Its locks end with its connection, and it must write no more.
  const [{ pid = 0 } = {}] = await session.query<{ pid: number }>({
    text: 'select pg_backend_pid() as pid',
  })
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query('select pg_terminate_backend($1)', [pid])
  await client.end()
  expect(await older.ended).toMatchObject({ code: 'UNAVAILABLE' })
  for (const part of [1, 2, 3, 4]) expect((await put(two, part)).status).toBe(200)
  expect(await two.storage.seal(key, size)).toBe(sha256(bytes))
  // The connection is opened again, and with it the server goes on.
  await eventually(() => expect(session.connection).toBe(2))
  const next = partedUpload()
  for (const part of [1, 2, 3, 4]) expect((await next.put(killed, part)).status).toBe(200)
  await killed.stop()
  await session.close()
})

it('while the database is away nothing is written, and the client is told to come again', async () => {
  const session = await openSession()
  const alone = await openDiskServer(undefined, undefined, {}, session)
  await session.close()
  const upload = wholeUpload(alone, 10)
  expect(codeOf(await upload.put('A'.repeat(10)))).toBe('UNAVAILABLE')
  expect(await upload.left()).toEqual([])
  await alone.stop()
  await rm(alone.dataDir, { recursive: true })
})
