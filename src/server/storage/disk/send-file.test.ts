import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFile, truncate } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { parse } from 'content-disposition'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import { errorCodeOf, type SendOptions, send } from '../../../../tests/support/send.ts'
import type { DownloadGrant } from '../storage.ts'
import { newStorageKey } from '../storage-key.ts'

const MiB = 1024 * 1024

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())

async function store(bytes: Buffer): Promise<DownloadGrant> {
  const grant = disk.uploadGrant(bytes.length)
  const headers = { 'Content-Type': grant.mimeType }
  await send(await disk.storage.signUpload(grant), { method: 'PUT', headers, body: bytes })
  await disk.storage.seal(grant.key, bytes.length)
  return disk.downloadGrant(grant.key, bytes.length)
}
async function get(grant: DownloadGrant, headers: SendOptions['headers'] = {}, method = 'GET') {
  return send(await disk.downloadUrl(grant), { method, headers })
}
function sealedPath({ key }: DownloadGrant) {
  return join(disk.dataDir, 'files', key.slice(0, 2), key)
}

describe('a download from disk', () => {
  let grant: DownloadGrant
  beforeAll(async () => {
    grant = { ...(await store(Buffer.from('0123456789'))), mimeType: 'text/html' }
  })

  it('has headers that force saving and prevent shared caching', async () => {
    const { status, headers } = await get(grant)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '10',
      'accept-ranges': 'bytes',
      etag: `"${grant.version}"`,
      'last-modified': 'Sat, 12 Jul 2025 10:20:30 GMT',
      'cache-control': 'private, no-cache, no-transform',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(headers['content-disposition']).toMatch(/^attachment;/)
  })

  it('answers HEAD like GET but without a body, even with a range', async () => {
    const wholeResponse = await get(grant)
    for (const headers of [{}, { Range: 'bytes=2-4' }]) {
      const headResponse = await get(grant, headers, 'HEAD')
      expect([headResponse.status, headResponse.body.length]).toEqual([200, 0])
      expect({ ...headResponse.headers, date: '' }).toEqual({ ...wholeResponse.headers, date: '' })
    }
  })

  it.each(['bytes=0-1,5-6', 'bytes=5-4', 'lines=1-2', 'bytes'])('ignores %s', async (range) => {
    const response = await get(grant, { Range: range })
    expect([response.status, response.body.toString()]).toEqual([200, '0123456789'])
  })

  it('returns the size when a range is out of bounds', async () => {
    const response = await get(grant, { Range: 'bytes=10-' })
    expect([response.status, errorCodeOf(response)]).toEqual([416, 'RANGE_NOT_SATISFIABLE'])
    expect(response.headers['content-range']).toBe('bytes */10')
    expect(response.headers['cache-control']).toBe('no-store')
  })

  it.each([
    [{ 'If-None-Match': '*' }, 304],
    [{ 'If-None-Match': '"a", W/"b"' }, 200],
    [{ 'If-Modified-Since': 'Sat, 12 Jul 2025 10:20:30 GMT' }, 304],
    [{ 'If-Match': '"a"' }, 412],
    [{ 'If-Unmodified-Since': 'Sat, 12 Jul 2025 10:20:29 GMT' }, 412],
    [{ 'If-Range': 'Sat, 12 Jul 2025 10:20:30 GMT', Range: 'bytes=2-4' }, 206],
    [{ 'If-Range': 'Sat, 12 Jul 2025 10:20:29 GMT', Range: 'bytes=2-4' }, 200],
    [{ 'If-Range': '"a"', Range: 'bytes=2-4' }, 200],
    [{ 'If-Range': '"a"', Range: 'bytes=10-' }, 200],
  ])('answers %j with %i', async (headers, status) => {
    expect((await get(grant, headers)).status).toBe(status)
  })

  it('can be resumed with its own ETag', async () => {
    const { etag = '' } = (await get(grant)).headers
    const response = await get(grant, { 'If-Range': etag, Range: 'bytes=4-' })
    expect([response.status, response.body.toString()]).toEqual([206, '456789'])
    const notModifiedResponse = await get(grant, { 'If-None-Match': `"a", ${etag}` })
    expect([
      notModifiedResponse.status,
      notModifiedResponse.headers.etag,
      notModifiedResponse.body.length,
    ]).toEqual([304, etag, 0])
  })

  it('encodes any version and file name', async () => {
    const fileName = 'lone \ud800 surrogate.txt'
    const unusualGrant = { ...grant, version: 'a "quoted" Ünicode\r\nX: y', fileName }
    const { headers } = await get(unusualGrant)
    expect(headers.etag).toBe('"a%20%22quoted%22%20%C3%9Cnicode%0D%0AX%3A%20y"')
    const { filename } = parse(headers['content-disposition'] ?? '').parameters
    expect(filename).toBe('lone \ufffd surrogate.txt')
  })

  it('returns any range exactly, even across blocks', async () => {
    const bytes = randomBytes(3 * MiB + 7)
    const largeGrant = await store(bytes)
    const offset = fc.nat(bytes.length - 1)
    await fc.assert(
      fc.asyncProperty(offset, offset, async (a, b) => {
        const [start, end] = [Math.min(a, b), Math.max(a, b)]
        const response = await get(largeGrant, { Range: `bytes=${start}-${end}` })
        expect(response.status).toBe(206)
        expect(response.body.equals(bytes.subarray(start, end + 1))).toBe(true)
      }),
      { numRuns: 40 },
    )
  })

  it('ignores ranges of an empty file', async () => {
    const emptyGrant = await store(Buffer.alloc(0))
    for (const range of ['bytes=0-', 'bytes=-5']) {
      const response = await get(emptyGrant, { Range: range })
      expect([response.status, response.headers['content-length']]).toEqual([200, '0'])
    }
  })

  it('answers 404 for missing or unsealed bytes', async () => {
    const response = await get(disk.downloadGrant(newStorageKey(), 5))
    expect([response.status, errorCodeOf(response)]).toEqual([404, 'LINK_NOT_FOUND'])
    const upload = disk.uploadGrant(5)
    const headers = { 'Content-Type': upload.mimeType }
    await send(await disk.storage.signUpload(upload), { method: 'PUT', headers, body: 'hello' })
    expect((await get(disk.downloadGrant(upload.key, 5))).status).toBe(404)
  })
})

