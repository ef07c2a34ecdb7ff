import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Endpoint, errorsOf } from '../src/shared/contract/endpoint.ts'
import type { File } from '../src/shared/contract/files.ts'
import { type EndpointName, endpoints } from '../src/shared/contract/index.ts'
import { type KeyScope, keyScopes } from '../src/shared/rules/accounts/api-key.ts'
import { makeRequest, startDelivery, withToken } from './support/file-requests.ts'
import { makeKey, revokeKey, withKey } from './support/keys.ts'
import {
  type Client,
  json,
  logIn,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  type StartedUpload,
  startUpload,
} from './support/make.ts'
import { startTestApp, type TestApp } from './support/test-app.ts'

let app: TestApp
let usersByRole: Record<'user' | 'other user' | 'premium user' | 'administrator', Person>
let clientsByRole: Record<'visitor' | 'sender' | keyof typeof usersByRole, Client>
let fileId: string
let uploadToken: string
let keysByScope: Record<KeyScope | 'revoked', string>
beforeAll(async () => {
  app = await startTestApp()
  usersByRole = {
    user: await makePerson(app),
    'other user': await makePerson(app),
    'premium user': await makePerson(app, { tier: 'premium' }),
    administrator: await makePerson(app, { role: 'admin' }),
  }
  const { code } = await makeRequest(await makePerson(app))
  uploadToken = (await startDelivery(makeClient(app), code)).uploadToken
  const owner = await makePerson(app, { tier: 'premium' })
  const createdKeys = await Promise.all(
    keyScopes.map(async (scope) => [scope, (await makeKey(owner, { scopes: [scope] })).key]),
  )
  const { id, key: revoked } = await makeKey(owner, { scopes: keyScopes })
  await revokeKey(owner, id)
  keysByScope = { ...Object.fromEntries(createdKeys), revoked }
  await signAllIn()
  fileId = (await makeFile(clientsByRole.user)).id
})
afterAll(() => app.close())

async function signAllIn() {
  const makeSignedInClient = async ({ email, password }: Person) =>
    makeClient(app, await logIn(app, email, password))
  clientsByRole = {
    visitor: makeClient(app),
    sender: withToken(makeClient(app), uploadToken),
    user: await makeSignedInClient(usersByRole.user),
    'other user': await makeSignedInClient(usersByRole['other user']),
    'premium user': await makeSignedInClient(usersByRole['premium user']),
    administrator: await makeSignedInClient(usersByRole.administrator),
  }
}

function takesUploadToken({ access }: Endpoint) {
  return typeof access === 'object' && access.uploadToken === true
}

const names = Object.keys(endpoints) as EndpointName[]

/**
 * Calls an endpoint with `{}` as the body. An id in the path is that of a file owned by
 * `usersByRole.user`.
 */
function callEndpoint(caller: Client, endpoint: Endpoint) {
  const path = endpoint.path.replace('{id}', fileId).replace('{code}', 'unknown')
  const init: RequestInit = { method: endpoint.method }
  // The answer is plain text otherwise.
  if (endpoint.bytes?.maxSize === null) init.headers = { accept: 'application/json' }
  if (endpoint.body)
    Object.assign(init, { body: '{}', headers: { 'content-type': 'application/json' } })
  return caller.fetch(path, init)
}

