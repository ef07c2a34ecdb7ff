import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type BareServer, serveBare } from '../../../tests/support/bare-server.ts'
import { privateNetworks } from './client-address.ts'
import { resetSocket, StalledClients } from './limits.ts'

const MiB = 1024 ** 2
const postRequest = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n'
const longPost = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n'

let server: Server
const clients: Socket[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy()
  server?.closeAllConnections()
  server?.close()
})

/**
 * Serves one request with `handler`. The returned `check` runs the given number of checks for
 * stalled clients and calls `onCheck` after each. It returns 'cut' if the connection was reset.
 */
async function serve(
  text: string,
  handler: (request: IncomingMessage, response: ServerResponse) => void,
) {
  const responses = new Set<ServerResponse>()
  const stalledClients = new StalledClients(responses)
  server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  clients.push(client)
  client.pause().on('error', () => undefined)
  const [request, response] = await new Promise<[IncomingMessage, ServerResponse]>((resolve) => {
    server.on('request', (...requestAndResponse) => resolve(requestAndResponse))
    client.write(text)
  })
  responses.add(response)
  handler(request, response)
  const check = async (
    checkCount: number,
    onCheck: (check: number) => unknown = () => undefined,
  ) => {
    for (let n = 0; n < checkCount && !request.socket.destroyed; n += 1) {
      stalledClients.check()
      if (request.socket.destroyed) break
      await onCheck(n)
      await new Promise(setImmediate)
    }
    return request.socket.destroyed ? 'cut' : 'kept'
  }
  return { client, request, response, check }
}

const getRequest = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
function sendLargeBody(_: IncomingMessage, response: ServerResponse) {
  void response.end(Buffer.alloc(64 * MiB))
}
const { checks, bytes: minBytes } = StalledClients.minProgress

/** Serves a client that sends `bytes` bytes of its body with each call to `sendBytes`. */
async function serveSteadyUpload(bytes: number) {
  const connection = await serve(longPost, (incoming) => void incoming.resume())
  const sendBytes = () => {
    const dataPromise = new Promise((resolve) => connection.request.once('data', resolve))
    connection.client.write(Buffer.alloc(bytes))
    return dataPromise
  }
  return { ...connection, sendBytes }
}

describe('a stalled client', () => {
  it('is reset if it reads nothing, but not too early', async () => {
    const { check } = await serve(getRequest, sendLargeBody)
    expect(await check(checks)).toBe('kept')
    // Bytes that only fill the kernel's buffer may at first count as read, so this takes more
    // checks.
    expect(await check(2 * checks + 1)).toBe('cut')
  })

  it('is reset if it reads nothing, even while it sends', async () => {
    const { client, check } = await serve(postRequest, (incoming, response) => {
      incoming.resume()
      sendLargeBody(incoming, response)
    })
    expect(await check(3 * checks + 1, () => client.write('x'))).toBe('cut')
  })

  it('is reset if it sends nothing, or a byte now and then', async () => {
    const silentClient = await serve(postRequest, (incoming) => void incoming.resume())
    expect(await silentClient.check(checks)).toBe('kept')
    expect(await silentClient.check(1)).toBe('cut')
    server.close()
    const { check, sendBytes } = await serveSteadyUpload(1)
    expect(await check(checks + 1, sendBytes)).toBe('cut')
  })
})

