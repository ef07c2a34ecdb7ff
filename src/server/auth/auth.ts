/**
 * Accounts and sessions. The words of this room:
 * - A *try* is one login with a password, right or wrong. What is refused before is none.
 * - A *known browser* signed in to the account before, and has a cookie that says so. Nobody else uses up its tries.
 * - A *token* is what the link in a letter carries. It works once, and the database keeps its SHA-256.
 */
import type { Auth as BetterAuth, BetterAuthOptions } from 'better-auth'
import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import { betterAuth } from 'better-auth/minimal'
import type { Logger } from 'pino'
import { maxPasswordLength, minPasswordLength } from '../../shared/contract/account.ts'
import { roles } from '../../shared/rules/role.ts'
import { tiers } from '../../shared/rules/tier.ts'
import type { Db } from '../db/db.ts'
import * as schema from '../db/schema.ts'
import { type DatabaseWatch, watchDatabase } from './watch-database.ts'

const day = 24 * 60 * 60

/** Hashes passwords and compares them with their hashes, in the format of Better Auth. */
export interface Passwords {
  /**
   * @throws {AppError} PASSWORDS_BUSY when too many wait; UNAVAILABLE when it cannot be done now.
   */
  hash(password: string): Promise<string>
  /** As `hash`. */
  verify(known: { hash: string; password: string }): Promise<boolean>
  /** Runs `work`, whose passwords count as those of `client`: nobody takes the place of all others. */
  forClient<Result>(client: string, work: () => Promise<Result>): Promise<Result>
  /**
   * As `forClient`, with `password` hashed before `work` begins and not in it: for work that holds a
   * connection to the database, which is not to wait for a hash.
   */
  hashedFirst<Result>(
    client: string,
    password: string,
    work: () => Promise<Result>,
  ): Promise<Result>
}

interface AuthOptions {
  db: Db
  appUrl: URL
  log: Logger
  /** Signs the session cookies. */
  secret: string
  passwords: Passwords
  requireEmailVerification: boolean
}

function optionsFor(
  { db, appUrl, log, secret, passwords, requireEmailVerification }: AuthOptions,
  { watched }: DatabaseWatch,
) {
  return {
    baseURL: appUrl.origin,
    secret,
    telemetry: { enabled: false },
    logger: {
      level: 'warn',
      // What it calls an error is mostly a wrong password; a fault comes with an exception.
      log: (_, message, ...details) => {
        const err = details.find((detail) => detail instanceof Error)
        log[err ? 'error' : 'debug']({ err }, `Better Auth: ${message}`)
      },
    },
    rateLimit: { enabled: false }, // ours counts in the database, for all servers together
    database: watched(
      // A user and the account with the password are made together or not at all.
      drizzleAdapter(db, { provider: 'pg', schema, usePlural: true, transaction: true }),
    ),
    emailAndPassword: {
      enabled: true,
      autoSignIn: false, // signing up leads to the login page (spec §4)
      minPasswordLength,
      maxPasswordLength,
      requireEmailVerification,
      password: {
        hash: (password) => passwords.hash(password),
        verify: (known) => passwords.verify(known),
      },
    },
    session: { expiresIn: 30 * day, updateAge: day },
    user: {
      additionalFields: {
        firstName: { type: 'string', required: true },
        lastName: { type: 'string', required: true },
        tier: { type: [...tiers], required: true, defaultValue: 'free', input: false },
        role: { type: [...roles], required: true, defaultValue: 'user', input: false },
        premiumTrialStartedAt: { type: 'date', required: false, input: false },
        premiumTrialEndsAt: { type: 'date', required: false, input: false },
      },
    },
    advanced: {
      cookiePrefix: 'mayfly',
      useSecureCookies: appUrl.protocol === 'https:',
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/' },
    },
  } satisfies BetterAuthOptions
}

/**
 * Better Auth, set up for our tables. It is only ever called through `auth.api`: its own routes are
 * not mounted, so that every path in the server is one of the contract's. Its minimal entry leaves
 * out a query builder that the drizzle adapter does not need. A call during which the database was
 * away throws what the database's driver threw.
 */
export function createAuth(options: AuthOptions): Auth {
  const watch = watchDatabase()
  const auth = betterAuth(optionsFor(options, watch))
  return { ...auth, api: watch.faithful(auth.api) }
}

export type Auth = BetterAuth<ReturnType<typeof optionsFor>>
export type AuthUser = Auth['$Infer']['Session']['user']