describe.each(names)('%s', (name) => {
  const row: Endpoint = endpoints[name]
  afterEach(async () => {
    if (name === 'logout') await signAllIn()
  })

  it(`allows callers with access ${JSON.stringify(row.access)} only`, async () => {
    // The administrator comes last, because admin calls can change what other users see.
    const callers = ['visitor', 'sender', 'other user', 'premium user', 'administrator'] as const
    for (const caller of callers) {
      const response = await callEndpoint(clientsByRole[caller], row)
      const { status } = response
      // An error that depends on the user's tier isn't an access error.
      const body = await json<{ code?: string } | null>(response).catch(() => null)
      if (body?.code?.startsWith('TIER_')) continue
      const expected =
        row.access === 'visitor' || caller === 'administrator'
          ? 'in'
          : caller === 'visitor' || (caller === 'sender' && !takesUploadToken(row))
            ? 401
            : row.access === 'admin'
              ? 403
              : 'in'
      if (expected === 'in') expect([401, 403]).not.toContain(status)
      else expect(status).toBe(expected)
    }
  })

  it('can be reached by a key with its scope only', async () => {
    for (const scope of keyScopes) {
      const response = await callEndpoint(withKey(makeClient(app), keysByScope[scope]), row)
      const body = await json<{ code?: string } | null>(response).catch(() => null)
      const isAllowed =
        row.access === 'visitor' || (typeof row.access === 'object' && row.access.scope === scope)
      expect([scope, body?.code === 'KEY_SCOPE']).toEqual([scope, !isAllowed])
      if (isAllowed) expect(response.status).not.toBe(401)
      else expect(response.status).toBe(403)
    }
    if (row.access === 'visitor') return
    const { status } = await callEndpoint(withKey(clientsByRole.user, keysByScope.revoked), row)
    expect(status).toBe(401)
  })

  it('returns only declared fields', async () => {
    for (const caller of Object.values(clientsByRole)) {
      const response = await callEndpoint(caller, row)
      if (response.status < 400) continue
      const body = await json<{ code: string }>(response).catch(() => null)
      if (body === null) expect(row.response).toEqual({ raw: 'page' })
      else {
        expect(response.status).toBeLessThan(500)
        expect(errorsOf(row)).toContain(body.code)
      }
    }
  })

  it('rejects other methods', async () => {
    const path = row.path.replace(/\{\w+\}/, 'unknown')
    const methods = Object.values(endpoints as Record<string, Endpoint>)
      .filter((endpoint) => endpoint.path === row.path)
      .map(({ method }) => method)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      if (methods.includes(method)) continue
      const response = await clientsByRole.user.fetch(path, { method })
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toContain(row.method)
    }
  })
})

async function fingerprintTables(): Promise<Record<string, string>> {
  const { rows } = await app.pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  )
  const hashesByTable: Record<string, string> = {}
  for (const { name } of rows) {
    const hashResult = await app.pool.query(
      `select count(*) || ':' || coalesce(sum(hashtextextended(t::text, 0)), 0) as print from "${name}" t`,
    )
    hashesByTable[name] = hashResult.rows[0].print
  }
  return hashesByTable
}

describe('a GET', () => {
  /**
   * GET endpoints with side effects. `download` and `openLink` count a download. `logout` and
   * `testStorage` change data but reject cross-site requests.
   */
  const endpointsWithSideEffects: readonly EndpointName[] = [
    'logout',
    'testStorage',
    'download',
    'openLink',
  ]

  const callAsOwner = async (name: EndpointName) => {
    const { path } = endpoints[name]
    const filledPath = path.replace('{id}', file.id).replace('{code}', file.shortCode)
    const query = name === 'listParts' ? `?cloudKey=${startedUpload.cloudKey}` : ''
    for (const method of ['HEAD', 'GET']) {
      const response = await owner.fetch(`${filledPath}${query}`, { method })
      await response.arrayBuffer()
    }
  }

  let owner: Person
  let file: File
  let startedUpload: StartedUpload
  beforeAll(async () => {
    owner = await makePerson(app, { role: 'admin', tier: 'premium' })
    file = await makeFile(owner)
    startedUpload = await startUpload(owner, { size: 5 })
  })

  it('changes no row, except for the endpoints in `sideEffects`', async () => {
    const fingerprintsBefore = await fingerprintTables()
    const endpointEntries = Object.entries(endpoints) as [EndpointName, Endpoint][]
    const namesOfGetEndpoints = endpointEntries
      .filter(([, { method }]) => method === 'GET')
      .map(([name]) => name)
    for (const name of namesOfGetEndpoints)
      if (!endpointsWithSideEffects.includes(name)) await callAsOwner(name)
    expect(await fingerprintTables()).toEqual(fingerprintsBefore)
  })

  it('in `sideEffects` changes rows, which proves that the check works', async () => {
    const fingerprintsBefore = await fingerprintTables()
    await callAsOwner('testStorage')
    expect(await fingerprintTables()).not.toEqual(fingerprintsBefore)
  })
})

