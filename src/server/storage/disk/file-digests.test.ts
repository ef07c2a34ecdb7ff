import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import { send } from '../../../../tests/support/send.ts'
import { type LogLine, logCollector } from '../../../../tests/support/test-log.ts'
import type { PartGrant } from '../storage.ts'
import { newStorageKey } from '../storage-key.ts'
import { FileDigests, type Hurry } from './file-digests.ts'

const MiB = 1024 * 1024
function sha256(bytes: Buffer) {
  return createHash('sha256').update(bytes).digest('hex')
}

describe('the SHA-256 of a file', () => {
  let folder: string
  const logged: LogLine[] = []
  const threads: Worker[] = []
  const digests = new FileDigests(pino({}, logCollector(logged)))
  const keepThread = (thread: Worker) => void threads.push(thread)
  beforeAll(async () => {
    process.on('worker', keepThread)
    folder = await mkdtemp(join(tmpdir(), 'mayfly-digests-'))
  })
  afterAll(async () => {
    process.off('worker', keepThread)
    await digests.close()
    await rm(folder, { recursive: true, force: true })
  })
  afterEach(() => {
    logged.length = 0
  })
  const make = async (bytes: Buffer) => {
    const key = newStorageKey()
    const path = join(folder, key)
    await writeFile(path, bytes)
    return { key, path, bytes }
  }
  type Made = Awaited<ReturnType<typeof make>>
  const digestOf = async ({ key, path }: Made, of = digests, hurry: Hurry = 'now') => {
    const file = await open(path, 'r')
    try {
      return await of.of(key, path, file, hurry)
    } finally {
      await file.close()
    }
  }

  const know = async ({ key, path }: Made, digest: string) => {
    const file = await open(path, 'r')
    await digests.know(key, digest, file)
    await file.close()
  }

  it.each([0, 1, MiB - 1, MiB, MiB + 1, 8 * MiB + 5, 20 * MiB])('of %i bytes', async (size) => {
    const made = await make(randomBytes(size))
    expect(await digestOf(made)).toBe(sha256(made.bytes))
    expect(logged).toEqual([])
  })

  it('follows a file that grows, many at once', async () => {
    const many = await Promise.all([1, 2, 3, 4].map(() => make(randomBytes(24 * MiB))))
    for (const bytes of [8 * MiB, 9 * MiB, 16 * MiB, 24 * MiB]) {
      for (const { key, path } of many) digests.follow(key, path, bytes)
    }
    const answers = await Promise.all(many.map((made) => digestOf(made)))
    expect(answers).toEqual(many.map(({ bytes }) => sha256(bytes)))
    expect(logged).toEqual([])
  })

  it('is that of the bytes as they are after a change', async () => {
    const made = await make(randomBytes(20 * MiB))
    digests.follow(made.key, made.path, 16 * MiB)
    expect(await digestOf(made)).toBe(sha256(made.bytes))
    for (const from of [0, 10 * MiB, 19 * MiB]) {
      digests.follow(made.key, made.path, 16 * MiB)
      digests.changing(made.key, from)
      made.bytes.fill(7, from, from + 1000)
      await writeFile(made.path, made.bytes)
      expect(await digestOf(made)).toBe(sha256(made.bytes))
    }
    await know(made, 'known')
    expect(await digestOf(made)).toBe('known')
    digests.forget(made.key)
    expect(await digestOf(made)).toBe(sha256(made.bytes))
  })

  it('is not hindered by a file that went away while it was followed', async () => {
    const made = await make(randomBytes(16 * MiB))
    await rm(made.path)
    digests.follow(made.key, made.path, 16 * MiB)
    await writeFile(made.path, made.bytes)
    expect(await digestOf(made)).toBe(sha256(made.bytes))
  })

  it('survives the end of its thread', async () => {
    const made = await make(randomBytes(64 * MiB))
    digests.follow(made.key, made.path, 32 * MiB)
    const thread = threads.at(-1) as Worker
    const asked = digestOf(made)
    const ended = once(thread, 'exit')
    await thread.terminate()
    await ended
    expect(await asked).toBe(sha256(made.bytes))
    const next = await make(randomBytes(16 * MiB))
    expect(await digestOf(next)).toBe(sha256(next.bytes))
    expect(threads.at(-1)).not.toBe(thread)
  })

  it('is computed once for all who ask at once', async () => {
    const made = await make(randomBytes(16 * MiB))
    const hurries: Hurry[] = ['now', 'unhurried', 'if near', 'now', 'unhurried']
    const answers = await Promise.all(hurries.map((hurry) => digestOf(made, digests, hurry)))
    expect(answers).toEqual(hurries.map(() => sha256(made.bytes)))
  })

  it('is also there for an unhurried caller who came first', async () => {
    const made = await make(randomBytes(48 * MiB))
    const hurries: Hurry[] = ['unhurried', 'unhurried', 'now', 'if near']
    const answers = await Promise.all(hurries.map((hurry) => digestOf(made, digests, hurry)))
    expect(answers).toEqual(hurries.map(() => sha256(made.bytes)))
  })

  it('is computed at once although an unhurried reading of the file does not go on', async () => {
    const made = await make(randomBytes(16 * MiB))
    const stuck = join(folder, newStorageKey())
    // A thread that opens this for reading waits until somebody opens it for writing.
    execFileSync('mkfifo', [stuck])
    const file = await open(made.path, 'r')
    const unhurried = digests.of(made.key, stuck, file, 'unhurried')
    // After these calls, the unhurried thread has been asked.
    for (let look = 0; look < 3; look += 1) await file.stat()
    for (const hurry of ['now', 'if near'] as const) {
      expect(await digestOf(made, digests, hurry)).toBe(sha256(made.bytes))
    }
    const otherEnd = await open(stuck, 'r+')
    expect(await unhurried).toBe(sha256(made.bytes))
    await Promise.all([otherEnd.close(), file.close()])
  })

  it('is answered although the file is forgotten while it is read', async () => {
    for (let round = 0; round < 5; round += 1) {
      const made = await make(randomBytes(32 * MiB))
      digests.follow(made.key, made.path, 8 * MiB)
      const file = await open(made.path, 'r')
      const asked = digests.of(made.key, made.path, file, 'now')
      // After these calls, the thread has been asked.
      for (let look = 0; look < 3; look += 1) await file.stat()
      digests.forget(made.key)
      expect(await asked).toBe(sha256(made.bytes))
      await file.close()
    }
  })

  it('is known of 500 uploads, and then computed anew for the oldest', async () => {
    const made = await make(randomBytes(1000))
    await know(made, 'known')
    for (let other = 0; other < 499; other += 1) {
      await know({ ...made, key: newStorageKey() }, 'known')
    }
    expect(await digestOf(made)).toBe('known')
    await know({ ...made, key: newStorageKey() }, 'known')
    expect(await digestOf(made)).toBe(sha256(made.bytes))
  })

  it('is followed of 500 uploads, and the oldest is read from its beginning again', async () => {
    const [made, next] = [await make(randomBytes(16 * MiB)), await make(randomBytes(2 * MiB))]
    digests.follow(made.key, made.path, 8 * MiB)
    // This answer comes after the thread has read what it was told of before.
    await digestOf(next)
    // Nobody says that these bytes change. So the digest is wrong if the thread has kept what it
    // has read.
    await writeFile(made.path, made.bytes.fill(7, 0, 1000))
    for (let other = 0; other < 500; other += 1) {
      digests.follow(newStorageKey(), join(folder, 'missing'), 8 * MiB)
    }
    expect(await digestOf(made)).toBe(sha256(made.bytes))
  })

  it('needs no thread after it was closed', async () => {
    const closed = new FileDigests(pino({ level: 'silent' }))
    const made = await make(randomBytes(16 * MiB))
    closed.follow(made.key, made.path, 8 * MiB)
    await closed.close()
    await closed.close()
    closed.follow(made.key, made.path, 16 * MiB)
    expect(await digestOf(made, closed)).toBe(sha256(made.bytes))
  })
})

