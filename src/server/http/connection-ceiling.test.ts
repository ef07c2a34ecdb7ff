import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { type BareServer, serveBare } from '../../../tests/support/bare-server.ts'
import { untilClosed } from '../../../tests/support/send.ts'
import { nearby } from './client-address.ts'

const connections = { total: 4, always: 2 }
const get = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n'

let server: BareServer
const open: Socket[] = []
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy()
  await server.close()
})

function serve(withinMs: number, options: Parameters<typeof serveBare>[2] = {}) {
  const limits = { connections, refused: { total: 3, always: 2, withinMs } }
  return serveBare((app) => app.get('/health', (c) => c.text('ok')), limits, options)
}

/** Opens a connection from an address of this machine. */
async function openFrom(localAddress: string): Promise<Socket> {
  const socket = beginFrom(localAddress)
  await once(socket, 'connect')
  return socket
}

/** Begins a connection, which the server may reset before this side has noticed that it stands. */
function beginFrom(localAddress: string): Socket {
  const { hostname: host, port } = new URL(server.url)
  const socket = connect({ host, port: Number(port), localAddress }).setEncoding('latin1')
  socket.on('error', () => {})
  open.push(socket)
  return socket
}

/** Sends a request on a new connection, which stays open. Returns the first text of the answer. */
async function askFrom(localAddress: string): Promise<string> {
  const socket = await openFrom(localAddress)
  socket.write(get)
  return (await once(socket, 'data')).join()
}

it('one address has its part, is told when to come again, and others are served', async () => {
  const told: unknown[] = []
  server = await serve(60_000, { log: { warn: (facts: unknown) => void told.push(facts) } })
  for (let n = 0; n < 2; n += 1) expect(await askFrom('127.0.0.1')).toMatch(/^HTTP\/1\.1 200 /)
  const refused = await openFrom('127.0.0.1')
  refused.write(get)
  const [answer] = await once(refused, 'data')
  expect(answer).toMatch(/^HTTP\/1\.1 503 /)
  expect(answer).toMatch(/^retry-after: 5\r$/im)
  expect(answer).toMatch(/^connection: close\r$/im)
  await untilClosed(refused)
  expect(await askFrom('127.0.0.2')).toMatch(/^HTTP\/1\.1 200 /)
  // The operator gets one line in the log for many refusals.
  expect(await askFrom('127.0.0.1')).toMatch(/^HTTP\/1\.1 503 /)
  expect(told).toEqual([{ open: 2 }])

  open[0]?.destroy()
  await expect.poll(() => server.connections()).toBe(2)
  expect(await askFrom('127.0.0.1')).toMatch(/^HTTP\/1\.1 200 /)
})

it('a refused connection that says nothing is closed', async () => {
  server = await serve(300)
  for (const address of ['127.0.0.1', '127.0.0.1', '127.0.0.2', '127.0.0.2']) await askFrom(address)
  await untilClosed(await openFrom('127.0.0.3'))
  // Those that were open before are served as ever.
  open[0]?.write(get)
  expect((await once(open[0] as Socket, 'data')).join()).toMatch(/^HTTP\/1\.1 200 /)
})

it('past those that wait to be refused, a connection is closed at once', async () => {
  server = await serve(60_000)
  for (const address of ['127.0.0.1', '127.0.0.1', '127.0.0.2', '127.0.0.2']) await askFrom(address)
  for (let n = 0; n < 2; n += 1) await openFrom('127.0.0.3')
  const dropped = beginFrom('127.0.0.3')
  await untilClosed(dropped)
  expect(dropped.bytesRead).toBe(0)
  // Another address is still told when to come again.
  expect(await askFrom('127.0.0.4')).toMatch(/^HTTP\/1\.1 503 /)
})

it('silent connections of one address, however many, take nothing from others', async () => {
  server = await serve(60_000)
  for (let n = 0; n < 20; n += 1) beginFrom('127.0.0.1')
  for (let n = 0; n < 2; n += 1) expect(await askFrom('127.0.0.3')).toMatch(/^HTTP\/1\.1 200 /)
  // The flood keeps the two connections that are its part, and two that wait to be refused.
  expect(await server.connections()).toBe(6)
})

it('a proxy may have all, since its connections are those of everybody', async () => {
  server = await serve(60_000, { trustedProxies: nearby })
  for (let n = 0; n < 4; n += 1) expect(await askFrom('127.0.0.1')).toMatch(/^HTTP\/1\.1 200 /)
  expect(await askFrom('127.0.0.1')).toMatch(/^HTTP\/1\.1 503 /)
})