describe('a page of another site', () => {
  it('can make a browser send only GETs, with or without a session', async () => {
    const owner = await makePerson(app, { role: 'admin', tier: 'premium' })
    const file = await makeFile(owner)
    const endpointEntries = Object.entries(endpoints) as [EndpointName, Endpoint][]
    const writeEndpoints = endpointEntries.filter(([, { method }]) => method !== 'GET')
    const fingerprintsBefore = await fingerprintTables()
    for (const [name, { method, path, bytes }] of writeEndpoints) {
      const filledPath = path.replace('{id}', file.id).replace('{code}', file.shortCode)
      // A content type that HTML forms can send, so the browser makes no preflight request.
      // Endpoints that receive bytes get a type they accept.
      const type = bytes?.types[0] ?? 'text/plain'
      const crossSiteHeaders: Record<string, string>[] = [
        { origin: 'https://evil.example' },
        { origin: 'null', 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ]
      for (const headers of crossSiteHeaders) {
        const accept = 'application/json'
        const requestOptions = {
          method,
          headers: { accept, 'content-type': type, ...headers },
          body: '{}',
        }
        const response = await owner.fetch(filledPath, requestOptions)
        const description = `${name} ${JSON.stringify(headers)}`
        expect(response.status, description).toBe(403)
        expect(await response.json(), description).toMatchObject({ code: 'FOREIGN_ORIGIN' })
        expect(response.headers.getSetCookie(), description).toEqual([])
      }
    }
    expect(writeEndpoints.length).toBeGreaterThan(40)
    expect(await fingerprintTables()).toEqual(fingerprintsBefore)
  })
})

describe("another user's file", () => {
  it('appears not to exist, even to the administrator', async () => {
    for (const caller of ['other user', 'administrator'] as const) {
      const foreignResponse = await clientsByRole[caller].fetch(`/api/files/${fileId}`, {
        method: 'DELETE',
      })
      const missingResponse = await clientsByRole[caller].fetch('/api/files/unknown', {
        method: 'DELETE',
      })
      expect(foreignResponse.status).toBe(404)
      expect(await foreignResponse.json()).toEqual(await missingResponse.json())
    }
  })
})

describe('the Date header', () => {
  it("has the server's time, which browsers use instead of their own", async () => {
    const timeBefore = app.clock()
    app.clock.advance(3_600_000)
    for (const path of ['/api/health', '/api/files', '/api/links/x', '/api/nothing', '/', '/s/x']) {
      const { headers } = await clientsByRole.user.fetch(path)
      expect(headers.get('date'), path).toBe(app.clock().toUTCString())
    }
    app.clock.set(timeBefore)
  })
})

describe('unknown paths', () => {
  it.each(['/api', '/api/', '/api/nothing', '/api/auth/sign-in/email', '/api/auth/get-session'])(
    '%s returns a JSON 404',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const response = await clientsByRole.user.fetch(path, { method })
        expect(response.status).toBe(404)
        expect(await response.json()).toEqual({ message: 'Not found', code: 'NOT_FOUND' })
      }
    },
  )
})

describe('GET /api/openapi.json', () => {
  it('lists every endpoint', async () => {
    const document = await json<{ openapi: string; paths: Record<string, object> }>(
      await clientsByRole.visitor.fetch('/api/openapi.json'),
    )
    expect(document.openapi).toBe('3.1.0')
    const documentedEndpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const rows: Endpoint[] = Object.values(endpoints)
    expect(documentedEndpoints.toSorted()).toEqual(
      rows.map(({ method, path }) => `${method} ${path}`).toSorted(),
    )
  })
})
