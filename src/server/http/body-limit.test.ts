import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BareServer, serveBare } from '../../../tests/support/bare-server.ts'
import { codeOf, refusalOf, send } from '../../../tests/support/send.ts'
import { bodyLimit } from './limits.ts'

const maxSize = 1000
const larger = 2 * 1024 * 1024
let held = Promise.withResolvers<void>()

let server: BareServer
beforeAll(async () => {
  server = await serveBare((app) => {
    app.use((c, next) => {
      c.set('clientAddress', c.req.header('x-client') ?? '203.0.113.1')
      return next()
    })
    const limitLarger = bodyLimit(larger)
    app.post('/hold', limitLarger, async (c) => {
      await held.promise
      return c.text('')
    })
    app.use('/larger', limitLarger)
    app.use('/', bodyLimit(maxSize))
    app.all('*', async (c) => c.text(String((await c.req.text()).length)))
  })
})
afterAll(() => server.close())

function post(body: string, headers: Record<string, string | number> = {}, path = '/') {
  return send(`${server.url}${path}`, { method: 'POST', body, headers })
}

describe.each([
  ['whose length is announced', {}],
  ['that comes in chunks', { 'transfer-encoding': 'chunked' }],
])('a body %s', (_how, headers) => {
  it.each([0, 1, maxSize - 1, maxSize])('of %i bytes is read completely', async (length) => {
    const answer = await post('x'.repeat(length), headers)
    expect(answer.status).toBe(200)
    expect(answer.body.toString()).toBe(String(length))
  })

  it.each([maxSize + 1, 20 * maxSize])('of %i bytes is refused', async (length) => {
    const answer = await post('x'.repeat(length), headers)
    expect(answer.status).toBe(413)
    expect(codeOf(answer)).toBe('BODY_TOO_LARGE')
  })

  it('is counted in bytes, not characters', async () => {
    expect((await post('é'.repeat(maxSize / 2), headers)).status).toBe(200)
    expect((await post('é'.repeat(maxSize / 2 + 1), headers)).status).toBe(413)
  })
})

describe('a Content-Length', () => {
  it('above the limit is refused before the body arrives', async () => {
    const answer = await post('x', { 'content-length': 1_000_000_000 })
    expect(answer.status).toBe(413)
  })

  it.each(['-1', '1e3', 'ten', '5, 6'])(
    'that is no number is a bad request: %s',
    async (length) => {
      expect((await post('x', { 'content-length': length })).status).toBe(400)
    },
  )
})

describe('the memory of large bodies', () => {
  /** Begins calls that hold their share until the test ends them. Returns how many were let in. */
  async function begin(count: number, client: string): Promise<number> {
    const headers = { 'content-length': larger, 'x-client': client }
    const calls = Array.from({ length: count }, () => post('not all of it', headers, '/hold'))
    const refused = await Promise.all(
      calls.map((call) => Promise.race([call.then(({ status }) => status), ask().then(() => 0)])),
    )
    return refused.filter((status) => status !== 503).length
  }
  /** A later request, which is answered when the server has decided about earlier ones. */
  const ask = async () => {
    for (let n = 0; n < 5; n += 1) await send(server.url)
  }

  it('is limited per client and in total, and released', async () => {
    held = Promise.withResolvers()
    expect(await begin(5, '198.51.100.1')).toBe(3)
    let all = 3
    for (let n = 2; n < 12; n += 1) all += await begin(1, `198.51.100.${n}`)
    expect(all).toBe(8)
    for (const [header, value] of Object.entries({
      'content-length': larger,
      'transfer-encoding': 'chunked',
    })) {
      const answer = await post('not all of it', { [header]: value }, '/larger')
      expect(refusalOf(answer)).toEqual([503, 'SERVER_BUSY'])
      expect(answer.headers['retry-after']).toBe('5')
    }
    expect((await post('x'.repeat(4096), {}, '/larger')).status).toBe(200)
    held.resolve()
    await expect.poll(async () => (await post('x'.repeat(8192), {}, '/larger')).status).toBe(200)
  })
})

it('lets requests without a body through', async () => {
  for (const method of ['GET', 'POST', 'DELETE']) {
    const answer = await send(server.url, { method })
    expect(answer.status).toBe(200)
    expect(answer.body.toString()).toBe('0')
  }
})
