import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import { chunked, cutUpload, wholeUpload } from '../../../../tests/support/disk-uploads.ts'
import { checksums, sha256 } from '../../../../tests/support/make.ts'
import { freshDatabase } from '../../../../tests/support/postgres.ts'
import { startPostgresProxy } from '../../../../tests/support/postgres-proxy.ts'
import type { TestDatabase } from '../../../../tests/support/postgres-server.ts'
import { codeOf, send } from '../../../../tests/support/send.ts'
import { SharedSession } from '../../db/shared-session.ts'
import type { FileSystem } from './file-system.ts'

const MiB = 1024 * 1024

let database: TestDatabase
let sessions: SharedSession[]
let one: DiskServer
/** Its file system can be watched, and stopped. */
let two: DiskServer
/** How many bytes the second server has read through its file system. */
let bytesRead = 0
/** The second server waits for this before it syncs a file with this name. */
let held: { name: string; isReached(): void; isOver: Promise<void> } | null = null

const watched: FileSystem = {
  ...fs,
  async open(path, flags, mode) {
    const file = await fs.open(path, flags, mode)
    const [read, sync] = [file.read.bind(file), file.sync.bind(file)]
    return Object.assign(file, {
      async read(buffer: Buffer, offset: number, length: number, position: number) {
        const result = await read(buffer, offset, length, position)
        bytesRead += result.bytesRead
        return result
      },
      async sync() {
        if (held?.name === basename(path)) {
          held.isReached()
          await held.isOver
        }
        await sync()
      },
    })
  },
}

beforeAll(async () => {
  database = await freshDatabase()
  const open = () => SharedSession.open({ connectionString: database.url }, { warn() {} })
  sessions = [await open(), await open()]
  one = await openDiskServer(undefined, undefined, {}, sessions[0])
  two = await openDiskServer(one.dataDir, watched, {}, sessions[1])
})
afterAll(async () => {
  await two.stop()
  await one.close()
  for (const session of sessions) await session.close()
  await database.drop()
})

afterEach(() => void vi.useRealTimers())

/** Returns how many bytes the second server reads from the disk for this. */
async function readBytesOf(work: () => Promise<unknown>): Promise<number> {
  const before = bytesRead
  await work()
  return bytesRead - before
}

describe('the bytes of a part that another server has received', () => {
  const partAtOne = async () => {
    const of = cutUpload(one, 3, MiB)
    await of.put(1)
    return of.at(two)
  }

  it('are read where parts are listed, and not again', async () => {
    const of = await partAtOne()
    expect(await readBytesOf(of.held)).toBeGreaterThan(MiB)
    expect(await readBytesOf(of.held)).toBeLessThan(1000)
  })

  it('are not read to remove the upload', async () => {
    const of = await partAtOne()
    expect(await readBytesOf(() => two.storage.remove(of.key))).toBe(0)
    expect(await of.left()).toEqual([])
  })

  it('are not read to tell the offset of the whole file, or to continue or replace it', async () => {
    const of = await partAtOne()
    const requests = async () => {
      expect(await of.whole.offset()).toBe(0)
      expect(codeOf(await of.whole.put(of.bytes.subarray(MiB), { Range: `bytes=${MiB}-` }))).toBe(
        'OFFSET_MISMATCH',
      )
      expect((await of.whole.put(of.bytes)).status).toBe(200)
    }
    expect(await readBytesOf(requests)).toBe(0)
    expect(await of.seal()).toBe(of.sha256)
  })
})

