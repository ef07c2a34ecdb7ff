import type { Logger } from 'pino'
import type { ErrorCode } from '../../shared/contract/errors.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { counter } from '../http/rate-limit.ts'
import { keyedHash } from './secrets.ts'

/**
 * An account is under attack once this many logins have failed within an hour. One IP address alone
 * can't reach that: it has 10 attempts in 15 minutes, and an hour overlaps at most five such
 * windows.
 */
const attackThreshold = 60

/** A login attempt: one comparison with an account's password, right or wrong. */
export interface LoginAttempt {
  /** Identifies the account in rate limit counters. Comes from `hashAccountEmail`. */
  accountHash: string
  /** The client's IPv4 address, or the first 64 bits of its IPv6 address. */
  address: string
  /** The browser's id if it has signed in to this account before, otherwise null. */
  knownBrowser: string | null
}

/** An admitted attempt. Counts as failed until one of these functions is called. */
export interface Admission {
  /** Counts the attempt as successful. */
  succeed(): Promise<void>
  /** Refunds the attempt. Call this if no password was compared. */
  undo(): Promise<void>
}

type LimitDeps = Pick<Deps, 'rateLimits'>

/**
 * Returns the hash that identifies an account in rate limit counters, so the counters contain no
 * email addresses.
 */
export function hashAccountEmail(secret: string, email: string): string {
  return keyedHash(secret, 'mayfly account name', email.toLowerCase()).slice(0, 22)
}

/**
 * Counts an attempt, or rejects it if a limit is reached. Within 15 minutes, an IP address may have
 * 10 failed attempts per account (only one while the account is under attack) and 100 across all
 * accounts. So guessing locks out the guesser's IP address, never the account. A known browser has
 * its own 10 attempts, so guessing from the owner's network doesn't lock out the owner.
 * @throws {AppError} TOO_MANY_REQUESTS
 */
export async function admitAttempt(limits: LimitDeps, attempt: LoginAttempt): Promise<Admission> {
  if (attempt.knownBrowser === null) return admitUnknownBrowser(limits, attempt)
  try {
    return await admitKnownBrowser(limits, attempt.accountHash, attempt.knownBrowser)
  } catch (error) {
    // Someone with a stolen cookie may have used up the known browser's attempts. The owner can
    // still log in as an unknown browser.
    if (!(error instanceof AppError && error.code === 'TOO_MANY_REQUESTS')) throw error
    return admitUnknownBrowser(limits, attempt)
  }
}

async function admitKnownBrowser({ rateLimits }: LimitDeps, accountHash: string, browser: string) {
  const failureCounter = counter('wrongLoginsByKnownBrowser', browser)
  const loginCounter = counter('loginsByAccount', accountHash)
  await rateLimits.check([loginCounter, failureCounter])
  const spentCounters = await rateLimits.spend([failureCounter])
  return {
    async succeed() {
      await rateLimits.forget([failureCounter.key])
      await rateLimits.add([loginCounter])
    },
    undo: () => rateLimits.refund(spentCounters),
  }
}

async function admitUnknownBrowser(
  { rateLimits }: LimitDeps,
  { accountHash, address }: LoginAttempt,
) {
  const addressCounter = counter('wrongLoginsByAddress', address)
  const accountCounter = counter('wrongLoginsByAccount', accountHash)
  const pairCounter = counter('wrongLoginsByAccountAndAddress', `${address} ${accountHash}`)
  const loginCounters = [
    counter('loginsByAddress', address),
    counter('loginsByAccount', accountHash),
  ]
  const countsByKey = await rateLimits.check([
    addressCounter,
    accountCounter,
    pairCounter,
    ...loginCounters,
  ])

  const isUnderAttack = (countsByKey.get(accountCounter.key) ?? 0) >= attackThreshold
  const effectivePairCounter = isUnderAttack ? { ...pairCounter, max: 1 } : pairCounter
  const spentCounters = await rateLimits.spend([
    addressCounter,
    accountCounter,
    effectivePairCounter,
  ])
  return {
    async succeed() {
      await rateLimits.refund(spentCounters, [addressCounter.key, accountCounter.key])
      await rateLimits.forget([pairCounter.key])
      await rateLimits.add(loginCounters)
    },
    undo: () => rateLimits.refund(spentCounters),
  }
}

const loggedErrors: readonly ErrorCode[] = [
  'INVALID_CREDENTIALS',
  'WRONG_PASSWORD',
  'TOO_MANY_REQUESTS',
]

/**
 * Runs `work`, which compares a password, and logs a rejection with the client's IP address, for
 * tools such as fail2ban. The log doesn't name the account.
 */
export async function logPasswordErrors<Result>(
  { clientAddress, log }: { clientAddress: string; log: Pick<Logger, 'info'> },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError && loggedErrors.includes(error.code)) {
      log.info({ client: clientAddress, code: error.code }, 'a password was refused')
    }
    throw error
  }
}
