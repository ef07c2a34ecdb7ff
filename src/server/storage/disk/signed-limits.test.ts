import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import { chunked, offsetOf, wholeUpload } from '../../../../tests/support/disk-uploads.ts'
import { refusalOf, send } from '../../../../tests/support/send.ts'

const MiB = 1024 * 1024
const octets = 'application/octet-stream'

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())

describe('the size that was signed', () => {
  it('cuts off a chunked body that is longer than signed, and stores none of it', async () => {
    const upload = wholeUpload(disk, 2 * MiB)
    const { client, ended } = await upload.open(chunked)
    client.write(randomBytes(2 * MiB))
    client.end(randomBytes(64 * 1024))
    expect(await ended).toMatchObject({ status: 413, code: 'FILE_TOO_LARGE' })
    expect(await disk.storage.storedSize(upload.key)).toBe(0)
  })

  it('keeps what earlier requests brought when a continuation is too long', async () => {
    const upload = wholeUpload(disk, 10)
    await upload.put('0123', chunked)
    const longer = await upload.put('4567890123', { ...chunked, Range: 'bytes=4-' })
    expect(refusalOf(longer)).toEqual([413, 'FILE_TOO_LARGE'])
    expect((await upload.stored()).toString()).toBe('0123')
  })

  it('answers a body that ends early with where to go on', async () => {
    const upload = wholeUpload(disk, 10)
    const answer = await upload.put('0123', chunked)
    expect(refusalOf(answer)).toEqual([400, 'UPLOAD_INCOMPLETE'])
    expect(offsetOf(answer)).toBe(4)
  })

  it.each([
    [11, 413, 'FILE_TOO_LARGE'],
    [9, 400, 'UPLOAD_INCOMPLETE'],
    [1e15, 413, 'FILE_TOO_LARGE'],
  ])(
    'refuses a Content-Length of %i for 10 before the body comes',
    async (length, status, code) => {
      const upload = wholeUpload(disk, 10)
      const { client, ended } = await upload.open({ 'Content-Length': length })
      client.flushHeaders()
      expect(await ended).toMatchObject({ status, code, headers: { connection: 'close' } })
      expect(await disk.storage.storedSize(upload.key)).toBeNull()
    },
  )
})

describe('the type that was signed', () => {
  it.each([
    ['text/plain', 'text/plain; charset=utf-8', 200],
    ['text/plain', 'TEXT/Plain', 200],
    ['text/plain', undefined, 403],
    ['text/plain', 'text/html', 403],
    ['text/plain', '', 403],
    [octets, undefined, 200],
    [octets, 'text/plain', 403],
  ])('signed as %j and sent as %j is answered %i', async (mimeType, sent, status) => {
    const upload = wholeUpload(disk, 5, { mimeType })
    const answer = await send(await upload.url(), {
      method: 'PUT',
      body: 'hello',
      headers: sent === undefined ? {} : { 'Content-Type': sent },
    })
    expect(answer.status).toBe(status)
  })
})

describe('a PUT that expects 100-continue', () => {
  const expecting = async (length: number) => {
    const { client, ended } = await wholeUpload(disk, 5).open({
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

  it('is asked for its body where that will be taken', async () => {
    const { answer, continued } = await expecting(5)
    expect([continued, answer]).toMatchObject([true, { status: 200 }])
  })

  it('is refused before its body is sent where that is too long', async () => {
    const { answer, continued } = await expecting(6)
    expect([continued, answer]).toMatchObject([false, { status: 413 }])
  })
})