describe('on a processor that computes it slowly', () => {
  let folder: string
  let digests: FileDigests
  let path: string
  const key = newStorageKey()
  const bytes = randomBytes(24 * MiB)
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mayfly-slow-digests-'))
    path = join(folder, key)
    await writeFile(path, bytes)
    digests = new FileDigests(pino({ level: 'silent' }), {
      quickBytes: Number.POSITIVE_INFINITY,
      lagBytes: 9 * MiB,
    })
    // After this many bytes, the thread knows that it is slow.
    await digestOf('now', await other(16 * MiB))
  })
  afterEach(async () => {
    await digests.close()
    await rm(folder, { recursive: true, force: true })
  })
  const other = async (size = 2 * MiB) => {
    const other = join(folder, newStorageKey())
    await writeFile(other, bytes.subarray(0, size))
    return other
  }
  const digestOf = async (hurry: Hurry, at = path) => {
    const file = await open(at, 'r')
    try {
      return await digests.of(basename(at), at, file, hurry)
    } finally {
      await file.close()
    }
  }

  it('nobody waits for it who need not, and it can be had all the same', async () => {
    digests.follow(key, path, 8 * MiB)
    digests.follow(key, path, 24 * MiB)
    expect(await digestOf('if near')).toBeNull()
    expect(await digestOf('unhurried')).toBe(sha256(bytes))
    expect(await digestOf('if near')).toBe(sha256(bytes))
  })

  it('whoever must have it now gets it', async () => {
    digests.follow(key, path, 24 * MiB)
    expect(await digestOf('if near')).toBeNull()
    expect(await digestOf('now')).toBe(sha256(bytes))
  })

  it('it is there at once where the thread could keep up', async () => {
    digests.follow(key, path, 8 * MiB)
    // This answer comes after the thread has read what it was told of before.
    await digestOf('now', await other())
    digests.follow(key, path, 16 * MiB)
    await digestOf('now', await other())
    expect(await digestOf('if near')).toBe(sha256(bytes))
  })

  it('that of a small file is always there', async () => {
    expect(await digestOf('if near', await other())).toBe(sha256(bytes.subarray(0, 2 * MiB)))
  })

  it('a server that stops does not begin to read a file for it', async () => {
    await digests.close()
    await expect(digestOf('unhurried')).rejects.toThrow('the server stops')
  })
})