describe('a client is not reset', () => {
  it('if it sends just fast enough', async () => {
    const { check, sendBytes } = await serveSteadyUpload(Math.ceil(minBytes / checks))
    expect(await check(10 * checks, sendBytes)).toBe('kept')
  })

  it('if it pauses and then continues', async () => {
    const { client, check } = await serve(getRequest, sendLargeBody)
    let bytesRead = 0
    const readBytes = async (n: number) => {
      // Reads rarely, but a lot at a time: the client's kernel announces free buffer space to the
      // server only after larger reads.
      if (n % (checks / 2) > 0) return
      for (const target = bytesRead + 8 * MiB; bytesRead < target; ) {
        const chunk: Buffer | null = client.read()
        if (chunk) bytesRead += chunk.length
        else await new Promise((resolve) => client.once('readable', resolve))
      }
    }
    expect(await check(3 * checks, readBytes)).toBe('kept')
  })

  it('while it waits for the server', async () => {
    const waitingClient = await serve(getRequest, () => undefined)
    expect(await waitingClient.check(2 * checks)).toBe('kept')
    server.close()
    const connection = await serve(postRequest, () => undefined)
    connection.client.write(Buffer.alloc(99_999))
    const { request } = connection
    while (request.readableLength < request.readableHighWaterMark) {
      await new Promise(setImmediate)
    }
    expect(await connection.check(2 * checks)).toBe('kept')
  })
})

describe('the connection limit', () => {
  let bareServer: BareServer
  const openSockets: Socket[] = []
  afterEach(async () => {
    for (const socket of openSockets.splice(0)) socket.destroy()
    await bareServer.close()
  })

  const serveWithConnectionLimit = (options: Parameters<typeof serveBare>[2] = {}) => {
    const limits = { connections: { total: 4, guaranteed: 2 } }
    return serveBare((app) => app.get('/health', (c) => c.text('ok')), limits, options)
  }

  /** Sends a request on a new connection and leaves it open. Returns true if it was answered. */
  async function sendRequest(localAddress: string): Promise<boolean> {
    const { hostname: host, port } = new URL(bareServer.url)
    const socket = connect({ host, port: Number(port), localAddress })
    socket.on('error', () => {})
    openSockets.push(socket)
    socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
    return new Promise((resolve) => {
      socket.once('data', () => resolve(true)).once('close', () => resolve(false))
    })
  }

  it('keeps one address from using all connections', async () => {
    const logEntries: unknown[] = []
    bareServer = await serveWithConnectionLimit({
      log: { warn: (details: unknown) => void logEntries.push(details) },
    })
    const acceptances = await Promise.all(
      Array.from({ length: 20 }, () => sendRequest('127.0.0.1')),
    )
    expect(acceptances.filter(Boolean)).toHaveLength(2)
    expect(await sendRequest('127.0.0.2')).toBe(true)
    expect(logEntries).toEqual([{ open: 2 }])
    for (const socket of openSockets.splice(0)) socket.destroy()
    await expect.poll(() => bareServer.connections()).toBe(0)
    expect(await sendRequest('127.0.0.1')).toBe(true)
  })

  it('applies in total but not per address behind a trusted proxy', async () => {
    bareServer = await serveWithConnectionLimit({ trustedProxies: privateNetworks })
    for (let n = 0; n < 4; n += 1) expect(await sendRequest('127.0.0.1')).toBe(true)
    expect(await sendRequest('127.0.0.1')).toBe(false)
  })
})

describe('resetSocket frees the handle of a connection that', () => {
  /**
   * More than the buffers at both ends can hold, so some of it remains unsent if the client reads
   * nothing.
   */
  const bytes = Buffer.alloc(32 * MiB)

  it.each<[string, (socket: Socket) => unknown]>([
    ['is sending', (socket) => socket.write(bytes)],
    ['is closing with unsent data', (socket) => socket.end(bytes)],
    ['is idle', () => {}],
    ['sent an unacknowledged FIN', (socket) => socket.end()],
  ])('%s', async (_, prepareSocket) => {
    server = createServer()
    const connectionPromise = once(server, 'connection')
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    clients.push(client)
    client.on('error', () => {})
    const [socket] = (await connectionPromise) as [Socket]
    socket.on('error', () => {})
    prepareSocket(socket)
    const closePromise = once(socket, 'close')
    resetSocket(socket)
    await closePromise
    await expect
      .poll(() => new Promise((resolve) => server.getConnections((_e, count) => resolve(count))))
      .toBe(0)
  })
})
