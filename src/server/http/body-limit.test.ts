import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BareServer, serveBare } from '../../../tests/support/bare-server.ts'
import { codeOf, send } from '../../../tests/support/send.ts'
import { bodyLimit } from './body-limit.ts'

const maxSize = 1000

let server: BareServer
beforeAll(async () => {
  server = await serveBare((app) => {
    app.use(bodyLimit(maxSize))
    app.all('*', async (c) => c.text(String((await c.req.text()).length)))
  })
})
afterAll(() => server.close())

function post(body: string, headers: Record<string, string | number> = {}) {
  return send(server.url, { method: 'POST', body, headers })
}

describe.each([
  ['whose length is announced', {}],
  ['that comes in chunks', { 'transfer-encoding': 'chunked' }],
])('a body %s', (_how, headers) => {
  it.each([0, 1, maxSize - 1, maxSize])('of %i bytes is read whole', async (length) => {
    const answer = await post('x'.repeat(length), headers)
    expect(answer.status).toBe(200)
    expect(answer.body.toString()).toBe(String(length))
  })

  it.each([maxSize + 1, 20 * maxSize])('of %i bytes is refused', async (length) => {
    const answer = await post('x'.repeat(length), headers)
    expect(answer.status).toBe(413)
    expect(codeOf(answer)).toBe('BODY_TOO_LARGE')
  })

  it('is counted in bytes, not in letters', async () => {
    expect((await post('é'.repeat(maxSize / 2), headers)).status).toBe(200)
    expect((await post('é'.repeat(maxSize / 2 + 1), headers)).status).toBe(413)
  })
})

describe('a length that is announced', () => {
  it('is refused before the body has come', async () => {
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

it('lets requests without a body through', async () => {
  for (const method of ['GET', 'POST', 'DELETE']) {
    const answer = await send(server.url, { method })
    expect(answer.status).toBe(200)
    expect(answer.body.toString()).toBe('0')
  }
})