describe('what sealing answers', () => {
  let disk: DiskServer
  beforeAll(async () => {
    disk = await openDiskServer()
  })
  afterAll(() => disk.close())
  afterEach(() => expect(disk.logged.filter(({ level }) => level >= 40)).toEqual([]))
  const put = async (bytes: Buffer, key = newStorageKey(), headers = {}) => {
    const grant = disk.uploadGrant(bytes.length, { key })
    const url = await disk.storage.signUpload(grant)
    const body = 'Range' in headers ? bytes.subarray(10 * MiB) : bytes
    const type = { 'Content-Type': grant.mimeType }
    await send(url, { method: 'PUT', headers: { ...type, ...headers }, body })
    return grant
  }
  const partsOf = (bytes: Buffer, partSize: number) => {
    const whole = disk.uploadGrant(bytes.length)
    return Array.from({ length: Math.ceil(bytes.length / partSize) }, (_, index): PartGrant => {
      const offset = index * partSize
      const size = Math.min(partSize, bytes.length - offset)
      return { ...whole, partNumber: index + 1, offset, size }
    })
  }
  const putPart = async (bytes: Buffer, part: PartGrant) => {
    const [url = ''] = await disk.storage.signParts([part])
    const body = bytes.subarray(part.offset, part.offset + part.size)
    const headers = { 'Content-Type': part.mimeType }
    expect((await send(url, { method: 'PUT', headers, body })).status).toBe(200)
  }

  it.each([0, 1, MiB, MiB + 1, 30 * MiB])('of one PUT of %i bytes, twice', async (size) => {
    const bytes = randomBytes(size)
    const { key } = await put(bytes)
    expect(await disk.storage.seal(key, size)).toBe(sha256(bytes))
    expect(await disk.storage.seal(key, size)).toBe(sha256(bytes))
  })

  it.each([1000, 30 * MiB])('of a file of %i bytes that was sent again', async (size) => {
    const { key } = await put(randomBytes(size))
    const bytes = randomBytes(size)
    await put(bytes, key)
    expect(await disk.storage.seal(key, size)).toBe(sha256(bytes))
  })

  it('of a file that was continued', async () => {
    const bytes = randomBytes(30 * MiB)
    const { key } = disk.uploadGrant(bytes.length)
    const whole = disk.uploadGrant(bytes.length, { key })
    const url = await disk.storage.signUpload(whole)
    const headers = { 'Content-Type': whole.mimeType, 'Transfer-Encoding': 'chunked' }
    await send(url, { method: 'PUT', headers, body: bytes.subarray(0, 10 * MiB) })
    await put(bytes, key, { Range: `bytes=${10 * MiB}-` })
    expect(await disk.storage.seal(key, bytes.length)).toBe(sha256(bytes))
  })

  it('of parts in any order, some of them sent again', async () => {
    const bytes = randomBytes(44 * MiB)
    const parts = partsOf(bytes, 8 * MiB)
    const other = randomBytes(bytes.length)
    for (const index of [0, 1, 2, 4]) await putPart(other, parts[index] as PartGrant)
    for (const index of [1, 3, 5, 0, 4, 2]) await putPart(bytes, parts[index] as PartGrant)
    const [{ key } = { key: '' }] = parts
    expect(await disk.storage.seal(key, bytes.length)).toBe(sha256(bytes))
    expect(await disk.storage.seal(key, bytes.length)).toBe(sha256(bytes))
  })

  it('of parts before and after a restart', async () => {
    const bytes = randomBytes(44 * MiB)
    const parts = partsOf(bytes, 8 * MiB)
    for (const part of parts.slice(0, 3)) await putPart(bytes, part)
    await disk.stop()
    disk = await openDiskServer(disk.dataDir)
    for (const part of parts.slice(3)) await putPart(bytes, part)
    const [{ key } = { key: '' }] = parts
    expect(await disk.storage.seal(key, bytes.length)).toBe(sha256(bytes))
    await disk.stop()
    disk = await openDiskServer(disk.dataDir)
    expect(await disk.storage.seal(key, bytes.length)).toBe(sha256(bytes))
  })
})
