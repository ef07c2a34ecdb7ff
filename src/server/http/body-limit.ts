import { bodyLimit as countingLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import { AppError } from '../errors.ts'
import type { HttpEnv } from './env.ts'

/**
 * Refuses bodies longer than `maxSize` bytes with BODY_TOO_LARGE. If a request has a
 * Content-Length, only that number is compared: Node reads no more bytes than it says. A body
 * without a Content-Length is counted while it arrives. Counting needs a web stream, which costs
 * more than most of our answers.
 * @param larger the paths that have another limit, each with its limit in bytes.
 */
export function bodyLimit(maxSize: number, larger: ReadonlyMap<string, number> = new Map()) {
  const limits = new Map([...larger].map(([path, size]) => [path, oneLimit(size)]))
  const usual = oneLimit(maxSize)
  return createMiddleware<HttpEnv>((c, next) => (limits.get(c.req.path) ?? usual)(c, next))
}

function oneLimit(maxSize: number) {
  const counted = countingLimit({ maxSize, onError: tooLarge })
  return createMiddleware<HttpEnv>((c, next) => {
    const { 'content-length': length, 'transfer-encoding': coding } = c.env.incoming.headers
    if (coding !== undefined) return counted(c, next)
    return Number(length ?? 0) > maxSize ? tooLarge() : next()
  })
}

function tooLarge(): never {
  throw new AppError('BODY_TOO_LARGE')
}