describe('a file damaged on disk', () => {
  it('is not sent if its size is wrong', async () => {
    const grant = await store(Buffer.from('hello'))
    await appendFile(sealedPath(grant), '!')
    const response = await get(grant)
    expect([response.status, errorCodeOf(response)]).toEqual([503, 'UNAVAILABLE'])
    expect(response.body.toString()).not.toContain(grant.key)
    expect(disk.logLines.at(-1)).toMatchObject({ level: 50, msg: 'a transfer failed' })
  })

  it('is cut off if it shrinks during the download', async () => {
    const grant = await store(Buffer.alloc(24 * MiB))
    const { pathname, search } = new URL(await disk.downloadUrl(grant))
    const socket = connect(disk.port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await once(socket, 'readable')
    disk.logLines.length = 0
    await truncate(sealedPath(grant), MiB)
    let receivedCount = 0
    socket.on('data', (chunk: Buffer) => {
      receivedCount += chunk.length
    })
    await once(socket, 'close')
    expect(receivedCount).toBeLessThan(24 * MiB)
    expect(disk.logLines).toMatchObject([{ level: 50, msg: 'a transfer failed' }])
  })
})

it('keeps headers that were set earlier', async () => {
  const grant = await store(Buffer.from('0123456789'))
  const server = createServer(async (request, response) => {
    response.setHeader('Vary', 'Accept')
    const delivery = await disk.storage.deliver(grant, 'GET')
    if (delivery.kind === 'stream') await delivery.send(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const { status, headers } = await send(`http://127.0.0.1:${port}`)
  server.close()
  expect([status, headers.vary, headers['content-length']]).toEqual([200, 'Accept', '10'])
})
