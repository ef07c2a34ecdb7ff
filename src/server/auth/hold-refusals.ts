import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'

/**
 * How long a refusal is delayed. A person hardly notices that. A program that asks again after each
 * refusal asks 50 times less often.
 */
const refusalMs = 1000
/**
 * How many refusals are delayed at the same time at most. Each takes about 10 KiB of memory.
 * Further refusals are sent without delay.
 */
const mostHeld = 1000

/**
 * Returns a function that runs the given work. If the work fails with TOO_MANY_REQUESTS or
 * PASSWORDS_BUSY, the function throws this error a second later. Otherwise a client that asks again
 * after each answer would keep the server busy with refusals.
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
