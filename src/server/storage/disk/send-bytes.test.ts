import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type FileHandle, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { untilClosed } from '../../../../tests/support/send.ts'
import { PiecePool } from './piece-pool.ts'
import { sendBytes, sendKept } from './send-bytes.ts'
import { transferLimits } from './transfer-limits.ts'

const { burstPieces, bursts, keptPieceBytes, pieceBytes } = transferLimits

/** A pool of buffers that records which buffers are borrowed. */
class CountingPool extends PiecePool {
  readonly out = new Set<Buffer>()

  override async borrow(count: number): Promise<Buffer[]> {
    const pieces = await super.borrow(count)
    for (const piece of pieces) this.out.add(piece)
    return pieces
  }

  override take(piece: Buffer): void {
    this.out.delete(piece)
    super.take(piece)
  }
}

const size = 64 * pieceBytes + 7
const bytes = randomBytes(size)

let folder: string
let file: FileHandle
let server: Server
let pool: CountingPool
/** How many bytes `sendBytes` or `sendKept` has reported as sent. */
let sent = 0
function onSent(count: number): void {
  sent += count
}
/** How the server answers a request. */
let answer: (response: ServerResponse) => Promise<void>
/** Resolves when the last answer has ended. Rejects when `sendBytes` rejects. */
let answered: Promise<void>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-bytes-'))
  await writeFile(join(folder, 'file'), bytes)
  file = await open(join(folder, 'file'))
  server = createServer((_, response) => {
    answered = answer(response)
    answered.catch(() => response.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
  await file.close()
  await rm(folder, { recursive: true })
})
let sockets: Socket[]
beforeEach(() => {
  pool = new CountingPool()
  sent = 0
  sockets = []
})
afterEach(() => {
  for (const socket of sockets) socket.destroy()
})

/**
 * Makes the server answer with the bytes of the file from `start` up to, but not including, `end`.
 */
function serve(start: number, end: number, from = file): void {
  answer = async (response) => {
    response.writeHead(200, { 'Content-Length': end - start, Connection: 'close' })
    await sendBytes(from, { start, end: end - 1 }, response, {
      pool,
      onSent,
    })
    response.end()
  }
}

/** Sends a request. Does not read the answer yet. */
async function ask(): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(server, 'request')
  return socket
}

/** Reads an answer to its end. Returns its body. */
async function bodyOf(socket: Socket): Promise<Buffer> {
  const whole = await buffer(socket)
  return whole.subarray(whole.indexOf('\r\n\r\n') + 4)
}

it.each([
  ['nothing', 0, 0],
  ['one byte', 5, 6],
  ['the last byte', size - 1, size],
  ['exactly one piece', 0, pieceBytes],
  ['one byte more than a piece', 3, pieceBytes + 4],
  ['more than is read at once', 1, 1 + (burstPieces + 1) * pieceBytes],
  ['all', 0, size],
])('sends %s, and gives its memory back', async (_, start, end) => {
  serve(start, end)
  expect((await bodyOf(await ask())).equals(bytes.subarray(start, end))).toBe(true)
  expect(sent).toBe(end - start)
  await answered
  expect(pool.out.size).toBe(0)
})

it('keeps one piece of memory while its client reads nothing, and sends all once it reads on', async () => {
  serve(0, size)
  const socket = await ask()
  await expect.poll(() => pool.out.size).toBe(1)
  // While this answer waits for its client, as many others as allowed can borrow in parallel.
  const others = await Promise.all(Array.from({ length: bursts }, () => pool.borrow(1)))
  for (const pieces of others) pool.giveBack(pieces)
  expect((await bodyOf(socket)).equals(bytes)).toBe(true)
  await answered
  expect(pool.out.size).toBe(0)
})

it('ends when its client leaves, and others may read as before', async () => {
  serve(0, size)
  const socket = await ask()
  await expect.poll(() => pool.out.size).toBe(1)
  socket.resetAndDestroy()
  await untilClosed(socket)
  await answered
  // The operating system may still read the buffer that was being sent. So the pool lends it to
  // nobody.
  const [waiting] = pool.out
  const borrowed = await Promise.all(Array.from({ length: bursts }, () => pool.borrow(burstPieces)))
  expect(borrowed.flat()).not.toContain(waiting)
})

it('reads nothing for a client that has left', async () => {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>()
  answer = async (response) => {
    response.req.socket.once('close', leave)
    await left
    await sendBytes(file, { start: 0, end: size - 1 }, response, {
      pool,
      onSent,
    })
  }
  const socket = await ask()
  socket.destroy()
  await left
  await answered
  expect(pool.out.size).toBe(0)
})

it('a file that is shorter than was said is told, and no memory is lost', async () => {
  serve(0, size + 1)
  const body = await bodyOf(await ask())
  await expect(answered).rejects.toThrow(`the file ends at ${size}, before ${size + 1}`)
  expect(body.length).toBeLessThanOrEqual(size)
  expect(pool.out.size).toBe(0)
})

describe('bytes in memory', () => {
  const serveKept = (start: number, end: number, from = bytes): void => {
    answer = async (response) => {
      response.writeHead(200, { 'Content-Length': end - start, Connection: 'close' })
      await sendKept(from, { start, end: end - 1 }, response, onSent)
    }
  }

  it.each([
    ['nothing', 0, 0],
    ['one byte', 5, 6],
    ['exactly one piece', 0, keptPieceBytes],
    ['one byte more than a piece', 3, keptPieceBytes + 4],
    ['all', 0, size],
  ])('are sent and counted: %s', async (_, start, end) => {
    serveKept(start, end)
    expect((await bodyOf(await ask())).equals(bytes.subarray(start, end))).toBe(true)
    await answered
    expect(sent).toBe(end - start)
  })

  it('are counted as far as they went when the client leaves in the middle', async () => {
    // The kernel takes some megabytes for a client that reads nothing.
    const many = Buffer.alloc(16 * size)
    serveKept(0, many.length, many)
    const socket = await ask()
    await once(socket, 'readable')
    socket.resetAndDestroy()
    await answered
    expect(sent).toBeGreaterThan(0)
    expect(sent).toBeLessThan(many.length)
  })
})
