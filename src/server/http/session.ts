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

/** The signed-in user. `tier` is the tier that applies now. */
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

/** The session of a request. */
export interface Session {
  /** The id of the row. The cookie has another value, the token. */
  id: string
  user: SessionUser
}

/** @throws {RangeError} for a tier that this version doesn't know. */
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
 * Returns the prefix of our cookies' names. With `__Host-`, no other site of the same domain can
 * set them.
 * @param origin the public origin.
 */
export function cookiePrefix(origin: URL): string {
  return origin.protocol === 'https:' ? '__Host-mayfly' : 'mayfly'
}

/** Returns the name of the cookie that carries the session. */
export function sessionCookieName(origin: URL): string {
  return `${cookiePrefix(origin)}.session_token`
}

/** Whether the browser seems to be signed in. This decides which page to show, and nothing else. */
export function hasSignedInHint(context: Context<HttpEnv>): boolean {
  return Boolean(getCookie(context, signedInHint))
}
