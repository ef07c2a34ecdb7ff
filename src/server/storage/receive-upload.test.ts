import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { type ClientRequest, type OutgoingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../tests/support/disk-server.ts'
import { type Answer, codeOf, type Sending, send } from '../../../tests/support/send.ts'
import type { UploadGrant } from './storage.ts'

const MiB = 1024 * 1024
const octets = 'application/octet-stream'

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())
beforeEach(() => {
  disk.recordsFail = false
  disk.touched.length = 0
})

const put = async (grant: UploadGrant, body: Buffer | string, sending: Sending = {}) =>
  send(await disk.storage.signUpload(grant), {
    method: 'PUT',
    body: Buffer.from(body),
    headers: { 'Content-Type': grant.mimeType, ...sending.headers },
  })
let heads = 0
const head = async (grant: UploadGrant) => {
  heads += 1
  return send(await disk.storage.signUpload(grant), { method: 'HEAD' })
}
const offsetOf = (answer: Answer) => Number(answer.headers['upload-offset'] ?? Number.NaN)
const storedBytes = (key: string) => readFile(join(disk.dataDir, 'uploads', key))

/** A PUT that the test feeds by hand. */
const openPut = async (grant: UploadGrant, headers: OutgoingHttpHeaders = {}) => {
  const client = request(await disk.storage.signUpload(grant), {
    method: 'PUT',
    agent: false,
    headers: { 'Content-Type': grant.mimeType, ...headers },
  })
  client.on('error', () => undefined)
  const ended = new Promise<Answer | 'cut'>((resolve) => {
    client.on('close', () => resolve('cut'))
    client.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', () => undefined)
      response.on('end', () => {
        const { statusCode: status = 0, headers: received } = response
        resolve({ status, headers: received, body: Buffer.concat(chunks) })
        client.destroy()
      })
    })
  })
  return { client, ended }
}
const write = (client: ClientRequest, bytes: Buffer): Promise<void> =>
  new Promise((resolve) => client.write(bytes, () => resolve()))

/** Resolves when so many bytes have been stored; HEAD makes the running transfer write them. */
const untilStored = async (grant: UploadGrant, bytes: number): Promise<void> => {
  while (offsetOf(await head(grant)) < bytes);
}

describe('HEAD of an upload URL', () => {
  it('tells how many bytes are stored, and of how many', async () => {
    const grant = disk.uploadGrant(10)
    const before = await head(grant)
    expect(before.status).toBe(200)
    expect(before.headers).toMatchObject({
      'upload-offset': '0',
      'upload-length': '10',
      'cache-control': 'no-store',
    })
    await put(grant, '0123456789')
    expect(offsetOf(await head(grant))).toBe(10)
  })

  it('counts what a running transfer has brought, and lets it go on', async () => {
    const grant = disk.uploadGrant(3 * MiB)
    const bytes = randomBytes(3 * MiB)
    const { client, ended } = await openPut(grant, { 'Content-Length': bytes.length })
    await write(client, bytes.subarray(0, MiB + 5))
    await untilStored(grant, MiB + 5)
    client.end(bytes.subarray(MiB + 5))
    expect(await ended).toMatchObject({ status: 200 })
    expect((await storedBytes(grant.key)).equals(bytes)).toBe(true)
  })

  it('says that a sealed upload has arrived whole', async () => {
    const grant = disk.uploadGrant(5)
    await put(grant, 'hello')
    await disk.storage.seal(grant.key, 5)
    disk.over.add(grant.key)
    expect(await head(grant)).toMatchObject({ status: 200, headers: { 'upload-offset': '5' } })
  })

  it('answers 404 when the upload was given up', async () => {
    const grant = disk.uploadGrant(5)
    disk.over.add(grant.key)
    expect((await head(grant)).status).toBe(404)
  })
})

