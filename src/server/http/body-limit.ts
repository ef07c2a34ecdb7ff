import type { Context } from 'hono'
import { bodyLimit as countingLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import { AppError } from '../errors.ts'
import type { HttpEnv } from './env.ts'
import { FairLimit, type SharedLimit } from './limits.ts'

/**
 * How many bytes the large bodies of all calls may have at the same time. Parsed, they take several
 * times as much memory.
 */
const largeBodies: SharedLimit = { total: 16 * 1024 * 1024, always: 2 * 1024 * 1024 }

/** A body with more bytes is large. A login or a signup has less than 1 KiB. */
const largestSmallBody = 4 * 1024

/**
 * Refuses bodies longer than `maxSize` bytes with BODY_TOO_LARGE. A Content-Length is only
 * compared, since Node reads no more than it says. Other bodies are counted while they arrive.
 * Large bodies have a limit of memory, for each client and for all together. Past it a call is
 * refused with SERVER_BUSY before its body is read.
 * @param larger the paths that have another limit, each with its limit in bytes.
 */
export function bodyLimit(maxSize: number, larger: ReadonlyMap<string, number> = new Map()) {
  const memory = new FairLimit(largeBodies)
  const limits = new Map([...larger].map(([path, size]) => [path, limitTo(size, memory)]))
  const usual = limitTo(maxSize, memory)
  return createMiddleware<HttpEnv>((c, next) => (limits.get(c.req.path) ?? usual)(c, next))
}

function limitTo(maxSize: number, memory: FairLimit) {
  const counted = countingLimit({ maxSize, onError: tooLarge })
  return createMiddleware<HttpEnv>(async (c, next) => {
    const { 'content-length': length, 'transfer-encoding': coding } = c.env.incoming.headers
    const isCounted = coding !== undefined
    const bytes = isCounted ? maxSize : Number(length ?? 0)
    if (bytes > maxSize) return tooLarge()
    // No call reads the body of a GET or HEAD, and a download may take hours.
    if (bytes === 0 || c.req.method === 'GET' || c.req.method === 'HEAD') return next()
    const release =
      bytes > largestSmallBody ? memory.take(c.get('clientAddress'), bytes) : () => undefined
    if (!release) throw new AppError('SERVER_BUSY')
    try {
      return await (isCounted ? counted(c, next).catch((error) => rethrowBody(c, error)) : next())
    } finally {
      // Until the call is done, what was parsed of the body is in memory too.
      release()
    }
  })
}

function tooLarge(): never {
  throw new AppError('BODY_TOO_LARGE')
}

/**
 * Handles an error of reading a body. Throws INVALID_INPUT if the request broke off before its body
 * was complete, since a client's broken connection would otherwise look like one of the database.
 * Throws any other error as it is.
 */
export function rethrowBody(context: Context<HttpEnv>, error: unknown): never {
  if (!context.env.incoming.destroyed || context.env.incoming.complete) throw error
  throw new AppError('INVALID_INPUT', { message: 'The body did not arrive whole.' })
}