describe('a list of parts whose bytes are gone, as a killed server leaves it', () => {
  const leftList = async () => {
    const of = wholeUpload(two, 3 * MiB)
    const part = { partNumber: 1, offset: 0, size: MiB, crc32: 0 }
    const lines = [{ list: 'of a killed server' }, part].map((line) => `${JSON.stringify(line)}\n`)
    await writeFile(join(two.dataDir, 'uploads', `${of.key}.parts`), lines.join(''))
    expect(await of.left()).toHaveLength(1)
    return of
  }

  it('goes when the upload is removed', async () => {
    const of = await leftList()
    await two.storage.remove(of.key)
    expect(await of.left()).toEqual([])
  })

  it('goes when the file is removed that was sealed before', async () => {
    const of = await leftList()
    const folder = join(two.dataDir, 'files', of.key.slice(0, 2))
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, of.key), 'bytes')
    await two.storage.remove(of.key)
    expect(await of.left()).toEqual([])
    expect(await readdir(folder)).not.toContain(of.key)
  })

  it('does not hinder parts, also at a server that has read it before', async () => {
    const of = cutUpload(two, 3, MiB)
    await of.put(1)
    await rm(join(two.dataDir, 'uploads', of.key))
    expect(await of.held()).toEqual([])
    await of.putAll()
    expect(await of.seal()).toBe(of.sha256)
    expect(await of.left()).toEqual([])
  })

  it('does not hinder the whole file', async () => {
    const of = await leftList()
    const bytes = randomBytes(3 * MiB)
    expect(await of.offset()).toBe(0)
    expect((await of.put(bytes)).status).toBe(200)
    expect(await of.offset()).toBe(bytes.length)
    expect(await of.seal()).toBe(sha256(bytes))
    expect(await of.left()).toEqual([])
  })
})

it('a server that loses its connection while it seals does not seal', async () => {
  const of = cutUpload(two, 3, MiB)
  await of.putAll()
  const reached = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  held = { name: of.key, isReached: reached.resolve, isOver: over.promise }
  const sealing = of.seal().catch((error) => error)
  await reached.promise
  const [{ pid = 0 } = {}] =
    (await sessions[1]?.query<{ pid: number }>({
      text: 'select pg_backend_pid() as pid',
    })) ?? []
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query('select pg_terminate_backend($1, 10000)', [pid])
  await client.end()
  // The other server gets the lock now, and writes.
  const other = randomBytes(MiB)
  const atOne = of.at(one)
  expect((await atOne.put(2, {}, other)).status).toBe(200)
  over.resolve()
  held = null
  expect(await sealing).toMatchObject({ code: 'UNAVAILABLE' })
  const bytes = Buffer.concat([of.bytesOf(1), other, of.bytesOf(3)])
  expect(await atOne.seal()).toBe(sha256(bytes))
})

describe('a PUT whose server loses its locks', () => {
  it('writes nothing more, not even what it has received', async () => {
    // Bytes that are only gathered are written after a second in which no others come.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const of = wholeUpload(two, 200)
    const put = await of.open(chunked)
    await put.write(Buffer.alloc(100))
    while ((await two.openFiles()).length === 0) await new Promise(setImmediate)
    await send(`http://127.0.0.1:${two.port}/storage/`)
    const reopened = new Promise<void>((resolve) => sessions[1]?.onReopened(resolve))
    await sessions[1]?.query({ text: 'select 1 / 0' }).catch(() => {})
    expect(await put.ended).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
    expect(await of.stored()).toHaveLength(0)
    await reopened
  })

  it('removes no bytes, because another server may have sealed them', async () => {
    const proxy = await startPostgresProxy(database.url)
    const limits = { answerMs: 2000, askMs: 60_000 }
    const config = { connectionString: proxy.url }
    const session = await SharedSession.open(config, { warn() {} }, limits)
    const remote = await openDiskServer(one.dataDir, undefined, {}, session)
    const of = wholeUpload(remote, 200)
    const wrong = { 'x-amz-checksum-crc32': checksums.crc32(Buffer.alloc(1)) }
    const put = await of.open({ ...wrong, 'Content-Length': 200 })
    await put.write(Buffer.alloc(100))
    while ((await remote.openFiles()).length === 0) await new Promise(setImmediate)
    proxy.forget()
    put.client.end(Buffer.alloc(100))
    expect(await put.ended).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
    expect(await of.stored()).toHaveLength(200)
    await remote.stop()
    await session.close()
    await proxy.close()
  })
})

it('a server without its connection is not ready, and is ready with the next one', async () => {
  const session = sessions[0]
  await one.storage.check()
  const checked = new Promise<unknown>((resolve) => {
    session?.onLost(() => one.storage.check().then(resolve, resolve))
  })
  const reopened = new Promise<void>((resolve) => session?.onReopened(resolve))
  // A statement that fails makes the session give up its connection.
  await session?.query({ text: 'select 1 / 0' }).catch(() => {})
  expect(await checked).toMatchObject({ code: 'UNAVAILABLE' })
  await reopened
  await one.storage.check()
})
