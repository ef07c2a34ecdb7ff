/**
 * Accounts and sessions. The words of this room:
 * - A *try* is one comparison of a password with that of an account, right or wrong: at a login, or
 *   where a signed-in user must give the current password. A login that is refused earlier is no
 *   try.
 * - A *known browser* signed in to the account before, and has a cookie that proves it. Its wrong
 *   tries have a limit of their own, which other browsers cannot use up.
 * - A *token* is the secret in the link of an email. The database keeps its SHA-256. A token for a
 *   new password works once. One that verifies an address may be used again, and then changes
 *   nothing. The token of a session is another secret, in the session's cookie.
 */
import type { Auth as BetterAuth, BetterAuthOptions } from 'better-auth'
import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import { betterAuth } from 'better-auth/minimal'
import type { Logger } from 'pino'
import { maxPasswordLength, minPasswordLength } from '../../shared/contract/account.ts'
import { defaultRole, roles } from '../../shared/rules/accounts/role.ts'
import { longestLifeMs } from '../../shared/rules/accounts/session-life.ts'
import { defaultTier, tiers } from '../../shared/rules/tiers/tier.ts'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/db.ts'
import * as schema from '../db/schema.ts'
import { cookiePrefix } from '../http/cookie-names.ts'
import { newSession } from './new-session.ts'
import { type DatabaseWatch, watchDatabase } from './watch-database.ts'

/** Hashes passwords and compares them with their hashes, in the format of Better Auth. */
export interface Passwords {
  /**
   * Hashes a password.
   * @param salt a random one is used where it is left out.
   * @throws {AppError} PASSWORDS_BUSY when too many callers wait; UNAVAILABLE when hashing is not
   * possible now.
   */
  hash(password: string, salt?: string): Promise<string>
  /**
   * Compares a password with a stored hash.
   * @throws {AppError} as `hash` does.
   */
  verify(known: { hash: string; password: string }): Promise<boolean>
  /**
   * Runs `work`. The passwords that it hashes are counted as those of `client`, so that one client
   * cannot fill the queue.
   */
  forClient<Result>(client: string, work: () => Promise<Result>): Promise<Result>
  /**
   * Does the same as `forClient`, but hashes `first.password` before `work` begins. In `work`,
   * hashing this password again takes no time, and comparing it with hashes of the same salt takes
   * none either. Two kinds of work need this. The first occupies a connection to the database, and
   * must not wait for a hash. The second compares one password with several hashes.
   * @param first a random `salt` is used where it is left out.
   */
  hashedFirst<Result>(
    client: string,
    first: { password: string; salt?: string },
    work: () => Promise<Result>,
  ): Promise<Result>
}

interface AuthOptions {
  db: Db
  clock: Clock
  appUrl: URL
  log: Logger
  /** Signs the session cookies. */
  secret: string
  passwords: Passwords
  requireEmailVerification: boolean
}

function optionsFor(
  { db, clock, appUrl, log, secret, passwords, requireEmailVerification }: AuthOptions,
  { watched }: DatabaseWatch,
) {
  return {
    baseURL: appUrl.origin,
    secret,
    telemetry: { enabled: false },
    logger: {
      level: 'warn',
      // Better Auth logs a wrong password as an error. Real faults come with an exception.
      log: (_, message, ...details) => {
        const err = details.find((detail) => detail instanceof Error)
        log[err ? 'error' : 'debug']({ err }, `Better Auth: ${message}`)
      },
    },
    // The server has its own limits, which count in the database for all servers together.
    rateLimit: { enabled: false },
    database: watched(
      // With transactions, a user and the account with the password are made together or not at
      // all.
      drizzleAdapter(db, { provider: 'pg', schema, usePlural: true, transaction: true }),
    ),
    emailAndPassword: {
      enabled: true,
      autoSignIn: false, // after signing up, people must log in (spec §4)
      minPasswordLength,
      maxPasswordLength,
      requireEmailVerification,
      password: {
        hash: (password) => passwords.hash(password),
        verify: (known) => passwords.verify(known),
      },
    },
    // Better Auth would prolong a session forever, so this is switched off. Our rule is in
    // `rules/session-life.ts`, and read-session.ts applies it.
    session: { expiresIn: longestLifeMs / 1000, disableSessionRefresh: true },
    databaseHooks: {
      session: {
        create: {
          before: async (_, context) => ({ data: newSession(context?.headers, clock()) }),
        },
      },
    },
    user: {
      additionalFields: {
        firstName: { type: 'string', required: true },
        lastName: { type: 'string', required: true },
        tier: { type: [...tiers], required: true, defaultValue: defaultTier, input: false },
        role: { type: [...roles], required: true, defaultValue: defaultRole, input: false },
        premiumTrialStartedAt: { type: 'date', required: false, input: false },
        premiumTrialEndsAt: { type: 'date', required: false, input: false },
      },
    },
    advanced: {
      cookiePrefix: cookiePrefix(appUrl),
      useSecureCookies: false, // true would put `__Secure-` before our own prefix
      defaultCookieAttributes: {
        httpOnly: true,
        sameSite: 'lax',
        path: '/',
        secure: appUrl.protocol === 'https:',
      },
      ipAddress: { disableIpTracking: true }, // new-session.ts records the address
    },
  } satisfies BetterAuthOptions
}

/**
 * Creates Better Auth for our tables. It is called only through `auth.api`. Its own routes are not
 * served, so that the contract describes every path of the server. We import `better-auth/minimal`,
 * because it lacks the query builder, which the drizzle adapter does not need. If the database
 * cannot be used during a call, the call throws the error of the database's driver.
 */
export function createAuth(options: AuthOptions): Auth {
  const watch = watchDatabase()
  const auth = betterAuth(optionsFor(options, watch))
  return { ...auth, api: watch.faithful(auth.api) }
}

export type Auth = BetterAuth<ReturnType<typeof optionsFor>>
export type AuthUser = Auth['$Infer']['Session']['user']
