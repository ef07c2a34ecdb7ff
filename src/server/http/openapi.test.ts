import { describe, expect, it } from 'vitest'
import { type Endpoint, errorsOf } from '../../shared/contract/endpoint.ts'
import { errorTable } from '../../shared/contract/errors.ts'
import { endpoints } from '../../shared/contract/index.ts'
import { defaultLimits } from '../../shared/rules/tiers/tier-limits.ts'
import { openApiDocument } from './openapi.ts'

interface Operation {
  operationId: string
  security: object[]
  parameters: { name: string; in: string; required: boolean; schema: object }[]
  requestBody?: { required: boolean; content: Record<string, { schema?: object }> }
  responses: Record<string, { description: string; content?: Record<string, object> }>
}

const publicUrl = new URL('https://files.example.org')
const document = openApiDocument(publicUrl.origin, publicUrl, defaultLimits) as {
  servers: object[]
  paths: Record<string, Record<string, Operation>>
  components: {
    securitySchemes: { session: { name: string } }
    schemas: { Error: { properties: { code: { enum: string[] } } } }
  }
}

const rows = Object.entries(endpoints).map(([name, row]): [string, Endpoint] => [name, row])

function findOperation(name: keyof typeof endpoints): Operation {
  const { path, method } = endpoints[name]
  return document.paths[path]?.[method.toLowerCase()] as Operation
}

describe('every declared call', () => {
  it.each(rows)('%s is listed under its path and method', (name, { path, method }) => {
    expect(document.paths[path]?.[method.toLowerCase()]?.operationId).toBe(name)
  })

  it.each(rows)('%s needs what its access says', (name, { access }) => {
    const { security } = findOperation(name as keyof typeof endpoints)
    const session = { session: [] }
    if (access === 'visitor') expect(security).toEqual([])
    else if (typeof access === 'string') expect(security).toEqual([session])
    else {
      const uploadToken = 'uploadToken' in access ? [{ uploadToken: [] }] : []
      expect(security).toEqual([session, { apiKey: [access.scope] }, ...uploadToken])
    }
  })

  it.each(rows)('%s lists all its errors by status', (name, row) => {
    const { responses } = findOperation(name as keyof typeof endpoints)
    for (const code of errorsOf(row)) {
      const { status, message } = errorTable[code]
      expect(responses[status]?.description).toContain(`${code}: ${message}`)
    }
  })

  it.each([
    ['createKey', 201, ['application/json']],
    ['putFile', 201, ['text/plain', 'application/json']],
    ['sendLink', 202, ['application/json']],
    ['unlockLink', 204, []],
    ['listLinks', 200, ['application/json']],
  ] as const)('%s answers with %d', (name, status, types) => {
    const { responses } = findOperation(name)
    expect(Object.keys(responses).filter((key) => key < '300')).toEqual([String(status)])
    expect(Object.keys(responses[status]?.content ?? {})).toEqual(types)
  })

  it.each(rows)('%s requires each path parameter', (name, { path }) => {
    const { parameters } = findOperation(name as keyof typeof endpoints)
    const inPath = parameters.filter((parameter) => parameter.in === 'path')
    const namedParameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
    expect(inPath.map((parameter) => parameter.name).sort()).toEqual(namedParameters.sort())
    expect(inPath.every(({ required }) => required)).toBe(true)
  })
})

it('names the server, its cookie and every error code', () => {
  expect(document.servers).toEqual([{ url: 'https://files.example.org' }])
  expect(document.components.securitySchemes.session.name).toMatch(/^__(Host|Secure)-/)
  expect(document.components.schemas.Error.properties.code.enum).toEqual(Object.keys(errorTable))
  const httpDocument = openApiDocument(
    '/',
    new URL('http://127.0.0.1:3000'),
    defaultLimits,
  ) as typeof document
  expect(httpDocument.components.securitySchemes.session.name).not.toMatch(/^__/)
})

it('documents both methods of a path', () => {
  expect(findOperation('currentUser').operationId).toBe('currentUser')
  expect(findOperation('updateUser').operationId).toBe('updateUser')
})

it('describes bodies and query parameters as the client sends them', () => {
  const { requestBody } = findOperation('login')
  expect(requestBody).toMatchObject({
    required: true,
    content: {
      'application/json': {
        schema: { type: 'object', required: ['email', 'password'] },
      },
    },
  })
  // Some schemas also convert the input. The document describes the value before conversion.
  const limit = findOperation('listFiles').parameters.find(({ name }) => name === 'limit')
  expect(limit).toMatchObject({ in: 'query', required: false })
})

it('makes a body optional if every field has a default', () => {
  const endpointsWithBody = rows.filter(([, { body }]) => body)
  const endpointsWithOptionalBody = endpointsWithBody.filter(
    ([, { body }]) => body?.safeParse(undefined).success,
  )
  for (const [name] of endpointsWithBody) {
    const { requestBody } = findOperation(name as keyof typeof endpoints)
    expect(requestBody?.required, name).toBe(
      !endpointsWithOptionalBody.some(([other]) => other === name),
    )
  }
})

it('lists the accepted types of binary bodies', () => {
  const { requestBody } = findOperation('saveLogo')
  expect(requestBody).toEqual({
    required: true,
    content: { 'image/png': {}, 'image/jpeg': {}, 'image/webp': {} },
  })
})

it.each([
  ['health', '200', 'application/json'],
  ['download', '200', 'application/octet-stream'],
  ['openDownloadPage', '200', 'text/html'],
  ['logo', '200', 'image/png'],
] as const)('%s answers %s with %s', (name, status, type) => {
  expect(Object.keys(findOperation(name).responses[status]?.content ?? {})).toEqual([type])
})

it('documents redirects as responses', () => {
  const { responses } = findOperation('logout')
  expect(responses[302]).toBeDefined()
  expect(responses[200]).toBeUndefined()
})
