import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import {
  chunkedEncoding,
  singleUpload,
  uploadOffsetOf,
} from '../../../../tests/support/disk-uploads.ts'
import { send, statusAndErrorCode } from '../../../../tests/support/send.ts'

const MiB = 1024 * 1024
const octetStream = 'application/octet-stream'

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())

describe('the size check', () => {
  it('cuts off a longer chunked body and stores none of it', async () => {
    const upload = singleUpload(disk, 2 * MiB)
    const { client, outcome } = await upload.open(chunkedEncoding)
    client.write(randomBytes(2 * MiB))
    client.end(randomBytes(64 * 1024))
    expect(await outcome).toMatchObject({ status: 413, code: 'FILE_TOO_LARGE' })
    expect(await disk.storage.storedSize(upload.key)).toBe(0)
  })

  it('keeps the bytes of earlier requests when a resumed body is too long', async () => {
    const upload = singleUpload(disk, 10)
    await upload.put('0123', chunkedEncoding)
    const response = await upload.put('4567890123', { ...chunkedEncoding, Range: 'bytes=4-' })
    expect(statusAndErrorCode(response)).toEqual([413, 'FILE_TOO_LARGE'])
    expect((await upload.stored()).toString()).toBe('0123')
  })

  it('returns the offset to resume from when a body ends early', async () => {
    const upload = singleUpload(disk, 10)
    const response = await upload.put('0123', chunkedEncoding)
    expect(statusAndErrorCode(response)).toEqual([400, 'UPLOAD_INCOMPLETE'])
    expect(uploadOffsetOf(response)).toBe(4)
  })

  it.each([
    [11, 413, 'FILE_TOO_LARGE'],
    [9, 400, 'UPLOAD_INCOMPLETE'],
    [1e15, 413, 'FILE_TOO_LARGE'],
  ])(
    'rejects a Content-Length of %i instead of 10 before the body arrives',
    async (length, status, code) => {
      const upload = singleUpload(disk, 10)
      const { client, outcome } = await upload.open({ 'Content-Length': length })
      client.flushHeaders()
      expect(await outcome).toMatchObject({ status, code, headers: { connection: 'close' } })
      expect(await disk.storage.storedSize(upload.key)).toBeNull()
    },
  )
})

describe('a body', () => {
  it.each([
    ['text/plain', 'text/plain; charset=utf-8', 200],
    ['text/plain', 'TEXT/Plain', 200],
    ['text/plain', undefined, 403],
    ['text/plain', 'text/html', 403],
    ['text/plain', '', 403],
    [octetStream, undefined, 200],
    [octetStream, 'text/plain', 403],
  ])('signed as %j and sent as %j is answered with %i', async (mimeType, sentType, status) => {
    const upload = singleUpload(disk, 5, { mimeType })
    const response = await send(await upload.url(), {
      method: 'PUT',
      body: 'hello',
      headers: sentType === undefined ? {} : { 'Content-Type': sentType },
    })
    expect(response.status).toBe(status)
  })
})

describe('a PUT that expects 100-continue', () => {
  const sendExpecting = async (length: number) => {
    const { client, outcome } = await singleUpload(disk, 5).open({
      'Content-Length': length,
      Expect: '100-continue',
    })
    let gotContinue = false
    client.on('continue', () => {
      gotContinue = true
      client.end('hello')
    })
    client.flushHeaders()
    return { answer: await outcome, continued: gotContinue }
  }

  it('gets 100 Continue if the body will be accepted', async () => {
    const { answer: response, continued } = await sendExpecting(5)
    expect([continued, response]).toMatchObject([true, { status: 200 }])
  })

  it('is rejected without 100 Continue if the body is too long', async () => {
    const { answer: response, continued } = await sendExpecting(6)
    expect([continued, response]).toMatchObject([false, { status: 413 }])
  })
})
