import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { parseCursor, takePage } from './cursor.ts'

const place = z.strictObject({ n: z.number() })

/**
 * Requests a page of at most `limit` numbers. `rows` are the numbers that were read for it: one
 * more than `limit` if the list goes on. Returns the page and its cursor.
 */
async function pageOf(rows: number[], limit: number) {
  const app = new Hono().get('/', (context) =>
    context.json(takePage(context, rows, { limit, placeOf: (n) => ({ n }) })),
  )
  const response = await app.request('/')
  return { rows: await response.json(), cursor: response.headers.get('x-next-cursor') }
}

it('a page with more behind it says where it ends, in a text that is read again', async () => {
  const { rows, cursor } = await pageOf([1, 2, 3], 2)
  expect(rows).toEqual([1, 2])
  expect(parseCursor(place, cursor ?? '')).toEqual({ n: 2 })
})

it.each([[[1, 2]], [[1]], [[]]])('a page with nothing behind it says nothing: %o', async (all) => {
  expect(await pageOf(all, 2)).toEqual({ rows: all, cursor: null })
})

it.each(['', 'x', '{"n":1}', Buffer.from('{"n":"1"}').toString('base64url')])(
  'any other text is a wrong input: %o',
  (text) => {
    const refusal = expect.objectContaining({ code: 'INVALID_INPUT' })
    expect(() => parseCursor(place, text)).toThrow(refusal)
  },
)
