import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type DiskServer,
  expectIdle,
  openDiskServer,
} from '../../../../tests/support/disk-server.ts'
import { singleUpload } from '../../../../tests/support/disk-uploads.ts'
import { sha256 } from '../../../../tests/support/make.ts'
import { requestTarget, send, waitForClose } from '../../../../tests/support/send.ts'

const MiB = 1024 * 1024

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())

async function store(bytes: Buffer) {
  const upload = singleUpload(disk, bytes.length)
  expect((await upload.put(bytes)).status).toBe(200)
  await upload.seal()
  return disk.downloadUrl(disk.downloadGrant(upload.key, bytes.length))
}

describe('clients that disconnect', () => {
  it('in the middle of an upload, again and again', async () => {
    const fileBytes = randomBytes(8 * MiB)
    const upload = singleUpload(disk, fileBytes.length)
    for (let round = 0; round < 10; round += 1) {
      const { client, write } = await upload.open({ 'Content-Length': fileBytes.length })
      const sendPromise = write(Buffer.alloc(round * 250_000))
      // Half of the clients wait until all their bytes are sent before they disconnect.
      if (round % 2 === 0) await sendPromise
      client.destroy()
      await waitForClose(client)
    }
    expect((await upload.put(fileBytes)).status).toBe(200)
    expect(await upload.seal()).toBe(sha256(fileBytes))
    await expectIdle(disk)
  })

  it('without returning: received bytes are stored and the file is closed', async () => {
    const upload = singleUpload(disk, 4 * MiB)
    const { client, write } = await upload.open({ 'Content-Length': 4 * MiB })
    await write(Buffer.alloc(MiB + 3))
    await upload.waitUntilStored(MiB + 3)
    client.destroy()
    await expectIdle(disk)
    expect(await disk.storage.storedSize(upload.key)).toBe(MiB + 3)
  })

  it('in the middle of a download, again and again', async () => {
    const url = await store(Buffer.alloc(16 * MiB))
    for (let round = 0; round < 10; round += 1) {
      const client = request(url, { agent: false })
      client.on('error', () => undefined)
      client.end()
      if (round % 5 > 0) {
        const [response] = (await once(client, 'response')) as [IncomingMessage]
        response.on('error', () => undefined)
        if (round % 5 > 1) await once(response, 'data')
      }
      client.destroy()
      await waitForClose(client)
    }
    expect((await send(url)).body.length).toBe(16 * MiB)
    await expectIdle(disk)
  })

  it('with pipelined requests pending', async () => {
    const target = requestTarget(await store(Buffer.alloc(16 * MiB)))
    for (let round = 0; round < 3; round += 1) {
      const socket = connect(disk.port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(5))
      await once(socket, 'readable')
      socket.destroy()
      await waitForClose(socket)
    }
    await expectIdle(disk)
  })
})

describe('slow clients', () => {
  it('can send and read one byte at a time', async () => {
    const upload = singleUpload(disk, 64)
    const bytes = randomBytes(64)
    const target = requestTarget(await upload.url())
    const head = `PUT ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 64\r\n\r\n`
    const socket = connect({ port: disk.port, host: '127.0.0.1', noDelay: true })
    for (const byte of Buffer.concat([Buffer.from(head), bytes])) {
      await new Promise((resolve) => socket.write(Buffer.of(byte), resolve))
    }
    const [response] = await once(socket, 'data')
    expect(String(response)).toMatch(/^HTTP\/1\.1 200 /)
    expect((await upload.stored()).equals(bytes)).toBe(true)
  })

  it('receive a complete download despite backpressure', async () => {
    const bytes = randomBytes(12 * MiB)
    const client = request(await store(bytes), { agent: false })
    client.end()
    const [response] = (await once(client, 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of response) {
      chunks.push(chunk)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true)
    await expectIdle(disk)
  })

  it('delay no other download, and receive their own bytes', async () => {
    const bytes = randomBytes(24 * MiB)
    const url = await store(bytes)
    // There are more downloads than the sender has chunks, and each stalls at a different chunk.
    const slowDownloads = await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const start = (index * MiB) / 4 + index
        const client = request(url, { agent: false, headers: { Range: `bytes=${start}-` } })
        client.end()
        const [response] = (await once(client, 'response')) as [IncomingMessage]
        return { start, response }
      }),
    )
    const otherBytes = randomBytes(3 * MiB)
    const { body } = await send(await store(otherBytes))
    expect(body.equals(otherBytes)).toBe(true)
    for (const [index, { start, response }] of slowDownloads.entries()) {
      if (index % 15 === 0) {
        const receivedBytes = Buffer.concat(await response.toArray())
        expect(receivedBytes.equals(bytes.subarray(start))).toBe(true)
      } else response.destroy()
    }
    await expectIdle(disk)
  })
})