describe('PUT with Range: bytes=n-', () => {
  it('continues from the stored offset', async () => {
    const grant = disk.uploadGrant(10)
    expect((await put(grant, '0123', { headers: { 'Transfer-Encoding': 'chunked' } })).status).toBe(
      400,
    )
    expect(offsetOf(await head(grant))).toBe(4)
    const rest = await put(grant, '456789', { headers: { Range: 'bytes=4-' } })
    expect([rest.status, rest.body.length, offsetOf(rest)]).toEqual([200, 0, 10])
    expect((await storedBytes(grant.key)).toString()).toBe('0123456789')
  })

  it('begins a file that has no bytes yet, and ends one that has all', async () => {
    const grant = disk.uploadGrant(5)
    expect((await put(grant, 'hello', { headers: { Range: 'bytes=0-4' } })).status).toBe(200)
    expect((await put(grant, '', { headers: { Range: 'bytes=5-' } })).status).toBe(200)
    expect((await storedBytes(grant.key)).toString()).toBe('hello')
  })

  it.each([3, 5, 10, 11])('answers %i, a wrong offset, with the right one', async (offset) => {
    const grant = disk.uploadGrant(10)
    await put(grant, '0123', { headers: { 'Transfer-Encoding': 'chunked' } })
    const body = 'x'.repeat(Math.max(0, 10 - offset))
    const answer = await put(grant, body, { headers: { Range: `bytes=${offset}-` } })
    expect([answer.status, codeOf(answer), offsetOf(answer)]).toEqual([416, 'OFFSET_MISMATCH', 4])
    expect((await storedBytes(grant.key)).toString()).toBe('0123')
  })

  it.each([
    'bytes=-4',
    'bytes=4-6',
    'bytes=4-,5-',
    'bytes=x-',
    'bytes 4-9/10',
    'bytes=0x4-',
    '4-',
    `bytes=${'9'.repeat(40)}-`,
  ])('does not take %s for the absence of a range', async (range) => {
    const grant = disk.uploadGrant(10)
    await put(grant, '0123', { headers: { 'Transfer-Encoding': 'chunked' } })
    const answer = await put(grant, '456789', { headers: { Range: range } })
    expect([answer.status, codeOf(answer)]).toEqual([400, 'INVALID_INPUT'])
    expect((await storedBytes(grant.key)).toString()).toBe('0123')
  })

  it('refuses Content-Range, which would be another protocol', async () => {
    const grant = disk.uploadGrant(10)
    const answer = await put(grant, '0123456789', { headers: { 'Content-Range': 'bytes 0-9/10' } })
    expect([answer.status, codeOf(answer)]).toEqual([400, 'INVALID_INPUT'])
  })
})

describe('PUT without a range', () => {
  it('starts over', async () => {
    const grant = disk.uploadGrant(5)
    await put(grant, 'hello')
    await put(grant, 'wo', { headers: { 'Transfer-Encoding': 'chunked' } })
    expect((await storedBytes(grant.key)).toString()).toBe('wo')
  })
})

describe('the size', () => {
  it('cuts off a chunked body that is longer than signed, and stores none of it', async () => {
    const grant = disk.uploadGrant(2 * MiB)
    const { client, ended } = await openPut(grant, { 'Transfer-Encoding': 'chunked' })
    client.write(randomBytes(2 * MiB))
    client.end(randomBytes(64 * 1024))
    const answer = await ended
    if (answer === 'cut') throw new Error('no answer')
    expect([answer.status, codeOf(answer)]).toEqual([413, 'FILE_TOO_LARGE'])
    expect(await disk.storage.storedSize(grant.key)).toBe(0)
  })

  it('keeps what earlier requests brought when a continuation is too long', async () => {
    const grant = disk.uploadGrant(10)
    const chunked = { 'Transfer-Encoding': 'chunked' }
    await put(grant, '0123', { headers: chunked })
    const longer = await put(grant, '4567890123', { headers: { ...chunked, Range: 'bytes=4-' } })
    expect(codeOf(longer)).toBe('FILE_TOO_LARGE')
    expect((await storedBytes(grant.key)).toString()).toBe('0123')
  })

  it('answers a body that ends early with where to go on', async () => {
    const grant = disk.uploadGrant(10)
    const answer = await put(grant, '0123', { headers: { 'Transfer-Encoding': 'chunked' } })
    expect([answer.status, codeOf(answer), offsetOf(answer)]).toEqual([400, 'UPLOAD_INCOMPLETE', 4])
  })

  it.each([
    [11, 413, 'FILE_TOO_LARGE'],
    [9, 400, 'UPLOAD_INCOMPLETE'],
    [1e15, 413, 'FILE_TOO_LARGE'],
  ])(
    'refuses a Content-Length of %i for 10 before the body comes',
    async (length, status, code) => {
      const grant = disk.uploadGrant(10)
      const { client, ended } = await openPut(grant, { 'Content-Length': length })
      client.flushHeaders()
      const answer = await ended
      if (answer === 'cut') throw new Error('no answer')
      expect([answer.status, codeOf(answer)]).toEqual([status, code])
      expect(answer.headers.connection).toBe('close')
      expect(await disk.storage.storedSize(grant.key)).toBeNull()
    },
  )
})

