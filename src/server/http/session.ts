import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import type { KeyScope } from '../../shared/rules/accounts/api-key.ts'
import { effectiveTier } from '../../shared/rules/tiers/trial.ts'
import { signedInHintCookie } from '../../shared/signed-in-hint.ts'
import type { users } from '../db/schema.ts'
import type { HttpEnv } from './env.ts'

/** The signed-in user. `tier` is the tier currently in effect. */
export type SessionUser = Omit<typeof users.$inferSelect, 'createdAt' | 'updatedAt' | 'searchText'>

/** The owner of uploads and files, with the tier currently in effect. */
export type Owner = Pick<SessionUser, 'id' | 'tier'>

/** Who works on uploads: their owner, or a sender with the token of a delivery. */
export interface Uploader {
  isSender: boolean
  /**
   * Returns the owner of the upload with this storage key.
   * @throws {AppError} UPLOAD_NOT_FOUND if it isn't part of the sender's delivery.
   */
  ownerOf(storageKey: string): Promise<string>
}

/** The owner of the API key that a request carries, and what the key is allowed to do. */
export interface KeyCaller {
  /** The key's id. */
  id: string
  user: SessionUser
  scopes: readonly KeyScope[]
}

export interface Session {
  /** The id of the session's row. The cookie contains the session's token instead. */
  id: string
  user: SessionUser
}

/** Returns the session of a request, or null. */
export type ReadSession = (context: Context<HttpEnv>) => Promise<Session | null>

/**
 * Returns the text of the API key that a request carries, valid or not; null if it carries none.
 * Such a request has no session, whatever cookies it sends.
 */
export function readBearerKey(context: Context<HttpEnv>): string | null {
  return /^bearer +(mfy_\S*) *$/i.exec(context.req.header('authorization') ?? '')?.[1] ?? null
}

/** @throws {RangeError} for a tier unknown to this version. */
export function toSessionUser(user: SessionUser, now: Date): SessionUser {
  return { ...user, tier: effectiveTier(user, now) }
}

/** Returns a user's public fields (spec §3, User). The response schema removes all others. */
export function publicUser(user: SessionUser) {
  return { ...user, isAdmin: user.role === 'admin', profileImageUrl: user.image }
}

/**
 * Returns the prefix of our cookie names. With `__Host-`, other hosts in the domain can't set the
 * cookies.
 * @param origin the public origin.
 */
export function cookiePrefix(origin: URL): string {
  return origin.protocol === 'https:' ? '__Host-mayfly' : 'mayfly'
}

export function sessionCookieName(origin: URL): string {
  return `${cookiePrefix(origin)}.session_token`
}

/**
 * True if the browser seems to be signed in. Only used to choose a page, never for access control.
 */
export function hasSignedInHint(context: Context<HttpEnv>): boolean {
  return Boolean(getCookie(context, signedInHintCookie))
}
