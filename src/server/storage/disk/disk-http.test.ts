import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type DiskServer,
  expectIdle,
  openDiskServer,
} from '../../../../tests/support/disk-server.ts'
import { singleUpload } from '../../../../tests/support/disk-uploads.ts'
import {
  requestTarget,
  send,
  statusAndErrorCode,
  waitForClose,
} from '../../../../tests/support/send.ts'
import { newStorageKey } from '../storage-key.ts'

const MiB = 1024 * 1024

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())

/** Sends raw bytes and returns everything received until the connection closes. */
async function sendRaw(...pieces: (string | Buffer)[]): Promise<string> {
  const socket = connect(disk.port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', () => undefined)
  for (const piece of pieces) socket.write(piece)
  await waitForClose(socket)
  return Buffer.concat(chunks).toString('latin1')
}

describe('malicious requests', () => {
  it('with path traversal get 403', async () => {
    const key = newStorageKey()
    const targets = [
      '/storage/',
      '/storage/../../etc/passwd',
      '/storage/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
      '/storage/..%5c..%5cetc',
      `/storage/${key}%00?operation=put`,
      `/storage/${key}?operation=put&signature=`,
      `/storage/${key}?operation=put&signature=${'A'.repeat(43)}`,
      `/storage/${key}?operation=put&signature=${'%C3%A9'.repeat(20)}`,
      `/storage/${'a'.repeat(8000)}`,
    ]
    for (const target of targets) {
      const response = await sendRaw(
        `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      )
      expect(response, target).toMatch(/^HTTP\/1\.1 403 /)
      expect(response).toContain('SIGNATURE_INVALID')
    }
  })

  it.each(['POST', 'DELETE', 'PATCH', 'OPTIONS'])('with the method %s get 405', async (method) => {
    const response = await send(await singleUpload(disk, 5).url(), { method })
    expect(statusAndErrorCode(response)).toEqual([405, 'METHOD_NOT_ALLOWED'])
    expect(response.headers.allow).toBe('GET, HEAD, PUT')
  })

  it.each([
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 6\r\n'],
    ['a length and chunked encoding', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'],
    ['a negative length', 'Content-Length: -5\r\n'],
    ['a length with a plus sign', 'Content-Length: +5\r\n'],
    ['an unknown transfer coding', 'Transfer-Encoding: gzip\r\n'],
    ['chunked encoding twice', 'Transfer-Encoding: chunked, chunked, identity\r\n'],
  ])('with %s get 400', async (_, lengthHeaders) => {
    const upload = singleUpload(disk, 5)
    const target = requestTarget(await upload.url())
    const head = `PUT ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lengthHeaders}\r\n`
    const smuggledRequest = 'GET /storage/ HTTP/1.1\r\nHost: x\r\n\r\n'
    const response = await sendRaw(head, '5\r\nhello\r\n0\r\n\r\n', smuggledRequest)
    expect(response).toMatch(/^HTTP\/1\.1 400 /)
    expect(response.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    expect((await disk.storage.storedSize(upload.key)) ?? 0).toBe(0)
    await expectIdle(disk)
  })

  it('with an endless chunked body get 413', async () => {
    const upload = singleUpload(disk, MiB)
    const target = requestTarget(await upload.url())
    const head = `PUT ${target} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`
    const socket = connect(disk.port, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => undefined)
    socket.write(head)
    const chunk = Buffer.concat([
      Buffer.from('10000\r\n'),
      Buffer.alloc(0x10000),
      Buffer.from('\r\n'),
    ])
    let sentBytes = 0
    const closePromise = waitForClose(socket)
    while (!socket.destroyed) {
      sentBytes += chunk.length
      if (socket.write(chunk)) continue
      await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closePromise])
    }
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 413 /)
    expect(sentBytes).toBeLessThan(64 * MiB)
    expect(await disk.storage.storedSize(upload.key)).toBe(0)
    await expectIdle(disk)
  })
})

describe('a rejected upload', () => {
  it('is drained for a while, so that the client gets the response instead of a reset', async () => {
    const size = 8 * MiB
    const target = requestTarget(await singleUpload(disk, size).url())
    const socket = connect(disk.port, '127.0.0.1')
    const errors: Error[] = []
    socket.on('error', (error) => errors.push(error))
    const type = 'Content-Type: text/html'
    socket.write(`PUT ${target} HTTP/1.1\r\nHost: x\r\n${type}\r\nContent-Length: ${size}\r\n\r\n`)
    const [response] = await once(socket, 'data')
    expect(String(response)).toMatch(/^HTTP\/1\.1 403 /)
    socket.write(Buffer.alloc(size))
    await waitForClose(socket)
    expect([errors, socket.bytesWritten > size]).toEqual([[], true])
    await expectIdle(disk)
  })
})
