import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { StalledClients } from './stalled-clients.ts'

const MiB = 1024 ** 2
const post = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n'
const longPost = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n'

let server: Server
const clients: Socket[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy()
  server.closeAllConnections()
  server.close()
})

/**
 * Serves one request with `answer`. The returned `lookOn` checks `looks` times for stalled clients,
 * and calls `move` after each check. It returns whether the client was cut off. `lookUntilCut`
 * checks until the client is cut off. It returns how many checks in a row, up to the last one,
 * found as many bytes left as the check before. If the client is not cut off in time, it stops
 * after more such checks than the server's patience.
 */
async function serve(
  text: string,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
) {
  const responses = new Set<ServerResponse>()
  const stalled = new StalledClients(responses)
  server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  clients.push(client)
  client.pause().on('error', () => undefined)
  const [request, response] = await new Promise<[IncomingMessage, ServerResponse]>((resolve) => {
    server.on('request', (...pair) => resolve(pair))
    client.write(text)
  })
  responses.add(response)
  answer(request, response)
  const lookOn = async (looks: number, move: (look: number) => unknown = () => undefined) => {
    for (let look = 0; look < looks; look += 1) {
      stalled.look()
      if (request.socket.destroyed) break
      await move(look)
      await new Promise(setImmediate)
    }
    return request.socket.destroyed ? 'cut' : 'kept'
  }
  const lookUntilCut = async (move: () => unknown = () => undefined) => {
    let still = 0
    let before = -1
    while (!request.socket.destroyed && still <= patience) {
      const left = bytesLeft(response)
      still = left === before ? still + 1 : 0
      before = left
      stalled.look()
      await move()
      await new Promise(setImmediate)
    }
    return still
  }
  return { client, request, response, lookOn, lookUntilCut }
}

const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
function much(_: IncomingMessage, response: ServerResponse) {
  void response.end(Buffer.alloc(64 * MiB))
}
const { patience, least } = StalledClients

/** Serves a client that sends `bytes` of its body after each check in which it calls `sendSome`. */
async function sendOnAndOn(bytes: number) {
  const served = await serve(longPost, (incoming) => void incoming.resume())
  const sendSome = () => {
    const arrived = new Promise((resolve) => served.request.once('data', resolve))
    served.client.write(Buffer.alloc(bytes))
    return arrived
  }
  return { ...served, sendSome }
}

/** Returns how many bytes of the answer the kernel has not taken yet. */
function bytesLeft({ socket }: ServerResponse): number {
  return Reflect.get(socket ?? {}, '_handle')?.writeQueueSize ?? 0
}

it('cuts who reads nothing, and not before its time', async () => {
  const { lookUntilCut } = await serve(get, much)
  expect(await lookUntilCut()).toBe(patience)
})

it('is not deceived by bytes that arrive meanwhile', async () => {
  const { client, lookUntilCut } = await serve(post, (incoming, response) => {
    incoming.resume()
    much(incoming, response)
  })
  expect(await lookUntilCut(() => client.write('x'))).toBe(patience)
})

it('leaves a reader who rests and goes on', async () => {
  const { client, lookOn } = await serve(get, much)
  let read = 0
  const readSome = async (look: number) => {
    // The client pauses for a long time, and then reads some MiB. The kernel does not report
    // smaller reads to the server.
    if (look % (patience / 2) > 0) return
    for (const goal = read + 8 * MiB; read < goal; ) {
      const chunk: Buffer | null = client.read()
      if (chunk) read += chunk.length
      else await new Promise((resolve) => client.once('readable', resolve))
    }
  }
  expect(await lookOn(3 * patience, readSome)).toBe('kept')
})

it('cuts who sends a byte now and then, as if it were slow', async () => {
  const { lookOn, sendSome } = await sendOnAndOn(1)
  expect(await lookOn(least.checks, sendSome)).toBe('kept')
  expect(await lookOn(1, sendSome)).toBe('cut')
})

it('leaves who sends just enough, for any time', async () => {
  const { lookOn, sendSome } = await sendOnAndOn(Math.ceil(least.bytes / least.checks))
  expect(await lookOn(3 * least.checks, sendSome)).toBe('kept')
})

it('counts no time in which the server does not read, and forgets none in which it does', async () => {
  const { request, lookOn, sendSome } = await sendOnAndOn(1)
  await lookOn(least.checks - 1, sendSome)
  // A full buffer: the server does not read for a while.
  const full = vi.spyOn(request, 'readableLength', 'get').mockReturnValue(MiB)
  expect(await lookOn(2 * least.checks)).toBe('kept')
  full.mockRestore()
  expect(await lookOn(1, sendSome)).toBe('kept')
  expect(await lookOn(1, sendSome)).toBe('cut')
})

it('cuts who reads a little now and then', async () => {
  const { response, lookOn } = await serve(get, much)
  const taken = () => Reflect.get(response.socket ?? {}, '_handle') as { bytesWritten: number }
  let read = taken().bytesWritten
  // The kernel takes far more at once than a client reads here. So the test says what it took.
  const readSome = () => {
    read += 100
    Object.defineProperty(taken(), 'bytesWritten', { configurable: true, value: read })
  }
  expect(await lookOn(least.checks, readSome)).toBe('kept')
  expect(await lookOn(1, readSome)).toBe('cut')
})

it('cuts who sends nothing of the body that was announced', async () => {
  const { request, lookOn } = await serve(post, (incoming) => void incoming.resume())
  expect(request.complete).toBe(false)
  expect(await lookOn(patience + 1)).toBe('cut')
})

it('leaves a sender who moves', async () => {
  const { client, request, lookOn } = await serve(post, (incoming) => void incoming.resume())
  const sendSome = (look: number) => {
    if (look % (patience / 2) > 0) return
    const arrived = new Promise((resolve) => request.once('data', resolve))
    client.write('x')
    return arrived
  }
  expect(await lookOn(3 * patience, sendSome)).toBe('kept')
})

it('leaves who waits for the server: the body is there, or the server has not room for it', async () => {
  const whole = await serve(get, () => undefined)
  expect(await whole.lookOn(2 * patience)).toBe('kept')
  server.close()

  const unread = await serve(post, () => undefined)
  unread.client.write(Buffer.alloc(99_999))
  const { request } = unread
  while (request.readableLength < request.readableHighWaterMark) {
    await new Promise(setImmediate)
  }
  expect(await unread.lookOn(2 * patience)).toBe('kept')
})
