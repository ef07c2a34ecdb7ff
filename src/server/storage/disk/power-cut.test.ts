import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import {
  chunkedEncoding,
  type MultipartUpload,
  multipartUpload,
  type SingleUpload,
  singleUpload,
} from '../../../../tests/support/disk-uploads.ts'
import { powerCuts } from '../../../../tests/support/power-cut.ts'
import { type RecordedDisk, recordDisk } from '../../../../tests/support/recorded-disk.ts'
import { removePermanently } from '../remove-stored.ts'
import { newStorageKey } from '../storage-key.ts'

let recordedDisk: RecordedDisk
let disk: DiskServer
beforeEach(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'mayfly-recorded-'))
  recordedDisk = recordDisk(dataDir)
  disk = await openDiskServer(dataDir, recordedDisk.fileSystem)
})
afterEach(() => disk.close())

/**
 * Restores each disk state that a power cut can leave, and starts a server on it. Calls `check`
 * with that server and with the promises made to clients before the cut.
 */
async function afterEveryCut(
  check: (server: DiskServer, promises: ReadonlySet<string>) => Promise<void>,
) {
  for (const cut of powerCuts(recordedDisk)) {
    const folder = await mkdtemp(join(tmpdir(), 'mayfly-cut-'))
    await cut.restore(folder)
    const server = await openDiskServer(folder)
    try {
      await check(server, cut.promises)
    } catch (error) {
      throw new Error(`Cut after ${cut.description}: ${error}`, { cause: error })
    } finally {
      await server.close()
    }
  }
}

async function seal(upload: SingleUpload | MultipartUpload) {
  await upload.seal()
  recordedDisk.promise(`${upload.key} is sealed`)
}

/**
 * Asserts that the sealed file is complete. If it wasn't sealed before the cut, first calls
 * `resume` to send the rest, and then seals the file.
 */
async function expectWhole(
  server: DiskServer,
  promises: ReadonlySet<string>,
  { key, bytes }: { key: string; bytes: Buffer },
  resume: () => Promise<void>,
) {
  const path = join(server.dataDir, 'files', key.slice(0, 2), key)
  const sealedBytes = await readFile(path).catch(() => null)
  if (promises.has(`${key} is sealed`)) expect(sealedBytes).not.toBeNull()
  if (sealedBytes) expect(sealedBytes.equals(bytes)).toBe(true)
  else await resume()
  expect([null, crc32(bytes)]).toContain(await server.storage.seal(key, bytes.length))
  expect((await readFile(path)).equals(bytes)).toBe(true)
  const uploadNames = await readdir(join(server.dataDir, 'uploads'))
  expect(uploadNames.filter((name) => name.startsWith(key))).toEqual([])
}

async function sendRest(upload: SingleUpload, bytes: Buffer) {
  const storedBytes = await upload.offset()
  const rangeHeader = storedBytes > 0 ? { Range: `bytes=${storedBytes}-` } : {}
  if (storedBytes < bytes.length) {
    expect((await upload.put(bytes.subarray(storedBytes), rangeHeader)).status).toBe(200)
  }
}

/** Sends the missing parts, as a browser does. Sends none if the whole file is stored. */
async function sendMissing(upload: MultipartUpload, server: DiskServer) {
  const storedParts = await upload.completeParts()
  const storedBytes = await server.storage.storedSize(upload.key)
  if (storedParts.length === 0 && storedBytes === upload.bytes.length) return
  for (const partNumber of upload.partNumbers) {
    if (!storedParts.includes(partNumber)) expect((await upload.put(partNumber)).status).toBe(200)
  }
}

it('a sealed whole file and a reported offset survive a power cut', async () => {
  const bytes = randomBytes(1000)
  const upload = singleUpload(disk, bytes.length)
  await upload.put(bytes.subarray(0, 600), chunkedEncoding)
  expect(await upload.offset()).toBe(600)
  recordedDisk.promise('600 bytes are stored')
  await sendRest(upload, bytes)
  await seal(upload)

  await afterEveryCut(async (server, promises) => {
    const resumedUpload = singleUpload(server, bytes.length, upload.grant)
    if (promises.has('600 bytes are stored')) {
      expect(await resumedUpload.offset()).toBeGreaterThanOrEqual(600)
    }
    await expectWhole(server, promises, { key: upload.key, bytes }, () =>
      sendRest(resumedUpload, bytes),
    )
  })
})

