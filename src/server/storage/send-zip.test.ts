import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rm, truncate } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import yauzl from 'yauzl'
import { type DiskServer, expectIdle, openDiskServer } from '../../../tests/support/disk-server.ts'
import { singleUpload } from '../../../tests/support/disk-uploads.ts'
import { type SendOptions, send, statusAndErrorCode } from '../../../tests/support/send.ts'
import { getRequest, sendWithoutReading } from '../../../tests/support/unread-sockets.ts'
import { sendZip, type ZipArchive, type ZipFile } from './send-zip.ts'
import type { OnBytes } from './storage.ts'

const MiB = 1024 * 1024
const createdAt = new Date('2026-11-28T12:34:56.789Z')

let disk: DiskServer
let server: Server
let origin: string
let archive: ZipArchive
let onBytes: OnBytes | undefined
beforeAll(async () => {
  disk = await openDiskServer()
  server = createServer((incoming, response) =>
    sendZip(disk.storage.transfers, archive, { request: incoming, response, onBytes }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  onBytes = undefined
})
afterEach(() => expectIdle(disk))
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await disk.close()
})

async function store(name: string, bytes: Buffer): Promise<ZipFile> {
  const size = bytes.length
  const upload = singleUpload(disk, size)
  await upload.put(bytes)
  await upload.seal()
  const { storage } = disk
  return { name, size, crc32: crc32(bytes), modifiedAt: createdAt, storage, key: upload.key }
}
function archiveOf(...files: ZipFile[]): ZipArchive {
  return { files, fileName: 'Photos.zip', version: 'v1' }
}
function get(headers: SendOptions['headers'] = {}, method = 'GET') {
  return send(origin, { headers, method })
}
function sealedPath({ key }: ZipFile) {
  return join(disk.dataDir, 'files', key.slice(0, 2), key)
}

describe('a ZIP archive', () => {
  const contents = [Buffer.from('hello'), Buffer.alloc(0), randomBytes(1.5 * MiB)]
  let whole: Buffer
  beforeAll(async () => {
    const names = ['a.txt', 'empty', 'b.bin']
    archive = archiveOf(
      ...(await Promise.all(contents.map((bytes, index) => store(names[index] ?? '', bytes)))),
    )
    whole = (await get()).body
  })
  it('contains the files and has exact headers', async () => {
    const response = await get()
    expect(response.status).toBe(200)
    expect(response.headers).toMatchObject({
      'content-type': 'application/zip',
      'content-length': `${response.body.length}`,
      'content-disposition': `attachment; filename=Photos.zip; filename*=UTF-8''Photos.zip`,
      'accept-ranges': 'bytes',
      etag: '"v1"',
    })
    expect(response.headers).not.toHaveProperty('last-modified')
    const zip = await yauzl.fromBufferPromise(response.body, { lazyEntries: true })
    const read: Buffer[] = []
    zip.on('entry', async (entry) => {
      read.push(Buffer.concat(await (await zip.openReadStreamPromise(entry)).toArray()))
      zip.readEntry()
    })
    zip.readEntry()
    await once(zip, 'end')
    expect(read.map((bytes, index) => bytes.equals(contents[index] as Buffer))).toEqual([
      true,
      true,
      true,
    ])
  })

  it('answers HEAD like GET but without a body', async () => {
    const response = await get({}, 'HEAD')
    expect([response.status, response.body.length]).toEqual([200, 0])
    const wholeResponse = await get()
    expect({ ...response.headers, date: '' }).toEqual({ ...wholeResponse.headers, date: '' })
  })

  it('can be resumed anywhere with its ETag', async () => {
    for (const start of [0, 1, 40, 77, 100, MiB, whole.length - 23, whole.length - 1]) {
      const response = await get({ 'If-Range': '"v1"', Range: `bytes=${start}-` })
      expect(response.status).toBe(206)
      expect(response.body.equals(whole.subarray(start))).toBe(true)
      const range = `bytes ${start}-${whole.length - 1}/${whole.length}`
      expect(response.headers['content-range']).toBe(range)
    }
  })

  it.each([
    [{ Range: 'bytes=10-19' }, 206, 10],
    [{ Range: 'bytes=-5' }, 206, 5],
    [{ Range: 'bytes=10-19', 'If-Range': '"v0"' }, 200, null],
    [{ 'If-None-Match': '"v1"' }, 304, 0],
  ])('answers %j with %i', async (headers, status, length) => {
    const response = await get(headers)
    expect([response.status, response.body.length]).toEqual([status, length ?? whole.length])
  })

  it.each([
    [{ 'If-Match': '"v0"' }, 412, 'PRECONDITION_FAILED'],
    [{ Range: 'bytes=99999999-' }, 416, 'RANGE_NOT_SATISFIABLE'],
  ])('rejects %j with %i', async (headers, status, code) => {
    expect(statusAndErrorCode(await get(headers))).toEqual([status, code])
  })

  it('reports the first byte before it is sent, and nothing without bytes', async () => {
    const starts: number[] = []
    onBytes = async (start) => void starts.push(start)
    await get()
    await get({ Range: 'bytes=5-' })
    await get({}, 'HEAD')
    await get({ 'If-None-Match': '"v1"' })
    expect(starts).toEqual([0, 5])
  })
})

describe('the connection is destroyed', () => {
  it.each<[string, (file: ZipFile) => Promise<void>]>([
    ['missing', (file) => rm(sealedPath(file))],
    ['too short', (file) => truncate(sealedPath(file), 4)],
  ])('if a file is %s', async (_, damage) => {
    const files = [await store('a', randomBytes(MiB)), await store('b', Buffer.from('hello'))]
    archive = archiveOf(...files)
    await damage(files[1] as ZipFile)
    const client = request(origin, { agent: false }).end()
    const [response] = (await once(client, 'response')) as [IncomingMessage]
    await expect(response.toArray()).rejects.toThrow('aborted')
    expect(response.complete).toBe(false)
  })

  it('if a file is removed while another one is sent', async () => {
    const files = [await store('a', Buffer.alloc(24 * MiB)), await store('b', Buffer.from('hello'))]
    archive = archiveOf(...files)
    const client = request(origin, { agent: false }).end()
    const [response] = (await once(client, 'response')) as [IncomingMessage]
    await once(response, 'readable')
    for (const { key } of files) await disk.storage.remove(key)
    await expect(response.toArray()).rejects.toThrow('aborted')
  })
})

describe('a download of an archive', () => {
  it('ends when the client disconnects', async () => {
    const file = await store('a', Buffer.alloc(24 * MiB))
    archive = archiveOf(file)
    disk.logLines.length = 0
    for (let round = 0; round < 2; round += 1) {
      const client = request(origin, { agent: false }).end()
      client.on('error', () => undefined)
      const [response] = (await once(client, 'response')) as [IncomingMessage]
      response.on('error', () => undefined)
      await once(response, 'data')
      client.destroy()
      await expectIdle(disk)
    }
    expect(disk.logLines).toEqual([])
  })

  it('counts towards the limit of transfers', async () => {
    archive = archiveOf(await store('a', Buffer.from('hello')))
    const { promise: counted, resolve: count } = Promise.withResolvers<void>()
    onBytes = () => counted
    const sockets = await sendWithoutReading(origin, () => getRequest(origin), 171)
    await expect.poll(() => disk.storage.transfers.activeCount()).toBe(171)
    expect(statusAndErrorCode(await get())).toEqual([503, 'TOO_MANY_TRANSFERS'])
    count()
    sockets.reset()
  })
})
