import { AsyncLocalStorage } from 'node:async_hooks'
import { ROOT_CONTEXT, type Span, SpanStatusCode } from '@opentelemetry/api'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { freshDatabase } from '../../../tests/support/postgres.ts'
import type { TestDatabase } from '../../../tests/support/postgres-server.ts'
import type { Spans } from './spans.ts'
import { tracedPool } from './traced-pool.ts'

/** What is known of a span that has ended. */
interface Ended {
  name: string
  /** The request that caused it. */
  request: string | undefined
  text: unknown
  errorType?: unknown
}

const current = new AsyncLocalStorage<string>()
let ended: Ended[]

/** Notes every span at its end, with the request in whose context it began. */
const spans: Spans = {
  begin(name, { attributes = {} }) {
    const span: Ended = { name, request: current.getStore(), text: attributes['db.query.text'] }
    return {
      setAttribute: (_: string, value: unknown) => {
        span.errorType = value
      },
      setStatus: ({ code }: { code: SpanStatusCode }) => expect(code).toBe(SpanStatusCode.ERROR),
      end: () => void ended.push(span),
    } as unknown as Span
  },
  within: (_, work) => work(),
  callerOf: () => ROOT_CONTEXT,
}

let database: TestDatabase
let pool: pg.Pool
beforeAll(async () => {
  database = await freshDatabase()
  const Pool = tracedPool(spans)
  pool = new Pool({ connectionString: database.url, max: 1 })
  // The database may be dropped before the last connection has closed. Without a listener, that
  // would end this process.
  pool.on('error', () => {})
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})
beforeEach(() => {
  ended = []
})

it('gives each statement to the request that asked for it, also if it waited for another', async () => {
  const ask = (request: string) =>
    current.run(request, () => pool.query('select $1::text as who', [request]))
  const answers = await Promise.all(['a', 'b', 'c'].map(ask))
  expect(answers.map(({ rows }) => rows[0].who)).toEqual(['a', 'b', 'c'])
  const text = 'select $1::text as who'
  expect(ended).toEqual(['a', 'b', 'c'].map((request) => ({ name: 'SELECT', request, text })))
})

it('tells of a statement that failed the code, and no value', async () => {
  const divide = { text: 'select 1 / $1::int', values: [0] }
  await expect(pool.query(divide)).rejects.toThrow('division by zero')
  const client = await pool.connect()
  await expect(client.query(divide)).rejects.toThrow('division by zero')
  client.release()
  const span = { name: 'SELECT', request: undefined, text: divide.text, errorType: '22012' }
  expect(ended).toEqual([span, span])
})

it('cuts long statements off, and leaves streams alone', async () => {
  await pool.query(`select '${'x'.repeat(5000)}'`)
  expect(ended.map(({ text }) => String(text).length)).toEqual([2000])
  const client = await pool.connect()
  const sent: unknown[] = []
  const stream = { submit: (connection: unknown) => void sent.push(connection), handleError() {} }
  client.query(stream as never)
  await expect.poll(() => sent.length).toBe(1)
  expect(ended).toHaveLength(1)
  client.release(true)
})
