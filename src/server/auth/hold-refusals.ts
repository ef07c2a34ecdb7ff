import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'

/** So long is a refusal held: a person hardly notices, a program asks 50 times less often. */
const refusalMs = 1000
/** So many are held at once, of some 10 KiB each; others are told at once. */
const mostHeld = 1000

/**
 * Makes a function that does work, and tells a second later that it was refused because there is too
 * much of it. Whoever asks again as soon as he is answered would otherwise keep the server busy with
 * nothing but refusals.
 */
export function refusalHolder({ rateLimits }: Pick<Deps, 'rateLimits'>) {
  let held = 0
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work()
    } catch (error) {
      if (isTooMuch(error) && held < mostHeld) {
        held += 1
        await rateLimits.hold(refusalMs).finally(() => {
          held -= 1
        })
      }
      throw error
    }
  }
}

function isTooMuch(error: unknown): boolean {
  return error instanceof AppError && ['TOO_MANY_REQUESTS', 'PASSWORDS_BUSY'].includes(error.code)
}
