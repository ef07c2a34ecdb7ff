import { once } from 'node:events'
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hangTimeoutMs } from '../../../../tests/support/hang.ts'
import { StoreTimeout } from '../storage.ts'
import { newStorageKey } from '../storage-key.ts'
import type { S3Waits } from './client.ts'
import { openS3Storage, type S3Storage } from './s3.ts'

const short = { tryMs: 40, allMs: 60 }
/** Timeouts that only a hang exceeds. */
const long = { tryMs: hangTimeoutMs, allMs: hangTimeoutMs }
const allShort: S3Waits = { prompt: short, complete: short, patient: short }

function clock() {
  return new Date()
}

function openAt(server: Server, waits: S3Waits): S3Storage {
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
    waits,
  })
}

async function listening<S extends Server>(server: S): Promise<S> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const key = newStorageKey()
const grant = { key, size: 5, mimeType: 'text/plain', until: new Date(Date.now() + 3_600_000) }

/** All requests to a bucket that a client or a job waits for. */
const asking: [string, (storage: S3Storage) => Promise<unknown>][] = [
  ['starting an upload', (storage) => storage.signUpload(grant)],
  ['signing part URLs', (storage) => storage.signParts([{ ...grant, partNumber: 1, offset: 0 }])],
  ['listing parts', (storage) => storage.listParts(key)],
  ['getting the stored size', (storage) => storage.storedSize(key)],
  ['sealing', (storage) => storage.seal(key, 5)],
  ['reading the bytes', (storage) => storage.read(key)],
  ['computing the SHA-256', (storage) => storage.sha256(key)],
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
    server = await listening(
      createServer((socket) => {
        sockets.add(socket)
        // Without this, Node wouldn't notice that the client has disconnected.
        socket.on('error', () => {}).resume()
      }),
    )
    storage = openAt(server, allShort)
  })
  afterAll(async () => {
    await storage.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  it.each(asking)('causes a timeout: %s', async (_, ask) => {
    const thrown = await ask(storage).catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(StoreTimeout)
    expect(thrown).toMatchObject({ code: 'UNAVAILABLE', headers: { 'retry-after': '5' } })
  })

  it('times out per attempt first, so that another connection can succeed', async () => {
    const tries = openAt(server, { ...allShort, prompt: { tryMs: 20, allMs: hangTimeoutMs } })
    const before = sockets.size
    await expect(tries.storedSize(key)).rejects.toBeInstanceOf(StoreTimeout)
    await expect.poll(() => sockets.size).toBeGreaterThan(before + 1)
    await tries.close()
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
    server = await listening(
      createHttpServer((_, response) => {
        response.writeHead(200, { 'content-type': 'application/xml' })
        response.write('<?xml version="1.0"?><ListMultipartUploadsResult>')
      }),
    )
    storage = openAt(server, { ...allShort, prompt: { tryMs: hangTimeoutMs, allMs: 60 } })
    await expect(storage.listParts(key)).rejects.toBeInstanceOf(StoreTimeout)
  })

  it('while completing a multipart upload has its own timeout', async () => {
    const uploads = `<Upload><Key>files/${key}</Key><UploadId>u</UploadId><Initiated>2026-01-01T00:00:00Z</Initiated></Upload>`
    const parts = '<Part><PartNumber>1</PartNumber><ETag>e</ETag><Size>5</Size></Part>'
    let completing = false
    server = await listening(
      createHttpServer((request, response) => {
        const { method, url = '' } = request
        if (method === 'POST') completing = true
        if (method === 'HEAD') return void response.writeHead(404).end()
        if (method !== 'GET') return
        const result = url.includes('uploadId=')
          ? `<ListPartsResult>${parts}</ListPartsResult>`
          : `<ListMultipartUploadsResult>${uploads}</ListMultipartUploadsResult>`
        response.end(`<?xml version="1.0"?>${result}`)
      }),
    )
    storage = openAt(server, { prompt: long, patient: long, complete: short })
    await expect(storage.seal(key, 5)).rejects.toBeInstanceOf(StoreTimeout)
    expect(completing).toBe(true)
  })
})
