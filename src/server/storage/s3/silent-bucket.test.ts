import { once } from 'node:events'
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hangTimeoutMs } from '../../../../tests/support/hang-timeout.ts'
import { newStorageKey } from '../storage-key.ts'
import type { S3Timeouts } from './client.ts'
import { openS3Storage, type S3Storage } from './s3.ts'

const shortTimeout = { attemptMs: 40, totalMs: 60 }
/** Timeouts so long that only a request without a response exceeds them. */
const longTimeout = { attemptMs: hangTimeoutMs, totalMs: hangTimeoutMs }
const shortTimeouts: S3Timeouts = {
  interactive: shortTimeout,
  complete: shortTimeout,
  background: shortTimeout,
}

function clock() {
  return new Date()
}

function openAt(server: Server, timeouts: S3Timeouts): S3Storage {
  const { port } = server.address() as AddressInfo
  return openS3Storage({
    settings: {
      bucket: 'files',
      region: 'us-east-1',
      endpoint: new URL(`http://127.0.0.1:${port}`),
      publicEndpoint: null,
      credentials: { accessKeyId: 'somebody', secretAccessKey: 'x' },
      forcePathStyle: true,
    },
    clock,
    timeouts,
  })
}

async function listen<S extends Server>(server: S): Promise<S> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const key = newStorageKey()
const grant = { key, size: 5, mimeType: 'text/plain', expiresAt: new Date(Date.now() + 3_600_000) }

/** All operations in which a client or a job waits for the bucket. */
const operations: [string, (storage: S3Storage) => Promise<unknown>][] = [
  ['starting an upload', (storage) => storage.signUpload(grant)],
  ['signing part URLs', (storage) => storage.signParts([{ ...grant, partNumber: 1, offset: 0 }])],
  ['listing parts', (storage) => storage.listParts(key)],
  ['getting the stored size', (storage) => storage.storedSize(key)],
  ['sealing', (storage) => storage.seal(key, 5)],
  ['reading the bytes', (storage) => storage.read(key)],
  ['computing the checksums', (storage) => storage.digest(key)],
  ['removing an object', (storage) => storage.remove(key)],
  ['listing all objects', (storage) => storage.list()[Symbol.asyncIterator]().next()],
  ['reading the installation', (storage) => storage.installation()],
  ['claiming the bucket', (storage) => storage.claim('us')],
  ['checking the bucket', (storage) => storage.check()],
  ['reading the time', async (storage) => storage.clockDifferenceMs?.()],
]

describe('a bucket that accepts connections but never responds', () => {
  const sockets = new Set<Socket>()
  let server: Server
  let storage: S3Storage
  beforeAll(async () => {
    server = await listen(
      createServer((socket) => {
        sockets.add(socket)
        // Read and discard everything, or Node won't notice that the client has disconnected.
        socket.on('error', () => {}).resume()
      }),
    )
    storage = openAt(server, shortTimeouts)
  })
  afterAll(async () => {
    await storage.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  it.each(operations)('causes a timeout: %s', async (_, operation) => {
    const thrown = await operation(storage).catch((error: unknown) => error)
    expect(thrown).toMatchObject({ code: 'UNAVAILABLE', headers: { 'retry-after': '5' } })
  })

  it('times out per attempt first, so that another connection can succeed', async () => {
    const retryingStorage = openAt(server, {
      ...shortTimeouts,
      interactive: { attemptMs: 20, totalMs: hangTimeoutMs },
    })
    const countBefore = sockets.size
    await expect(retryingStorage.storedSize(key)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await expect.poll(() => sockets.size).toBeGreaterThan(countBefore + 1)
    await retryingStorage.close()
  })
})

describe('a bucket that stalls', () => {
  let server: HttpServer
  let storage: S3Storage
  afterEach(async () => {
    await storage.close()
    server.closeAllConnections()
    server.close()
  })

  it('in the middle of a list causes a timeout', async () => {
    server = await listen(
      createHttpServer((_, response) => {
        response.writeHead(200, { 'content-type': 'application/xml' })
        response.write('<?xml version="1.0"?><ListMultipartUploadsResult>')
      }),
    )
    storage = openAt(server, {
      ...shortTimeouts,
      interactive: { attemptMs: hangTimeoutMs, totalMs: 60 },
    })
    await expect(storage.listParts(key)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('while completing a multipart upload has its own timeout', async () => {
    const uploadsXml = `<Upload><Key>files/${key}</Key><UploadId>u</UploadId><Initiated>2026-01-01T00:00:00Z</Initiated></Upload>`
    const partsXml = '<Part><PartNumber>1</PartNumber><ETag>e</ETag><Size>5</Size></Part>'
    let isCompleting = false
    server = await listen(
      createHttpServer((request, response) => {
        const { method, url = '' } = request
        if (method === 'POST') isCompleting = true
        if (method === 'HEAD') return void response.writeHead(404).end()
        if (method !== 'GET') return
        const resultXml = url.includes('uploadId=')
          ? `<ListPartsResult>${partsXml}</ListPartsResult>`
          : `<ListMultipartUploadsResult>${uploadsXml}</ListMultipartUploadsResult>`
        response.end(`<?xml version="1.0"?>${resultXml}`)
      }),
    )
    storage = openAt(server, {
      interactive: longTimeout,
      background: longTimeout,
      // Long enough for the request to arrive even if the machine is busy.
      complete: { attemptMs: 500, totalMs: 500 },
    })
    await expect(storage.seal(key, 5)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(isCompleting).toBe(true)
  })
})
