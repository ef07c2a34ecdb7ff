import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import * as nodeFs from 'node:fs/promises'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type DiskServer,
  expectAllQuiet,
  openDiskServer,
} from '../../../../tests/support/disk-server.ts'
import { codeOf, type Sending, send } from '../../../../tests/support/send.ts'
import type { DownloadGrant } from '../storage.ts'
import { newStorageKey } from '../storage-key.ts'
import { ByteSources } from './byte-sources.ts'
import type { FileSystem } from './file-system.ts'
import { Folders } from './folders.ts'
import { transferLimits } from './transfer-limits.ts'

let disk: DiskServer
/** The paths of files that were opened for reading, in order. */
const opened: string[] = []
const fileSystem: FileSystem = {
  ...nodeFs,
  open(path, flags, mode) {
    if (flags === 'r') opened.push(path)
    return nodeFs.open(path, flags, mode)
  },
}
beforeAll(async () => {
  disk = await openDiskServer(undefined, fileSystem)
})
afterAll(() => disk.close())
beforeEach(() => {
  opened.length = 0
})

function pathOf({ key }: Pick<DownloadGrant, 'key'>) {
  return join(disk.dataDir, 'files', key.slice(0, 2), key)
}

async function get(grant: DownloadGrant, headers: Sending['headers'] = {}) {
  return send(await disk.storage.signDownload(grant), { headers })
}

/** Stores a file and downloads it until its bytes are in memory. */
async function makeHot(bytes: Buffer): Promise<DownloadGrant> {
  const upload = disk.uploadGrant(bytes.length)
  const headers = { 'Content-Type': upload.mimeType }
  await send(await disk.storage.signUpload(upload), { method: 'PUT', headers, body: bytes })
  await disk.storage.seal(upload.key, bytes.length)
  const grant = disk.downloadGrant(upload.key, bytes.length)
  for (let round = 0; round < 2; round += 1) expect((await get(grant)).body).toEqual(bytes)
  opened.length = 0
  return grant
}

it('a file that is downloaded again and again is opened twice, and sent as from the disk', async () => {
  const bytes = randomBytes(1024 * 1024)
  const grant = await makeHot(bytes)
  const { headers, body } = await get(grant)
  expect(body).toEqual(bytes)
  expect(headers).toMatchObject({
    'content-length': String(bytes.length),
    'accept-ranges': 'bytes',
  })
  const part = await get(grant, { Range: 'bytes=1000-70000' })
  expect(part.status).toBe(206)
  expect(part.body).toEqual(bytes.subarray(1000, 70_001))
  expect((await get(grant, { 'If-None-Match': headers.etag ?? '' })).status).toBe(304)
  expect(opened).toEqual([])
  await expectAllQuiet(disk)
})

it('a file that was removed, by whatever server, is gone from memory too', async () => {
  const grant = await makeHot(Buffer.from('hello'))
  await rm(pathOf(grant))
  const answer = await get(grant)
  expect([answer.status, codeOf(answer)]).toEqual([404, 'LINK_NOT_FOUND'])
})

it('a file that was changed on the disk is read from there', async () => {
  const grant = await makeHot(Buffer.from('hello'))
  await writeFile(pathOf(grant), 'HELLO')
  expect((await get(grant)).body.toString()).toBe('HELLO')
})

it('an empty file stays empty', async () => {
  const grant = await makeHot(Buffer.alloc(0))
  expect((await get(grant)).headers['content-length']).toBe('0')
})

it('clients that leave in the middle leave nothing behind', async () => {
  const grant = await makeHot(randomBytes(2 * 1024 * 1024))
  const { pathname, search } = new URL(await disk.storage.signDownload(grant))
  for (let round = 0; round < 20; round += 1) {
    const socket = connect(disk.port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await once(socket, 'readable')
    socket.destroy()
  }
  await expectAllQuiet(disk)
  expect((await get(grant)).body).toHaveLength(2 * 1024 * 1024)
})

describe('the memory for hot files', () => {
  const { hotBytes, hotFileBytes } = transferLimits
  const most = hotBytes / hotFileBytes
  let keys: string[]
  let folders: Folders
  let sources: ByteSources
  beforeEach(async () => {
    // However slow the test is, no file counts as unused.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    keys = Array.from({ length: 2 * most + 1 }, () => newStorageKey())
    for (const key of keys) {
      await mkdir(dirname(pathOf({ key })), { recursive: true })
      await writeFile(pathOf({ key }), Buffer.alloc(hotFileBytes))
    }
    folders = await Folders.open(fileSystem, disk.dataDir)
    sources = new ByteSources(folders)
  })
  afterEach(async () => {
    sources.close()
    vi.useRealTimers()
    await folders.close()
    for (const key of keys) await rm(pathOf({ key }))
  })
  const download = async (key = '') => (await sources.open(key))?.close()
  const heat = async (some: string[]) => {
    for (const key of some) for (let round = 0; round < 2; round += 1) await download(key)
    opened.length = 0
  }

  it('stays within its bounds when it gets scarce while a file in it is compared with the disk', async () => {
    const compare = folders.sealedStats.bind(folders)
    let goOn = Promise.resolve()
    folders.sealedStats = (key) => goOn.then(() => compare(key))
    await heat(keys.slice(0, most))
    const { promise, resolve } = Promise.withResolvers<void>()
    goOn = promise
    const compared = download(keys[0])
    await heat(keys.slice(most, 2 * most))
    resolve()
    await compared
    await heat(keys.slice(-1))
    for (const key of keys.slice(most)) await download(key)
    expect(opened).not.toEqual([])
  })

  it('is free again when the files in it were changed on the disk, or cannot be looked up', async () => {
    const compare = folders.sealedStats.bind(folders)
    await heat(keys.slice(0, most))
    folders.sealedStats = () => Promise.reject(new Error('the disk fails'))
    for (const key of keys.slice(0, most)) await expect(download(key)).rejects.toThrow('the disk')
    folders.sealedStats = compare
    for (const key of keys.slice(0, most)) await writeFile(pathOf({ key }), 'changed')
    for (const key of keys.slice(0, most)) await download(key)
    await heat(keys.slice(most, 2 * most))
    await download(keys[most])
    expect(opened).toEqual([])
  })
})
