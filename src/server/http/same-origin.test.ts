import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BareServer, serveBare } from '../../../tests/support/bare-server.ts'
import { codeOf, send } from '../../../tests/support/send.ts'
import { sameOrigin, servedHosts } from './hosts.ts'

const host = 'files.example.org'

let server: BareServer
let calls = 0
beforeAll(async () => {
  server = await serveBare((app) => {
    const appUrl = new URL(`https://${host}`)
    app.use(sameOrigin(servedHosts({ appUrl, appUrlIsSet: true }), appUrl))
    app.all('*', (c) => {
      calls += 1
      return c.text('done')
    })
  })
})
afterAll(() => server.close())

function ask(method: string, headers: Record<string, string>) {
  return send(server.url, { method, headers: { host, ...headers } })
}

const foreign: [string, Record<string, string>][] = [
  ['another site', { origin: 'https://evil.example' }],
  ['an opaque origin', { origin: 'null' }],
  ['no origin at all', { origin: '' }],
  ['what is no origin', { origin: host }],
  ['another port', { origin: `https://${host}:8443` }],
  ['a name below ours', { origin: `https://a.${host}` }],
  ['a name that begins like ours', { origin: `https://${host}.evil.example` }],
  ['a name that hides behind ours', { origin: `https://${host}@evil.example` }],
  ['our own name without encryption', { origin: `http://${host}` }],
  ['another name of the server, which was not asked', { origin: 'http://127.0.0.1:3000' }],
  ['another site that gives no origin', { 'sec-fetch-site': 'cross-site' }],
  ['a neighbour that gives no origin', { 'sec-fetch-site': 'same-site' }],
  [
    'another site that claims to be ours',
    { origin: 'https://a.b', 'sec-fetch-site': 'same-origin' },
  ],
]

describe.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s', (method) => {
  it.each(foreign)('from %s is refused without effect', async (_from, headers) => {
    const before = calls
    const answer = await ask(method, headers)
    expect(answer.status).toBe(403)
    expect(codeOf(answer)).toBe('FOREIGN_ORIGIN')
    expect(calls).toBe(before)
  })

  it.each<[string, Record<string, string>]>([
    ['our own pages', { origin: `https://${host}` }],
    ['our own pages, by a browser that hides the origin', { 'sec-fetch-site': 'same-origin' }],
    ['the person themself', { 'sec-fetch-site': 'none' }],
    ['a client that is no browser', {}],
  ])('from %s is allowed', async (_from, headers) => {
    expect((await ask(method, headers)).status).toBe(200)
  })
})

describe.each(['GET', 'HEAD', 'OPTIONS'])('%s', (method) => {
  it('is allowed from anywhere', async () => {
    for (const [, headers] of foreign) expect((await ask(method, headers)).status).toBe(200)
  })
})
