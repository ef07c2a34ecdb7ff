import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BareServer, serveBare } from '../../../tests/support/bare-server.ts'
import { errorCodeOf, send, statusAndErrorCode } from '../../../tests/support/send.ts'
import { sendWithoutReading } from '../../../tests/support/unread-sockets.ts'
import { bodyLimit } from './limits.ts'

const maxSize = 1000
const largeSize = 2 * 1024 * 1024
let gate = Promise.withResolvers<void>()
/** How many requests `/hold` is holding right now. */
let waitingCallCount = 0

let server: BareServer
beforeAll(async () => {
  server = await serveBare((app) => {
    app.use((c, next) => {
      c.set('clientAddress', c.req.header('x-client') ?? '203.0.113.1')
      return next()
    })
    const limitLargeBody = bodyLimit(largeSize)
    app.post('/hold', limitLargeBody, async (c) => {
      waitingCallCount += 1
      await gate.promise
      waitingCallCount -= 1
      return c.text('')
    })
    app.use('/larger', limitLargeBody)
    app.use('/', bodyLimit(maxSize))
    app.all('*', (c) => c.text(String(c.get('body')?.toString().length ?? 0)))
  })
})
afterAll(() => server.close())

function post(body: string, headers: Record<string, string | number> = {}, path = '/') {
  return send(`${server.url}${path}`, { method: 'POST', body, headers })
}

describe.each([
  ['with a Content-Length', {}],
  ['in chunks', { 'transfer-encoding': 'chunked' }],
])('a body %s', (_description, headers) => {
  it.each([0, 1, maxSize - 1, maxSize])('of %i bytes is read completely', async (length) => {
    const response = await post('x'.repeat(length), headers)
    expect(response.status).toBe(200)
    expect(response.body.toString()).toBe(String(length))
  })

  it.each([maxSize + 1, 20 * maxSize])('of %i bytes is refused', async (length) => {
    const response = await post('x'.repeat(length), headers)
    expect(response.status).toBe(413)
    expect(errorCodeOf(response)).toBe('BODY_TOO_LARGE')
  })

  it('is counted in bytes, not characters', async () => {
    expect((await post('é'.repeat(maxSize / 2), headers)).status).toBe(200)
    expect((await post('é'.repeat(maxSize / 2 + 1), headers)).status).toBe(413)
  })
})

describe('a Content-Length', () => {
  it('above the limit is refused before the body arrives', async () => {
    const response = await post('x', { 'content-length': 1_000_000_000 })
    expect(response.status).toBe(413)
  })

  it.each(['-1', '1e3', 'ten', '5, 6'])(
    'that is not a number is a bad request: %s',
    async (length) => {
      expect((await post('x', { 'content-length': length })).status).toBe(400)
    },
  )
})

describe('the memory of large bodies', () => {
  /**
   * Sends a body to a handler that holds it until the test ends. Returns false if it was refused.
   */
  async function sendAndWait(client: string): Promise<boolean> {
    const countBefore = waitingCallCount
    let error: unknown
    const responsePromise = post('x'.repeat(largeSize), { 'x-client': client }, '/hold')
    void responsePromise.then((response) => {
      if (response.status !== 200) error = statusAndErrorCode(response)
    })
    await expect.poll(() => error ?? waitingCallCount).not.toBe(countBefore)
    if (error) expect(error).toEqual([503, 'SERVER_BUSY'])
    return error === undefined
  }

  it('is limited per client and in total, and released after each call', async () => {
    gate = Promise.withResolvers()
    const firstClientCalls = [await sendAndWait('198.51.100.1'), await sendAndWait('198.51.100.1')]
    expect([...firstClientCalls, await sendAndWait('198.51.100.1')]).toEqual([true, true, false])
    const otherClientCalls: boolean[] = []
    for (let n = 2; n < 9; n += 1) otherClientCalls.push(await sendAndWait(`198.51.100.${n}`))
    expect(otherClientCalls).toEqual([true, true, true, true, true, true, false])
    const rejectedResponse = await post('x'.repeat(largeSize), {}, '/larger')
    expect(statusAndErrorCode(rejectedResponse)).toEqual([503, 'SERVER_BUSY'])
    expect(rejectedResponse.headers['retry-after']).toBe('5')
    expect((await post('x'.repeat(4096), {}, '/larger')).status).toBe(200)
    gate.resolve()
    await expect.poll(() => waitingCallCount).toBe(0)
    expect((await post('x'.repeat(largeSize), {}, '/larger')).status).toBe(200)
  })

  it("isn't reserved for bodies that are announced but don't arrive", async () => {
    const head = `POST /larger HTTP/1.1\r\nHost: x\r\nContent-Length: ${largeSize}\r\n\r\n`
    const stalledClient = await sendWithoutReading(server.url, () => head, 32)
    expect((await post('x'.repeat(largeSize), {}, '/larger')).status).toBe(200)
    stalledClient.reset()
  })
})

it('lets requests without a body through', async () => {
  for (const method of ['GET', 'POST', 'DELETE']) {
    const response = await send(server.url, { method })
    expect(response.status).toBe(200)
    expect(response.body.toString()).toBe('0')
  }
})
