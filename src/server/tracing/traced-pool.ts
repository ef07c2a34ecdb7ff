import { AsyncResource } from 'node:async_hooks'
import { SpanKind } from '@opentelemetry/api'
import pg from 'pg'
import { endFailed, type Spans } from './spans.ts'

/**
 * A span shows at most this many characters of a statement. A statement that inserts many rows can
 * have many thousands.
 */
const longestText = 2000

/**
 * Returns a pool whose statements have spans. A span shows the text of a statement, in which every
 * value is a placeholder, and never the values.
 */
export function tracedPool(spans: Spans): typeof pg.Pool {
  class TracedClient extends pg.Client {}
  TracedClient.prototype.query = traced(pg.Client.prototype.query, spans)

  return class TracedPool extends pg.Pool {
    constructor(config?: pg.PoolConfig) {
      super({ ...config, Client: TracedClient })
      const connect = this.connect.bind(this) as (...args: unknown[]) => unknown
      // A request may have to wait until another request gives a connection back. Without `bind`,
      // the callback would run in the async context of that other request, so its spans would get
      // a wrong parent.
      this.connect = ((callback?: (...args: unknown[]) => void) =>
        callback ? connect(AsyncResource.bind(callback)) : connect()) as typeof this.connect
    }
  }
}

type Query = typeof pg.Client.prototype.query

function traced(query: Query, spans: Spans): Query {
  const run = function (this: pg.Client, ...args: unknown[]): unknown {
    const text = textOf(args[0])
    // Streams and cursors do not report here when their statement ends. So they get no span.
    if (text === null) return Reflect.apply(query, this, args)
    const operation = /^\W*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'QUERY'
    const span = spans.begin(operation, {
      kind: SpanKind.CLIENT,
      attributes: {
        'db.system.name': 'postgresql',
        'db.operation.name': operation,
        'db.query.text': text.slice(0, longestText),
      },
    })
    const ended = (error: unknown) => (error ? endFailed(span, error) : span.end())
    const callback = args.at(-1)
    if (typeof callback === 'function') {
      const told = (error: unknown, result: unknown) => {
        ended(error)
        callback(error, result)
      }
      return Reflect.apply(query, this, [...args.slice(0, -1), told])
    }
    const result = Reflect.apply(query, this, args) as unknown as Promise<unknown>
    void result.then(() => span.end(), ended)
    return result
  }
  return run as Query
}

function textOf(query: unknown): string | null {
  if (typeof query === 'string') return query
  const isStatement = typeof query === 'object' && query !== null && !('submit' in query)
  return isStatement && 'text' in query ? String(query.text) : null
}
