import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectionLimits } from '../../src/server/http/limits.ts'
import { type BareServer, serveBare } from '../support/bare-server.ts'
import { waitForClose } from '../support/send.ts'

/** Numbers of the requests that the server has started to handle. */
const startedRequests: string[] = []
let gate = Promise.withResolvers<void>()
let server: BareServer
beforeAll(async () => {
  server = await serveBare((app) => {
    app.get('/gate/:number', async (c) => {
      startedRequests.push(c.req.param('number'))
      await gate.promise
      return c.text(`answer ${c.req.param('number')};`)
    })
  })
})
afterAll(() => server.close())

const { perConnection, total } = connectionLimits.waitingRequests
const pipelinedCount = perConnection + 1
function makeRequests(count: number, headers = 'Host: x') {
  return Array.from(
    { length: count },
    (_, number) => `GET /gate/${number} HTTP/1.1\r\n${headers}\r\n\r\n`,
  )
}

function openConnection(text: string) {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk
  })
  socket.on('error', () => undefined)
  socket.write(text)
  return { socket, answers: () => received }
}

it('answers pipelined requests in order', async () => {
  startedRequests.length = 0
  gate = Promise.withResolvers()
  const { socket, answers: getReceived } = openConnection(makeRequests(pipelinedCount).join(''))
  await expect.poll(() => startedRequests).toEqual(['0'])
  expect((await fetch(`${server.url}/`)).status).toBe(404)
  expect(startedRequests).toEqual(['0'])
  gate.resolve()
  const allNumbers = Array.from({ length: pipelinedCount }, (_, number) => String(number))
  await expect
    .poll(() => getReceived().match(/answer \d+;/g))
    .toEqual(allNumbers.map((n) => `answer ${n};`))
  expect(startedRequests).toEqual(allNumbers)
  socket.destroy()
})

it.each([
  ['waiting', 'Host: x'],
  ['without a host', 'X-Nothing: x'],
  ['with an unknown expectation', 'Host: x\r\nExpect: gold'],
])('closes a connection with too many requests %s, without handling them', async (_, headers) => {
  startedRequests.length = 0
  gate = Promise.withResolvers()
  const { socket } = openConnection(
    [...makeRequests(1), ...makeRequests(pipelinedCount, headers)].join(''),
  )
  await waitForClose(socket)
  expect(startedRequests).toEqual(['0'])
  gate.resolve()
})

it('limits pipelined requests across connections', async () => {
  const largeHeaders = `Host: x\r\nX-Large: ${'x'.repeat(15_000)}`
  const requestTexts = Array.from({ length: 100 }, () =>
    makeRequests(pipelinedCount, largeHeaders).join(''),
  )
  const otherConnectionCount = await server.connections()
  const countOpenConnections = async () => (await server.connections()) - otherConnectionCount
  const attack = async () => {
    startedRequests.length = 0
    gate = Promise.withResolvers()
    const sockets = requestTexts.map((text) => openConnection(text).socket)
    await expect.poll(() => startedRequests.length).toBe(requestTexts.length)
    // One request per connection is handled, and one more may wait without counting toward the
    // shared limit.
    const maxConnections = total / (pipelinedCount - 2)
    await expect.poll(countOpenConnections).toBeLessThanOrEqual(maxConnections)
    expect(await countOpenConnections()).toBeGreaterThan(maxConnections / 2)
    for (const socket of sockets) socket.destroy()
    await expect.poll(countOpenConnections).toBe(0)
    gate.resolve()
  }
  await attack()
  await attack()
})

it('drops pipelined requests when their client disconnects', async () => {
  startedRequests.length = 0
  gate = Promise.withResolvers()
  const { socket } = openConnection(makeRequests(5).join(''))
  await expect.poll(() => startedRequests).toEqual(['0'])
  socket.resetAndDestroy()
  await waitForClose(socket)
  gate.resolve()
  expect((await fetch(`${server.url}/`)).status).toBe(404)
  expect(startedRequests).toEqual(['0'])
})

it('rejects requests without a host or with an unknown expectation, in order', async () => {
  for (const [headers, status] of [
    ['Connection: close', 400],
    ['Host: x\r\nExpect: gold', 417],
  ] as const) {
    const { socket, answers: getReceived } = openConnection(makeRequests(1, headers).join(''))
    await waitForClose(socket)
    expect(getReceived()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  }
})
