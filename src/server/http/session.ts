import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
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
  return { ...user, tier: effectiveTier(user, now) }
}

/** Returns a user as answers show it (spec §3, User). The contract removes all other fields. */
export function publicUser(user: SessionUser) {
  return { ...user, isAdmin: user.role === 'admin', profileImageUrl: user.image }
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
