import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { Endpoint } from '../../shared/contract/endpoint.ts'
import { endpoints } from '../../shared/contract/index.ts'
import { parseCursor, takePage } from './cursor.ts'

const shape = z.strictObject({ n: z.number() })

/** Requests a page of at most `limit` of these rows. Returns the page and its cursor. */
async function fetchPage(rows: number[], limit: number) {
  const app = new Hono().get('/', (context) =>
    context.json(takePage(context, rows, { limit, cursorOf: (n) => ({ n }) })),
  )
  const response = await app.request('/')
  return { rows: await response.json(), cursor: response.headers.get('x-next-cursor') }
}

it('a page followed by another has a valid cursor', async () => {
  const { rows, cursor } = await fetchPage([1, 2, 3], 2)
  expect(rows).toEqual([1, 2])
  expect(parseCursor(shape, cursor ?? '')).toEqual({ n: 2 })
})

it.each([[[1, 2]], [[1]], [[]]])('the last page has no cursor: %o', async (rows) => {
  expect(await fetchPage(rows, 2)).toEqual({ rows, cursor: null })
})

it.each(['', 'x', '{"n":1}', Buffer.from('{"n":"1"}').toString('base64url')])(
  'text that is not a cursor is invalid: %o',
  (text) => {
    const invalidInput = expect.objectContaining({ code: 'INVALID_INPUT' })
    expect(() => parseCursor(shape, text)).toThrow(invalidInput)
  },
)

describe('a forged cursor', () => {
  let app: TestApp
  let admin: Person
  beforeAll(async () => {
    app = await startTestApp()
    admin = await makePerson(app, { role: 'admin' })
  })
  afterAll(() => app.close())

  const id = '00000000-0000-4000-8000-000000000000'
  const cursorMakers: Record<string, (time: unknown) => unknown> = {
    '/api/files?': (time) => [time, id],
    '/api/links?sort=-date&': (time) => ['-date', time, id],
    '/api/files/receipts?': (purgedAt) => ({ purgedAt, fileId: id }),
    '/api/admin/feedback?': (time) => [time, id],
    '/api/admin/reports?': (time) => [time, id],
    '/api/requests?': (time) => [time, id],
    '/api/admin/requests?': (time) => [time, id],
  }
  const requestPage = (path: string, value: unknown) => {
    const cursor = Buffer.from(JSON.stringify(value)).toString('base64url')
    return admin.fetch(`${path}cursor=${cursor}`)
  }

  it('is tested for every paged endpoint', () => {
    const rows: Endpoint[] = Object.values(endpoints)
    const pagedEndpoints = rows.filter(
      ({ query }) => query && 'cursor' in (query as z.ZodObject).shape,
    )
    const testedPaths = Object.keys(cursorMakers).map((path) => path.replace(/\?.*/, ''))
    // The audit log isn't tested here, because its cursor is a number.
    expect(pagedEndpoints.map(({ path }) => path).sort()).toEqual(
      [...testedPaths, '/api/admin/audit'].sort(),
    )
  })

  describe.each(Object.entries(cursorMakers))('at %s', (path, cursorOf) => {
    it.each(['0001-01-01T00:00:00.000Z', '2026-11-22T12:00:00.000Z', '9999-12-31T23:59:59.999Z'])(
      'with the time %s is valid',
      async (time) => {
        expect((await requestPage(path, cursorOf(time))).status).toBe(200)
      },
    )

    it.each([
      '0000-01-01T00:00:00Z',
      '0000-01-01T00:00:00.000Z',
      '-200000-01-01T00:00:00.000Z',
      '+275760-09-13T00:00:00.000Z',
      '2026-02-30T00:00:00.000Z',
      '2026-11-22T12:00:00.000+01:00',
      '2026-11-22',
      'infinity',
      'now',
      '',
      -8.64e15,
      8.64e15,
      0,
      null,
      true,
      [1],
      {},
    ])('with the time %j is invalid', async (time) => {
      const response = await requestPage(path, cursorOf(time))
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ code: 'INVALID_INPUT' })
    })
  })

  it.each([2 ** 53, -(2 ** 53), 1.5, null, '1', [1]])(
    'with the audit log line %j is invalid',
    async (auditId) => {
      expect((await requestPage('/api/admin/audit?', [auditId])).status).toBe(400)
    },
  )
})
