import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { resetSocket } from './reset-socket.ts'

/** More than the buffers of both ends take, so a client that reads nothing leaves some unsent. */
const bytes = Buffer.alloc(32 * 1024 * 1024)

let server: ReturnType<typeof createServer>
let client: Socket
let socket: Socket

beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => {})
  ;[socket] = (await once(server, 'connection')) as [Socket]
  socket.on('error', () => {})
})
afterEach(() => {
  client.destroy()
  server.close()
})

it.each([
  ['writes', () => socket.write(bytes)],
  ['is being ended', () => socket.end(bytes)],
  ['has nothing to say', () => {}],
  ['has ended, which nobody acknowledged', () => socket.end()],
])('gives the handle back of a connection that %s', async (_, begin) => {
  begin()
  const closed = once(socket, 'close')
  resetSocket(socket)
  await closed
  await expect
    .poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count))))
    .toBe(0)
})
