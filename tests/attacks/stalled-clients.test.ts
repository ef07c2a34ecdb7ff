import { connect } from 'node:net'
import type { Context } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HttpEnv } from '../../src/server/http/env.ts'
import { type BareServer, serveBare } from '../support/bare-server.ts'
import { openDiskServer } from '../support/disk-server.ts'
import { singleUpload } from '../support/disk-uploads.ts'
import { send, waitForClose } from '../support/send.ts'
import { getRequest, sendWithoutReading } from '../support/unread-sockets.ts'

const MiB = 1024 ** 2
const stalledMs = 300
const bodyMs = 200
const headersMs = 200

/** Requests to `/wait` block on this promise, as they would on a database that doesn't respond. */
const unblocked = Promise.withResolvers<void>()
let server: BareServer
beforeAll(async () => {
  const streamBody = (c: Context<HttpEnv>, body: BodyInit) => c.newResponse(new Response(body).body)
  server = await serveBare(
    (app) => {
      app.get('/bytes', (c) => c.body(new Uint8Array(16 * MiB)))
      app.get('/text', (c) => c.text('x'.repeat(16 * MiB)))
      app.get('/stream', (c) => streamBody(c, new Blob([new Uint8Array(16 * MiB)])))
      app.get('/health', (c) => c.text('ok'))
      app.post('/read', async (c) => c.text(await c.req.text()))
      app.post('/wait', async (c) => {
        await unblocked.promise
        return c.text(await c.req.text())
      })
    },
    { stalledMs, bodyMs, headersMs },
  )
})
afterAll(() => server.close())

/**
 * Asserts that the server has closed all of the attack's connections and still serves other
 * clients.
 */
async function expectClosedAndServing() {
  await expect.poll(() => server.connections()).toBe(0)
  expect((await send(`${server.url}/health`)).status).toBe(200)
}

describe('a stalled client', () => {
  it.each(['/bytes', '/text', '/stream'])(
    "is cut if it doesn't read the response to %s",
    async (path) => {
      const text = getRequest(`${server.url}${path}`)
      await sendWithoutReading(server.url, () => text, 10)
      await expectClosedAndServing()
    },
  )

  it('is reset even if it sends another request', async () => {
    const text = getRequest(`${server.url}/bytes`)
    const requestText = 'POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n'
    const sockets = await sendWithoutReading(server.url, () => text + requestText, 5)
    const sendTimer = setInterval(() => sockets.send('x'), stalledMs / 10)
    await expectClosedAndServing()
    clearInterval(sendTimer)
  })

  it('is reset during a download or upload, and its files are closed', async () => {
    const disk = await openDiskServer(undefined, undefined, { stalledMs })
    const upload = singleUpload(disk, 16 * MiB)
    await upload.put(Buffer.alloc(16 * MiB))
    await upload.seal()
    const url = await disk.downloadUrl(disk.downloadGrant(upload.key, 16 * MiB))
    await sendWithoutReading(url, () => getRequest(url), 10)

    const pendingUpload = singleUpload(disk, MiB)
    const { client, outcome, write } = await pendingUpload.open({ 'Content-Length': MiB })
    await write(Buffer.alloc(1000))
    await waitForClose(client)
    expect(await outcome).toBe('cut')
    await disk.storage.transfers.waitForIdle()
    expect(await disk.openFiles()).toEqual([])
    expect(await disk.storage.storedSize(pendingUpload.key)).toBe(1000)
    await disk.close()
  })
})

/**
 * Sends a raw request, then `tricklingByte` at intervals. Returns the response once the connection
 * closes.
 */
async function exchange(text: string, tricklingByte = ''): Promise<string> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  let response = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    response += chunk
  })
  socket.on('error', () => undefined)
  socket.write(text)
  const sendTimer = setInterval(() => socket.write(tricklingByte), headersMs / 10)
  await waitForClose(socket)
  clearInterval(sendTimer)
  return response
}

describe('headers that are too long or incomplete', () => {
  it('are rejected', async () => {
    const longHeader = `GET /health HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`
    expect(await exchange(longHeader)).toMatch(/^HTTP\/1\.1 431 /)
    const endlessHeader = 'GET /health HTTP/1.1\r\nHost: x\r\nX: '
    expect(await exchange(endlessHeader)).toMatch(/^HTTP\/1\.1 408 /)
    expect(await exchange(endlessHeader, 'x')).toMatch(/^HTTP\/1\.1 408 /)
    await expectClosedAndServing()
  })
})

describe('the request timeout', () => {
  const makeRequestText = (path: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`

  it('resets an incomplete request, but not one that waits for the database', async () => {
    const waitingPromise = exchange(`${makeRequestText('/wait', 4)}here`)
    const emptyBodyPromise = exchange(makeRequestText('/wait', 0))
    // These two requests time out one after the other, so that the requests above have been pending
    // for longer than the timeout.
    expect(await exchange(`${makeRequestText('/read', 4)}not`)).toBe('')
    expect(await exchange(`${makeRequestText('/read', 4)}not`)).toBe('')
    unblocked.resolve()
    expect(await waitingPromise).toMatch(/^HTTP\/1\.1 200 [\s\S]*here$/)
    expect(await emptyBodyPromise).toMatch(/^HTTP\/1\.1 200 /)
  })
})
