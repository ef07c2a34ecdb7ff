import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectionLimits } from '../../src/server/http/limits.ts'
import { type BareServer, serveBare } from '../support/bare-server.ts'
import { untilClosed } from '../support/send.ts'

/** The numbers of the requests whose handling has begun. */
const begun: string[] = []
let release = Promise.withResolvers<void>()
let server: BareServer
beforeAll(async () => {
  server = await serveBare((app) => {
    app.get('/gate/:number', async (c) => {
      begun.push(c.req.param('number'))
      await release.promise
      return c.text(`answer ${c.req.param('number')};`)
    })
  })
})
afterAll(() => server.close())

const { perConnection, total } = connectionLimits.waitingRequests
const ahead = perConnection + 1
function requests(count: number, lines = 'Host: x') {
  return Array.from(
    { length: count },
    (_, number) => `GET /gate/${number} HTTP/1.1\r\n${lines}\r\n\r\n`,
  )
}

function open(text: string) {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  let answers = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    answers += chunk
  })
  socket.on('error', () => undefined)
  socket.write(text)
  return { socket, answers: () => answers }
}

it('answers pipelined requests in order', async () => {
  begun.length = 0
  release = Promise.withResolvers()
  const { socket, answers } = open(requests(ahead).join(''))
  await expect.poll(() => begun).toEqual(['0'])
  expect((await fetch(`${server.url}/`)).status).toBe(404)
  expect(begun).toEqual(['0'])
  release.resolve()
  const all = Array.from({ length: ahead }, (_, number) => String(number))
  await expect.poll(() => answers().match(/answer \d+;/g)).toEqual(all.map((n) => `answer ${n};`))
  expect(begun).toEqual(all)
  socket.destroy()
})

it.each([
  ['waiting', 'Host: x'],
  ['without a host', 'X-Nothing: x'],
  ['with an unknown expectation', 'Host: x\r\nExpect: gold'],
])('cuts a connection with too many requests %s, without handling them', async (_, lines) => {
  begun.length = 0
  release = Promise.withResolvers()
  const { socket } = open([...requests(1), ...requests(ahead, lines)].join(''))
  await untilClosed(socket)
  expect(begun).toEqual(['0'])
  release.resolve()
})

it('limits pipelined requests across connections', async () => {
  const large = `Host: x\r\nX-Large: ${'x'.repeat(15_000)}`
  const crowd = Array.from({ length: 100 }, () => requests(ahead, large).join(''))
  const others = await server.connections()
  const left = async () => (await server.connections()) - others
  const attack = async () => {
    begun.length = 0
    release = Promise.withResolvers()
    const sockets = crowd.map((text) => open(text).socket)
    await expect.poll(() => begun.length).toBe(crowd.length)
    // On each connection one request is being handled and another may wait at no charge. Only
    // further ones count against the shared limit.
    const room = total / (ahead - 2)
    await expect.poll(left).toBeLessThanOrEqual(room)
    expect(await left()).toBeGreaterThan(room / 2)
    for (const socket of sockets) socket.destroy()
    await expect.poll(left).toBe(0)
    release.resolve()
  }
  await attack()
  await attack()
})

it('drops pipelined requests when their client disconnects', async () => {
  begun.length = 0
  release = Promise.withResolvers()
  const { socket } = open(requests(5).join(''))
  await expect.poll(() => begun).toEqual(['0'])
  socket.resetAndDestroy()
  await untilClosed(socket)
  release.resolve()
  expect((await fetch(`${server.url}/`)).status).toBe(404)
  expect(begun).toEqual(['0'])
})

it('rejects requests without a host or with an unknown expectation, in order', async () => {
  for (const [lines, status] of [
    ['Connection: close', 400],
    ['Host: x\r\nExpect: gold', 417],
  ] as const) {
    const { socket, answers } = open(requests(1, lines).join(''))
    await untilClosed(socket)
    expect(answers()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  }
})