describe('the type', () => {
  it.each([
    ['text/plain', 'text/plain; charset=utf-8', 200],
    ['text/plain', 'TEXT/Plain', 200],
    ['text/plain', undefined, 403],
    ['text/plain', 'text/html', 403],
    ['text/plain', '', 403],
    [octets, undefined, 200],
    [octets, 'text/plain', 403],
  ])('signed %s, sent %s: %i', async (mimeType, sent, status) => {
    const grant = disk.uploadGrant(5, { mimeType })
    const answer = await send(await disk.storage.signUpload(grant), {
      method: 'PUT',
      body: 'hello',
      headers: sent === undefined ? {} : { 'Content-Type': sent },
    })
    expect(answer.status).toBe(status)
  })
})

describe('Expect: 100-continue', () => {
  const expecting = async (grant: UploadGrant, length: number) => {
    const { client, ended } = await openPut(grant, {
      'Content-Length': length,
      Expect: '100-continue',
    })
    let continued = false
    client.on('continue', () => {
      continued = true
      client.end('hello')
    })
    client.flushHeaders()
    return { answer: await ended, continued }
  }

  it('asks for the body where it will be taken', async () => {
    const { answer, continued } = await expecting(disk.uploadGrant(5), 5)
    expect([continued, answer]).toMatchObject([true, { status: 200 }])
  })

  it('refuses before the body is sent', async () => {
    const { answer, continued } = await expecting(disk.uploadGrant(5), 6)
    expect([continued, answer]).toMatchObject([false, { status: 413 }])
  })
})

describe('takeover', () => {
  it('lets a newer PUT continue where an older one hangs, losing nothing', async () => {
    const grant = disk.uploadGrant(10)
    const { client, ended } = await openPut(grant, { 'Content-Length': 10 })
    await write(client, Buffer.from('0123'))
    await untilStored(grant, 4)
    const newer = await put(grant, '456789', { headers: { Range: 'bytes=4-' } })
    expect(newer.status).toBe(200)
    const older = await ended
    if (older !== 'cut') expect([older.status, codeOf(older)]).toEqual([409, 'UPLOAD_SUPERSEDED'])
    expect((await storedBytes(grant.key)).toString()).toBe('0123456789')
  })

  it('keeps the file whole whatever many PUTs at once do', async () => {
    const grant = disk.uploadGrant(4 * MiB)
    const bodies = Array.from({ length: 8 }, (_, index) => Buffer.alloc(grant.size, index))
    const answers = await Promise.allSettled(bodies.map((body) => put(grant, body)))
    const last = await put(grant, Buffer.alloc(grant.size, 99))
    expect(last.status).toBe(200)
    for (const answer of answers) {
      if (answer.status === 'fulfilled') expect([200, 409]).toContain(answer.value.status)
    }
    expect((await storedBytes(grant.key)).equals(Buffer.alloc(grant.size, 99))).toBe(true)
  })

  it('continues a transfer that broke, from what had come', async () => {
    const grant = disk.uploadGrant(6 * MiB)
    const bytes = randomBytes(grant.size)
    let offset = 0
    for (let round = 1; round <= 5; round += 1) {
      const range = offset > 0 ? { Range: `bytes=${offset}-` } : {}
      const left = grant.size - offset
      const { client, ended } = await openPut(grant, { 'Content-Length': left, ...range })
      await write(client, bytes.subarray(offset, offset + MiB + round))
      await untilStored(grant, offset + MiB + round)
      client.destroy()
      expect(await ended).toBe('cut')
      offset = offsetOf(await head(grant))
      expect(offset).toBe(round * MiB + (round * (round + 1)) / 2)
    }
    const range = { Range: `bytes=${offset}-` }
    const rest = await put(grant, bytes.subarray(offset), { headers: range })
    expect(rest.status).toBe(200)
    expect((await storedBytes(grant.key)).equals(bytes)).toBe(true)
  })
})

