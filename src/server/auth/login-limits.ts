import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { counter } from '../http/rate-limit.ts'
import { holdBeforeTry, waitBetweenTries } from './login-pace.ts'

/** Who tries to log in, as far as the server knows before it compares the password. */
export interface Try {
  /** The account's name as a hash, so that no counter holds a mail address. */
  account: string
  /** The client's address, or for IPv6 its block of addresses. */
  address: string
  /** The id of a browser that this account signed in with before; null for any other. */
  knownBrowser: string | null
}

/** A try that may go on. It counts as wrong until one of these functions is called. */
export interface Admission {
  /** Call this when the password was right: it takes the try back and counts a login. */
  right(): Promise<void>
  /** Call this when no password was compared: it takes the try back. */
  undone(): Promise<void>
}

type Limits = Pick<Deps, 'rateLimits'>

/**
 * Admits a try or refuses it. A browser that signed in to the account before has its own tries,
 * which others cannot use up. After its last one it is treated like any other browser. Wrong tries
 * from one address use up the tries of that address. Wrong tries from many addresses slow all tries
 * down.
 * @throws {AppError} TOO_MANY_REQUESTS, for 15 minutes at most.
 */
export async function admitTry(deps: Limits, attempt: Try): Promise<Admission> {
  if (attempt.knownBrowser === null) return admitUnknown(deps, attempt)
  try {
    return await admitKnown(deps, attempt.account, attempt.knownBrowser)
  } catch (error) {
    // The cookie may be a stolen copy. The account's owner must still be able to log in.
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
