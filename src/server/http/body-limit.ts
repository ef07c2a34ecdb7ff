import { bodyLimit as countingLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import { AppError } from '../errors.ts'
import { cutOff } from './cut-off.ts'
import type { HttpEnv } from './env.ts'
import type { LargeBodies } from './large-bodies.ts'

/**
 * Refuses bodies longer than `maxSize` bytes with BODY_TOO_LARGE. If a request has a
 * Content-Length, only that number is compared: Node reads no more bytes than it says. A body
 * without a Content-Length is counted while it arrives. Counting needs a web stream, which costs
 * more than most of our answers. Before a large body is read, it must find room among those of
 * other calls.
 * @param larger the paths that have another limit, each with its limit in bytes.
 */
export function bodyLimit(
  bodies: Pick<LargeBodies, 'hold'>,
  maxSize: number,
  larger: ReadonlyMap<string, number> = new Map(),
) {
  const limits = new Map([...larger].map(([path, size]) => [path, oneLimit(bodies, size)]))
  const usual = oneLimit(bodies, maxSize)
  return createMiddleware<HttpEnv>((c, next) => (limits.get(c.req.path) ?? usual)(c, next))
}

function oneLimit(bodies: Pick<LargeBodies, 'hold'>, maxSize: number) {
  const counted = countingLimit({ maxSize, onError: tooLarge })
  return createMiddleware<HttpEnv>((c, next) => {
    const { 'content-length': length, 'transfer-encoding': coding } = c.env.incoming.headers
    const isCounted = coding !== undefined
    const bytes = isCounted ? maxSize : Number(length ?? 0)
    if (bytes > maxSize) return tooLarge()
    // No call reads the body of a GET or HEAD, and a download may take hours.
    if (bytes === 0 || c.req.method === 'GET' || c.req.method === 'HEAD') return next()
    const count = () => counted(c, next).catch((error) => cutOff(c, error))
    const work = async () => (isCounted ? count() : next())
    return bodies.hold(bytes, c.get('clientAddress'), work)
  })
}

function tooLarge(): never {
  throw new AppError('BODY_TOO_LARGE')
}
