import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import type { User } from '../../shared/contract/account.ts'
import type { Role } from '../../shared/rules/accounts/role.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { effectiveTier } from '../../shared/rules/tiers/trial.ts'
import { signedInHint } from '../../shared/signed-in-hint.ts'
import type { users } from '../db/schema.ts'
import type { HttpEnv } from './env.ts'

type UserRow = Pick<typeof users.$inferSelect, keyof SessionUser>

/** What the server knows of the signed-in user. `tier` is the tier that applies now. */
export interface SessionUser {
  id: string
  email: string
  name: string
  firstName: string
  lastName: string
  emailVerified: boolean
  role: Role
  tier: Tier
  premiumTrialStartedAt: Date | null
  premiumTrialEndsAt: Date | null
  image: string | null
}

/** A user to whom uploads and files belong, with the tier that applies now. */
export type Owner = Pick<SessionUser, 'id' | 'tier'>

/** The session of a request, by which the server knows the user. */
export interface Session {
  /** The id of the session's row. Nobody can sign in with it: the cookie carries another value. */
  id: string
  user: SessionUser
}

/**
 * Turns a row of `users` into the user for our use cases, with the tier that applies at `now`.
 * @throws {RangeError} for a tier or role that this program does not know.
 */
export function toSessionUser(user: UserRow, now: Date): SessionUser {
  const trial = {
    premiumTrialStartedAt: user.premiumTrialStartedAt,
    premiumTrialEndsAt: user.premiumTrialEndsAt,
  }
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    firstName: user.firstName,
    lastName: user.lastName,
    emailVerified: user.emailVerified,
    role: user.role,
    tier: effectiveTier({ tier: user.tier, ...trial }, now),
    ...trial,
    image: user.image,
  }
}

/** Returns those fields of a user that the browser may see (spec §3, User). */
export function publicUser(user: SessionUser): User {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    firstName: user.firstName,
    lastName: user.lastName,
    emailVerified: user.emailVerified,
    tier: user.tier,
    isAdmin: user.role === 'admin',
    premiumTrialStartedAt: user.premiumTrialStartedAt?.toISOString() ?? null,
    premiumTrialEndsAt: user.premiumTrialEndsAt?.toISOString() ?? null,
    profileImageUrl: user.image,
  }
}

/**
 * Returns the start of our cookies' names. Over https it contains `__Host-`: browsers then take the
 * cookie from this host only, and another site of the same domain cannot set it.
 * @param origin the public origin.
 */
export function cookiePrefix(origin: URL): string {
  return origin.protocol === 'https:' ? '__Host-mayfly' : 'mayfly'
}

/** Returns the name of the cookie that carries the session. */
export function sessionCookieName(origin: URL): string {
  return `${cookiePrefix(origin)}.session_token`
}

/**
 * Tells whether the browser has the cookie which hints that somebody is signed in. The cookie only
 * decides which page is shown. Permissions depend on the session.
 */
export function hasHint(context: Context<HttpEnv>): boolean {
  return Boolean(getCookie(context, signedInHint))
}
