import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { send, waitForClose } from '../../../tests/support/send.ts'
import { AppError } from '../errors.ts'
import { sendEarlyError } from './early-response.ts'

const MiB = 1024 * 1024
const unavailableError = new AppError('UNAVAILABLE', { headers: { 'retry-after': '7' } })

let handler: (request: IncomingMessage, response: ServerResponse) => Promise<void>
/** Resolves once the error response to the latest request has been sent. */
let errorPromise: Promise<void>
let server: Server
let url: string
beforeAll(async () => {
  server = createServer((request, response) => {
    errorPromise = handler(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(resolve))
})
beforeEach(() => {
  handler = (request, response) => sendEarlyError(request, response, unavailableError)
})

/**
 * Sends raw text over a new connection. Returns the connection and a function that returns the data
 * received so far.
 */
function openConnection(text: string): { socket: Socket; received: () => string } {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  let receivedText = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    receivedText += chunk
  })
  socket.on('error', () => undefined)
  socket.write(text)
  return { socket, received: () => receivedText }
}

it('sends status, code, message and headers, and disables caching', async () => {
  const { status, headers, body } = await send(url)
  expect(status).toBe(503)
  expect(JSON.parse(body.toString())).toEqual(unavailableError.body)
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'content-length': String(body.length),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'retry-after': '7',
  })
})

it('sends a Content-Length but no body for HEAD', async () => {
  const { status, headers, body } = await send(url, { method: 'HEAD' })
  expect(status).toBe(503)
  expect(body).toHaveLength(0)
  expect(Number(headers['content-length'])).toBeGreaterThan(0)
})

it('sends the error code in a header for HEAD', async () => {
  expect((await send(url, { method: 'HEAD' })).headers['x-error-code']).toBe('UNAVAILABLE')
  expect((await send(url)).headers['x-error-code']).toBeUndefined()
})

it('keeps the connection open after a complete request', async () => {
  const { socket, received } = openConnection('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await expect.poll(() => received().match(/HTTP\/1\.1 503/g)).toHaveLength(1)
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await expect.poll(() => received().match(/HTTP\/1\.1 503/g)).toHaveLength(2)
  expect(received()).not.toMatch(/connection: close/i)
  socket.destroy()
})

it.each([
  ['a Content-Length', 'Content-Length: 100000'],
  ['chunked encoding', 'Transfer-Encoding: chunked'],
])('closes the connection after a partial body with %s', async (_, header) => {
  const { socket, received } = openConnection(`PUT / HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`)
  // The client gets the response before it has sent the whole body, so it can stop sending.
  await expect.poll(received).toMatch(/^HTTP\/1\.1 503/)
  expect(received()).toMatch(/\r\nconnection: close\r\n/i)
  expect(socket.closed).toBe(false)
  socket.end()
  await waitForClose(socket)
  await errorPromise
})

it('reads the body to avoid a connection reset before the response', async () => {
  const body = Buffer.alloc(8 * MiB)
  const response = await send(url, { method: 'PUT', body })
  expect(response.status).toBe(503)
  await errorPromise
})

it('reads at most 16 MiB', async () => {
  let receivedBytes = 0
  handler = async (request, response) => {
    request.on('data', (chunk: Buffer) => {
      receivedBytes += chunk.length
    })
    await sendEarlyError(request, response, unavailableError)
  }
  const head = `PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: ${1000 * MiB}\r\n\r\n`
  const requestPromise = once(server, 'request')
  const { socket } = openConnection(head)
  await requestPromise
  const chunk = Buffer.alloc(MiB)
  const fillSocket = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', fillSocket)
  fillSocket()
  await errorPromise
  expect(receivedBytes).toBeGreaterThan(16 * MiB)
  expect(receivedBytes).toBeLessThan(17 * MiB)
  socket.destroy()
})

it('destroys the connection if another response has begun', async () => {
  handler = async (request, response) => {
    response.writeHead(200, { 'Content-Length': 10 })
    response.write('half')
    await sendEarlyError(request, response, unavailableError)
  }
  await expect(send(url)).rejects.toThrow()
})

it('ignores a client that has disconnected', async () => {
  const { promise: closePromise, resolve: onClose } = Promise.withResolvers<void>()
  handler = async (request, response) => {
    response.once('close', onClose)
    await closePromise
    await sendEarlyError(request, response, unavailableError)
    expect(response.headersSent).toBe(false)
  }
  const requestPromise = once(server, 'request')
  const { socket } = openConnection('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await requestPromise
  socket.destroy()
  await closePromise
  await errorPromise
})
