import { createHash, createHmac } from 'node:crypto'
import type { Context } from 'hono'
import { z } from 'zod'
import { googleRequestKeptMs } from '../../../shared/rules/files/kept-times.ts'
import type { Deps } from '../../deps.ts'
import type { HttpEnv } from '../../http/env.ts'
import { readCookie, writeCookie } from '../cookies.ts'
import { isSameText, newToken } from '../secrets.ts'
import type { RequestSecrets } from './issuer.ts'
import { insertAuthorizationRequest, takeAuthorizationRequest } from './queries.ts'

type RequestDeps = Pick<Deps, 'clock' | 'config' | 'db'>

const cookieName = 'google'

/** What a person wanted to do when the server sent the browser to the issuer. */
export interface SignInPurpose {
  /** The page that the browser opens afterwards. */
  next: string
  /**
   * The id of the user who wants to add Google to their account; null for a person who signs in.
   */
  linkTo: string | null
}

/** A request for which the issuer's answer has arrived in the same browser. */
export interface Answered extends SignInPurpose {
  secrets: RequestSecrets
}

/**
 * What the database keeps of a request: a hash that stands for the browser, and what the person
 * wants.
 */
const kept = z.object({ browser: z.string(), next: z.string(), linkTo: z.string().nullable() })

/**
 * Begins an authorization request. The database gets a row for it, and the browser a cookie. A
 * browser keeps the same cookie for several requests, so that several tabs can sign in at the same
 * time.
 */
export async function beginRequest(
  deps: RequestDeps,
  context: Context<HttpEnv>,
  purpose: SignInPurpose,
): Promise<RequestSecrets> {
  const { clock, db } = deps
  const browser = readBrowser(deps, context) ?? newToken()
  const state = newToken()
  await insertAuthorizationRequest(db, {
    state: sha256(state),
    value: JSON.stringify({ browser: sha256(browser), ...purpose } satisfies z.input<typeof kept>),
    expiresAt: new Date(clock().getTime() + googleRequestKeptMs),
  })
  writeCookie(deps, context, cookieName, browser, googleRequestKeptMs)
  return secretsOf(browser, state)
}

/**
 * Ends the authorization request with this state, and returns it. A state works once, within ten
 * minutes, and only in the browser that began the request. Of parallel callers exactly one gets the
 * request. Returns null for any other state.
 */
export async function endRequest(
  deps: RequestDeps,
  context: Context<HttpEnv>,
  state: string,
): Promise<Answered | null> {
  const value = await takeAuthorizationRequest(deps.db, sha256(state), deps.clock())
  if (value === null) return null
  const { browser: expected, next, linkTo } = kept.parse(JSON.parse(value))
  const browser = readBrowser(deps, context)
  if (browser === undefined || !isSameText(sha256(browser), expected)) return null
  return { next, linkTo, secrets: secretsOf(browser, state) }
}

/**
 * Makes nonce and code verifier from the browser's cookie and from the state that the issuer sends
 * back. So nobody who reads the database can end the request of another person.
 */
function secretsOf(browser: string, state: string): RequestSecrets {
  const secret = (purpose: string) =>
    createHmac('sha256', browser).update(`${purpose} ${state}`).digest('base64url')
  return { state, nonce: secret('nonce'), codeVerifier: secret('code verifier') }
}

function readBrowser(deps: RequestDeps, context: Context<HttpEnv>): string | undefined {
  const value = readCookie(deps, context, cookieName)
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
