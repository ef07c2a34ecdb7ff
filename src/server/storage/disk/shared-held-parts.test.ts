import { randomUUID } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newStorageKey } from '../storage-key.ts'
import { FileDigests } from './file-digests.ts'
import { Folders } from './folders.ts'
import { SharedHeldParts } from './shared-held-parts.ts'

let dataDir: string
const digests = new FileDigests(pino({ level: 'silent' }))
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mayfly-shared-parts-'))
})
afterAll(async () => {
  await digests.close()
  await rm(dataDir, { recursive: true })
})

/** Lets one work run at a time, and calls `onWait` for each that waits for another one. */
function oneAtATime(onWait: () => void) {
  let last: Promise<unknown> = Promise.resolve()
  let running = 0
  return async <T>(_name: string, work: () => Promise<T>): Promise<T> => {
    if (running > 0) onWait()
    running += 1
    const turn = last.then(work).finally(() => {
      running -= 1
    })
    last = turn
    return turn
  }
}

/** Begins to receive a part of one byte. `end` writes the byte and holds the part. */
async function begin(server: SharedHeldParts, key: string, partNumber: number) {
  const offset = partNumber - 1
  const grant = { key, partNumber, offset, size: 1, mimeType: 'text/plain', until: new Date(0) }
  const { file, hold } = await server.begin(grant)
  return {
    async end() {
      await file.write(Buffer.of(partNumber), 0, 1, offset)
      await file.close()
      await hold(crc32(Buffer.of(partNumber)))
    },
  }
}

/** Receives a part of one byte. */
async function take(server: SharedHeldParts, key: string, partNumber: number) {
  await (await begin(server, key, partNumber)).end()
}

it('begins a list once, however long a server takes between its look and its start', async () => {
  const key = newStorageKey()
  const starting = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const quick = await Folders.open(fs, dataDir)
  const slow = await Folders.open(
    {
      ...fs,
      // The first thing that a server does when it starts a list.
      async rm(path, options) {
        starting.resolve()
        await goOn.promise
        await fs.rm(path, options)
      },
    },
    dataDir,
  )
  const locks = { alone: oneAtATime(goOn.resolve) }
  const late = take(new SharedHeldParts(slow, digests, locks), key, 2)
  await starting.promise
  const server = new SharedHeldParts(quick, digests, locks)
  // Either this server waits for the other one, or it is done before the other one goes on.
  await take(server, key, 1).finally(goOn.resolve)
  await late
  expect(await server.areWhole(key, 2)).toBe(true)
  await Promise.all([quick.close(), slow.close()])
})

it.each([
  'before it removes the bytes',
  'before it writes the list',
  'before it makes the file of the bytes',
])(
  'trusts no part of another server whose list it began anew without the lock, stalled %s',
  async (moment) => {
    const key = newStorageKey()
    const stalled = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const quick = await Folders.open(fs, dataDir)
    const stall = async (when: string, path: string, end: string) => {
      if (when !== moment || !path.endsWith(end)) return
      stalled.resolve()
      await goOn.promise
    }
    const slow = await Folders.open(
      {
        ...fs,
        async rm(path, options) {
          await stall('before it removes the bytes', path, key)
          await fs.rm(path, options)
        },
        async writeFile(path, data, options) {
          await stall('before it writes the list', path, `${key}.parts`)
          await fs.writeFile(path, data, options)
        },
        async open(path, flags, mode) {
          if (flags === 'wx') await stall('before it makes the file of the bytes', path, key)
          return fs.open(path, flags, mode)
        },
      },
      dataDir,
    )
    // The slow server loses its lock while it stalls, so nothing keeps the two apart.
    const locks = { alone: <T>(_name: string, work: () => Promise<T>) => work() }
    const server = new SharedHeldParts(quick, digests, locks)
    const stalling = new SharedHeldParts(slow, digests, locks)
    const late = take(stalling, key, 2)
    await stalled.promise
    const open = await begin(server, key, 1)
    await take(server, key, 3)
    goOn.resolve()
    await late.catch(() => {})
    // The request may fail. Then the client sends the part again.
    await open.end().catch(() => {})

    const bytes = await fs.readFile(quick.uploadPath(key))
    for (const one of [server, stalling, new SharedHeldParts(quick, digests, locks)]) {
      const held = (await one.list(key)).map(({ partNumber }) => partNumber)
      expect(held.map((partNumber) => bytes[partNumber - 1])).toEqual(held)
    }
    for (const partNumber of [1, 2, 3]) await take(server, key, partNumber)
    expect(await stalling.areWhole(key, 3)).toBe(true)
    expect(await fs.readFile(quick.uploadPath(key))).toEqual(Buffer.of(1, 2, 3))
    await Promise.all([quick.close(), slow.close()])
  },
)

it('says that a part is not held when its list was begun anew while it arrived', async () => {
  const key = newStorageKey()
  const folders = await Folders.open(fs, dataDir)
  const locks = { alone: oneAtATime(() => {}) }
  const server = new SharedHeldParts(folders, digests, locks)
  const other = new SharedHeldParts(folders, digests, locks)
  const open = await begin(server, key, 1)
  await other.discard(key)
  await take(other, key, 2)
  await expect(open.end()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect((await other.list(key)).map(({ partNumber }) => partNumber)).toEqual([2])
  await folders.close()
})

it('takes no list for one that was empty when it was read', async () => {
  const key = newStorageKey()
  const folders = await Folders.open(fs, dataDir)
  const locks = { alone: oneAtATime(() => {}) }
  const server = new SharedHeldParts(folders, digests, locks)
  const other = new SharedHeldParts(folders, digests, locks)
  // A server that was alone has begun it.
  await folders.startParts(key)
  await take(server, key, 3)
  await other.discard(key)
  await take(other, key, 1)
  expect((await server.list(key)).map(({ partNumber }) => partNumber)).toEqual([1])
  await folders.close()
})

it('remembers the lists that were needed last, without a look at their bytes', async () => {
  const opened: string[] = []
  const folders = await Folders.open(
    {
      ...fs,
      open(path, flags, mode) {
        opened.push(path)
        return fs.open(path, flags, mode)
      },
    },
    dataDir,
  )
  const server = new SharedHeldParts(folders, digests, { alone: oneAtATime(() => {}) })
  const readNew = async () => {
    const key = newStorageKey()
    await writeFile(folders.partsPath(key), `${JSON.stringify({ list: randomUUID() })}\n`)
    await writeFile(folders.uploadPath(key), '')
    await server.bytes(key)
    return key
  }
  const [needed, idle] = [await readNew(), await readNew()]
  for (let other = 2; other < 1000; other += 1) await readNew()
  expect(await server.bytes(needed)).toBe(0)
  await readNew()
  opened.length = 0
  await server.bytes(needed)
  expect(opened).toEqual([folders.partsPath(needed)])
  await server.bytes(idle)
  expect(opened).toContain(folders.uploadPath(idle))
  await folders.close()
})