it('a file sent in parts after a whole-file upload never counts as complete while it has gaps', async () => {
  const upload = multipartUpload(disk, 3, 1000)
  await upload.single.put(upload.bytes)
  await upload.put(3)
  await upload.put(1)
  await expect(upload.seal()).rejects.toThrow('expected 2500 bytes')
  await upload.put(2)
  await seal(upload)

  await afterEveryCut(async (server, promises) => {
    const resumedUpload = upload.onServer(server)
    await expectWhole(server, promises, upload, () => sendMissing(resumedUpload, server))
  })
})

it('a whole file sent after some of its parts never counts as complete while it has gaps', async () => {
  const upload = multipartUpload(disk, 3, 1000)
  await upload.put(3)
  await upload.single.put(upload.bytes.subarray(0, 700), chunkedEncoding)
  expect(await upload.single.offset()).toBe(700)
  recordedDisk.promise('700 bytes are stored')
  await sendRest(upload.single, upload.bytes)
  await seal(upload)

  await afterEveryCut(async (server, promises) => {
    const resumedUpload = upload.onServer(server)
    if (promises.has('700 bytes are stored')) {
      expect(await resumedUpload.single.offset()).toBeGreaterThanOrEqual(700)
    }
    await expectWhole(server, promises, upload, () => sendMissing(resumedUpload, server))
  })
})

it('files sealed concurrently in a new folder all survive a power cut', async () => {
  const bytes = randomBytes(100)
  const uploads = Array.from({ length: 3 }, () =>
    singleUpload(disk, bytes.length, { key: `ab${newStorageKey().slice(2)}` }),
  )
  for (const upload of uploads) await upload.put(bytes)
  await Promise.all(uploads.map(seal))

  await afterEveryCut(async (server, promises) => {
    for (const { key, grant } of uploads) {
      const resumedUpload = singleUpload(server, bytes.length, grant)
      await expectWhole(server, promises, { key, bytes }, () => sendRest(resumedUpload, bytes))
    }
  })
})

it.each(['files', 'files/ab', 'uploads'])(
  'a file whose first seal failed on %s survives a power cut once sealed again',
  async (folder) => {
    const bytes = randomBytes(100)
    const upload = singleUpload(disk, bytes.length, { key: `ab${newStorageKey().slice(2)}` })
    await upload.put(bytes)
    const { open } = recordedDisk.fileSystem
    recordedDisk.fileSystem.open = async (path, ...options) => {
      if (path !== join(disk.dataDir, folder)) return open(path, ...options)
      recordedDisk.fileSystem.open = open
      throw new Error('the disk fails once')
    }
    await expect(upload.seal()).rejects.toThrow('the disk fails once')
    await seal(upload)

    await afterEveryCut(async (server, promises) => {
      const resumedUpload = singleUpload(server, bytes.length, upload.grant)
      await expectWhole(server, promises, { key: upload.key, bytes }, () =>
        sendRest(resumedUpload, bytes),
      )
    })
  },
)

describe('after a power cut, permanently removed bytes do not reappear', () => {
  const content = randomBytes(100)
  const storeUpload = async () => {
    const upload = singleUpload(disk, content.length)
    await upload.put(content)
    return upload
  }

  it.each([
    [
      'several sealed files',
      async () => {
        const files = [await storeUpload(), await storeUpload(), await storeUpload()]
        for (const upload of files) await upload.seal()
        return files.map(({ key }) => key)
      },
    ],
    ['an upload in one piece', async () => [(await storeUpload()).key]],
    [
      'an upload in parts',
      async () => {
        const upload = multipartUpload(disk, 3, 1000)
        await upload.put(2)
        return [upload.key]
      },
    ],
  ])('%s', async (_, fill) => {
    const keys = await fill()
    const { removedKeys } = await removePermanently(disk.storage, keys)
    expect([...removedKeys]).toEqual(keys)
    for (const key of keys) recordedDisk.promise(`${key} is gone`)

    await afterEveryCut(async (server, promises) => {
      for (const key of keys) {
        if (!promises.has(`${key} is gone`)) continue
        expect(await server.storage.storedSize(key)).toBeNull()
        const names = await readdir(server.dataDir, { recursive: true })
        expect(names.filter((name) => name.includes(key))).toEqual([])
      }
    })
  })
})

it('a claim on the store survives a power cut', async () => {
  await disk.storage.claim('first')
  recordedDisk.promise('first')
  await disk.storage.claim('second')
  recordedDisk.promise('second')

  await afterEveryCut(async (server, promises) => {
    const installation = await server.storage.installation()
    const possibleClaims = promises.has('second') ? ['second'] : ['first', 'second']
    expect(promises.has('first') ? possibleClaims : [null, ...possibleClaims]).toContain(
      installation,
    )
  })
})
