import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BareServer, serveBare } from '../../../tests/support/bare-server.ts'
import { errorCodeOf, send } from '../../../tests/support/send.ts'
import { createServedHosts, sameOrigin } from './hosts.ts'

const host = 'files.example.org'

let server: BareServer
let callCount = 0
beforeAll(async () => {
  server = await serveBare((app) => {
    const appUrl = new URL(`https://${host}`)
    app.use(sameOrigin(createServedHosts({ appUrl, appUrlIsSet: true }), appUrl))
    app.all('*', (c) => {
      callCount += 1
      return c.text('done')
    })
  })
})
afterAll(() => server.close())

function sendRequest(method: string, headers: Record<string, string>) {
  return send(server.url, { method, headers: { host, ...headers } })
}

const foreignOrigins: [string, Record<string, string>][] = [
  ['another site', { origin: 'https://evil.example' }],
  ['an opaque origin', { origin: 'null' }],
  ['an empty origin', { origin: '' }],
  ['a malformed origin', { origin: host }],
  ['another port', { origin: `https://${host}:8443` }],
  ['a subdomain of ours', { origin: `https://a.${host}` }],
  ['a host that starts like ours', { origin: `https://${host}.evil.example` }],
  ['another host with ours as user info', { origin: `https://${host}@evil.example` }],
  ['our host over plain HTTP', { origin: `http://${host}` }],
  ['another host name of the server', { origin: 'http://127.0.0.1:3000' }],
  ['another site without an Origin header', { 'sec-fetch-site': 'cross-site' }],
  ['a sibling subdomain without an Origin header', { 'sec-fetch-site': 'same-site' }],
  [
    'another site that claims to be same-origin',
    { origin: 'https://a.b', 'sec-fetch-site': 'same-origin' },
  ],
]

describe.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s', (method) => {
  it.each(foreignOrigins)('from %s is refused without effect', async (_description, headers) => {
    const callsBefore = callCount
    const response = await sendRequest(method, headers)
    expect(response.status).toBe(403)
    expect(errorCodeOf(response)).toBe('FOREIGN_ORIGIN')
    expect(callCount).toBe(callsBefore)
  })

  it.each<[string, Record<string, string>]>([
    ['our own pages', { origin: `https://${host}` }],
    ['our own pages without an Origin header', { 'sec-fetch-site': 'same-origin' }],
    ['the user directly', { 'sec-fetch-site': 'none' }],
    ["a client that isn't a browser", {}],
  ])('from %s is allowed', async (_description, headers) => {
    expect((await sendRequest(method, headers)).status).toBe(200)
  })
})

describe.each(['GET', 'HEAD', 'OPTIONS'])('%s', (method) => {
  it('is allowed from anywhere', async () => {
    for (const [, headers] of foreignOrigins)
      expect((await sendRequest(method, headers)).status).toBe(200)
  })
})