describe('what the records know of an upload', () => {
  it('is asked once when a request begins', async () => {
    const grant = disk.uploadGrant(5)
    await put(grant, 'hello')
    await head(grant)
    expect(disk.touched).toEqual([grant.key, grant.key])
  })

  it('is asked once a minute while bytes arrive', async () => {
    const grant = disk.uploadGrant(6)
    const { client, ended } = await openPut(grant, { 'Content-Length': 6 })
    const asked: number[] = []
    heads = 0
    for (const [index, seconds] of [0, 30, 29, 1, 59, 1].entries()) {
      disk.clock.advance(seconds * 1000)
      await write(client, Buffer.from('x'))
      await untilStored(grant, index + 1)
      // Each HEAD asks too.
      asked.push(disk.touched.length - heads)
    }
    expect(await ended).toMatchObject({ status: 200 })
    expect(asked).toEqual([1, 1, 1, 2, 2, 3])
  })

  it('ends a transfer whose upload was given up meanwhile', async () => {
    const grant = disk.uploadGrant(6)
    const { client, ended } = await openPut(grant, { 'Content-Length': 6 })
    await write(client, Buffer.from('abc'))
    await untilStored(grant, 3)
    disk.over.add(grant.key)
    disk.clock.advance(60_000)
    client.write('d')
    const answer = await ended
    if (answer === 'cut') throw new Error('no answer')
    expect([answer.status, codeOf(answer)]).toEqual([404, 'UPLOAD_NOT_FOUND'])
  })

  it('does not end a transfer by being away for a moment', async () => {
    const grant = disk.uploadGrant(6)
    const { client, ended } = await openPut(grant, { 'Content-Length': 6 })
    await write(client, Buffer.from('abc'))
    await untilStored(grant, 3)
    disk.recordsFail = true
    disk.clock.advance(60_000)
    client.end('def')
    expect(await ended).toMatchObject({ status: 200 })
  })

  it('being away when a request begins is 503, and loses nothing', async () => {
    const grant = disk.uploadGrant(5)
    await put(grant, 'hello')
    disk.recordsFail = true
    const answer = await put(grant, 'other')
    expect([answer.status, codeOf(answer)]).toEqual([503, 'UNAVAILABLE'])
    expect((await storedBytes(grant.key)).toString()).toBe('hello')
  })

  it('refuses an upload that is over: 404, and 409 once sealed', async () => {
    const [aborted, sealed] = [disk.uploadGrant(5), disk.uploadGrant(5)]
    await put(sealed, 'hello')
    await disk.storage.seal(sealed.key, 5)
    for (const { key } of [aborted, sealed]) disk.over.add(key)
    expect(codeOf(await put(aborted, 'hello'))).toBe('UPLOAD_NOT_FOUND')
    expect(codeOf(await put(sealed, 'other'))).toBe('UPLOAD_SEALED')
    expect(await disk.storage.storedSize(aborted.key)).toBeNull()
  })
})

describe('seal and remove while bytes arrive', () => {
  it('confirming too early does not disturb the transfer', async () => {
    const grant = disk.uploadGrant(6)
    const { client, ended } = await openPut(grant, { 'Content-Length': 6 })
    await write(client, Buffer.from('abc'))
    await untilStored(grant, 3)
    const tooEarly = disk.storage.seal(grant.key, 6)
    await expect(tooEarly).rejects.toMatchObject({ expected: 6, actual: 3 })
    client.end('def')
    expect(await ended).toMatchObject({ status: 200 })
    await disk.storage.seal(grant.key, 6)
  })

  it('removing ends the transfer and leaves nothing', async () => {
    const grant = disk.uploadGrant(6)
    const { client, ended } = await openPut(grant, { 'Content-Length': 6 })
    await write(client, Buffer.from('abc'))
    await untilStored(grant, 3)
    disk.over.add(grant.key)
    await disk.storage.remove(grant.key)
    const answer = await ended
    if (answer !== 'cut') expect(codeOf(answer)).toBe('UPLOAD_NOT_FOUND')
    expect(await readdir(join(disk.dataDir, 'uploads'))).not.toContain(grant.key)
  })
})

describe('keep-alive', () => {
  it('serves the next request on the connection of a finished upload', async () => {
    const grant = disk.uploadGrant(5)
    const { pathname, search } = new URL(await disk.storage.signUpload(grant))
    const socket = connect(disk.port, '127.0.0.1')
    const one = `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello`
    socket.write(one)
    await once(socket, 'data')
    socket.write(`HEAD ${pathname}${search} HTTP/1.1\r\nHost: x\r\n\r\n`)
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toContain('Upload-Offset: 5')
    socket.destroy()
  })
})
