import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { counter } from '../http/rate-limit.ts'
import { holdBeforeTry, waitBetweenTries } from './login-pace.ts'

/** What the server knows about a login before it compares the password. */
export interface Try {
  /** A hash that stands for the account, so that no counter contains a mail address. */
  account: string
  /** The client's address, or the first 64 bits of an IPv6 address. */
  address: string
  /** The id of a browser that has signed in to this account before; null for any other browser. */
  knownBrowser: string | null
}

/** A login that may go on. It counts as wrong until one of these functions is called. */
export interface Admission {
  /**
   * Call this when the password was right. It undoes the count of a wrong login and counts a right
   * one.
   */
  right(): Promise<void>
  /** Call this when no password was compared. It undoes the count of a wrong login. */
  undone(): Promise<void>
}

type Limits = Pick<Deps, 'rateLimits'>

/**
 * Allows a login to go on, or refuses it. For a browser that signed in to the account before, wrong
 * logins have a limit of their own, which other browsers cannot use up. When this limit is reached,
 * the browser is treated like any other. Too many wrong logins from one address block that address.
 * Wrong logins from many addresses slow down all logins to the account. Right logins have limits
 * too, for each address and for each account.
 * @throws {AppError} TOO_MANY_REQUESTS, for 15 minutes at most.
 */
export async function admitTry(deps: Limits, attempt: Try): Promise<Admission> {
  if (attempt.knownBrowser === null) return admitUnknown(deps, attempt)
  try {
    return await admitKnown(deps, attempt.account, attempt.knownBrowser)
  } catch (error) {
    // Somebody may have stolen the browser's cookie and used up its limit. The account's owner must
    // still be able to log in.
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
