import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { counter } from '../http/rate-limit.ts'
import { holdBeforeTry, waitBetweenTries } from './login-pace.ts'

/** Who tries to log in, as far as it is known before the password is. */
export interface Try {
  /** The account's name, hashed: nobody's address stands in a counter. */
  account: string
  /** The client's address, or the block of it. */
  address: string
  /** The id of a browser that this account signed in with before; null for any other. */
  knownBrowser: string | null
}

/** A try that may go on. Until one of these is called, it counts as a wrong one. */
export interface Admission {
  /** The password was right: takes the try back, and counts a login. */
  right(): Promise<void>
  /** No password was compared: takes the try back. */
  undone(): Promise<void>
}

type Limits = Pick<Deps, 'rateLimits'>

/**
 * Lets a try through, or not. A browser that signed in there before has tries of its own, which
 * nobody else uses up; when they are used up, it is like any other. What others do from one address
 * ends the tries of that address; what is done from many makes all of them slower.
 * @throws {AppError} TOO_MANY_REQUESTS, for 15 minutes at most.
 */
export async function admitTry(deps: Limits, attempt: Try): Promise<Admission> {
  if (attempt.knownBrowser === null) return admitUnknown(deps, attempt)
  try {
    return await admitKnown(deps, attempt.account, attempt.knownBrowser)
  } catch (error) {
    // The cookie may be a stolen copy, and its owner is to have another way in.
    if (!(error instanceof AppError && error.code === 'TOO_MANY_REQUESTS')) throw error
    return admitUnknown(deps, attempt)
  }
}

async function admitKnown(
  { rateLimits }: Limits,
  account: string,
  browser: string,
): Promise<Admission> {
  const wrong = counter('wrongLoginsByKnownBrowser', browser)
  const logins = counter('loginsByAccount', account)
  await rateLimits.check([logins, wrong])
  const spent = await rateLimits.spend([wrong])
  return {
    async right() {
      await rateLimits.forget([wrong.key])
      await rateLimits.add([logins])
    },
    undone: () => rateLimits.refund(spent),
  }
}

async function admitUnknown({ rateLimits }: Limits, { account, address }: Try): Promise<Admission> {
  const pair = `${address} ${account}`
  const byAddress = counter('wrongLoginsByAddress', address)
  const byAccount = counter('wrongLoginsByAccount', account)
  const byBoth = counter('wrongLoginsByAccountAndAddress', pair)
  const pause = counter('pauseOfAccountAndAddress', pair)
  const logins = [counter('loginsByAddress', address), counter('loginsByAccount', account)]
  const counts = await rateLimits.check([byAddress, byAccount, byBoth, pause, ...logins])

  const wrongLogins = counts.get(byAccount.key) ?? 0
  const waitMs = waitBetweenTries(wrongLogins)
  const paused = waitMs > 0 ? [{ ...pause, windowMs: waitMs }] : []
  const spent = await rateLimits.spend([byAddress, byAccount, byBoth, ...paused])
  if (waitMs > 0) await rateLimits.hold(holdBeforeTry(wrongLogins))
  return {
    async right() {
      await rateLimits.refund(spent, [byAddress.key, byAccount.key])
      await rateLimits.forget([byBoth.key, pause.key])
      await rateLimits.add(logins)
    },
    undone: () => rateLimits.refund(spent),
  }
}
