import { createHash, createHmac } from 'node:crypto'
import { and, eq, gt } from 'drizzle-orm'
import type { Context } from 'hono'
import { z } from 'zod'
import { googleSignInTimeoutMs } from '../../../shared/rules/files/retention.ts'
import { verifications } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import type { HttpEnv } from '../../http/env.ts'
import { readCookie, writeCookie } from '../cookies.ts'
import { isSameText, newToken } from '../secrets.ts'
import type { RequestSecrets } from './issuer.ts'

type RequestDeps = Pick<Deps, 'clock' | 'config' | 'db'>

const cookieName = 'google'

/** Why the user was sent to the issuer: to sign in or to link an account. */
export interface SignInPurpose {
  /** The page to open after the sign-in or linking. */
  next: string
  /** The id of the user who is linking Google to their account; null for a sign-in. */
  linkTo: string | null
}

/** An authorization request whose response has arrived in the browser that started it. */
export interface VerifiedAuthorization extends SignInPurpose {
  secrets: RequestSecrets
}

/**
 * The part of an authorization request that is stored in the database. `browser` is a hash of the
 * cookie.
 */
const storedRequest = z.object({
  browser: z.string(),
  next: z.string(),
  linkTo: z.string().nullable(),
})

/**
 * Starts an authorization request: stores a row and sets a cookie. All of a browser's requests
 * share one cookie, so several tabs can sign in at the same time.
 */
export async function startRequest(
  deps: RequestDeps,
  context: Context<HttpEnv>,
  purpose: SignInPurpose,
): Promise<RequestSecrets> {
  const { clock, db } = deps
  const browserToken = readBrowserToken(deps, context) ?? newToken()
  const state = newToken()
  await db.insert(verifications).values({
    identifier: sha256(state),
    value: JSON.stringify({ browser: sha256(browserToken), ...purpose } satisfies z.input<
      typeof storedRequest
    >),
    expiresAt: new Date(clock().getTime() + googleSignInTimeoutMs),
  })
  writeCookie(deps, context, cookieName, browserToken, googleSignInTimeoutMs)
  return deriveSecrets(browserToken, state)
}

/**
 * Completes the authorization request with this state. A state works once, within ten minutes, in
 * the browser that started the request.
 * @returns null if the state is unknown, used, expired or from another browser.
 */
export async function completeRequest(
  deps: RequestDeps,
  context: Context<HttpEnv>,
  state: string,
): Promise<VerifiedAuthorization | null> {
  const { identifier, expiresAt, value } = verifications
  const [row] = await deps.db
    .delete(verifications)
    .where(and(eq(identifier, sha256(state)), gt(expiresAt, deps.clock())))
    .returning({ value })
  if (!row) return null
  const { browser: browserHash, next, linkTo } = storedRequest.parse(JSON.parse(row.value))
  const browserToken = readBrowserToken(deps, context)
  if (browserToken === undefined || !isSameText(sha256(browserToken), browserHash)) return null
  return { next, linkTo, secrets: deriveSecrets(browserToken, state) }
}

/**
 * Derives the nonce and the code verifier from the cookie and the state, so that read access to the
 * database isn't enough to complete a request.
 */
function deriveSecrets(browserToken: string, state: string): RequestSecrets {
  const deriveSecret = (purpose: string) =>
    createHmac('sha256', browserToken).update(`${purpose} ${state}`).digest('base64url')
  return { state, nonce: deriveSecret('nonce'), codeVerifier: deriveSecret('code verifier') }
}

function readBrowserToken(deps: RequestDeps, context: Context<HttpEnv>): string | undefined {
  const value = readCookie(deps, context, cookieName)
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
