import type { Context } from 'hono'
import { AppError } from '../errors.ts'
import type { HttpEnv } from './env.ts'

/**
 * Handles an error of reading a body. Throws INVALID_INPUT if the request broke off before its body
 * was complete: the client left, or sent what is no HTTP. Otherwise throws the error itself, for
 * example because the body is too long. Without this, a broken connection of a client would look
 * like one of the database.
 */
export function cutOff(context: Context<HttpEnv>, error: unknown): never {
  if (!context.env.incoming.destroyed || context.env.incoming.complete) throw error
  throw new AppError('INVALID_INPUT', { message: 'The body did not arrive whole.' })
}
