import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'

/** How long a refusal is held. A person hardly notices it; a program asks 50 times less often. */
const refusalMs = 1000
/**
 * How many refusals are held at the same time, at most. Each takes about 10 KiB. Further refusals
 * are sent without delay.
 */
const mostHeld = 1000

/**
 * Makes a function that does work. When the work is refused as too much, the function holds the
 * refusal for a second. A client that asks again after each answer would otherwise keep the server
 * busy with refusals.
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
