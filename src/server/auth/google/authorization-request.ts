import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { z } from 'zod'
import { googleRequestKeptMs } from '../../../shared/rules/files/kept-times.ts'
import type { Deps } from '../../deps.ts'
import type { HttpEnv } from '../../http/env.ts'
import type { RequestSecrets } from './issuer.ts'
import { insertAuthorizationRequest, takeAuthorizationRequest } from './queries.ts'

type RequestDeps = Pick<Deps, 'clock' | 'config' | 'db'>

const cookieName = 'mayfly.google'

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
  { clock, config, db }: RequestDeps,
  context: Context<HttpEnv>,
  purpose: SignInPurpose,
): Promise<RequestSecrets> {
  const browser = readBrowser(config, context) ?? randomSecret()
  const state = randomSecret()
  const now = clock()
  await insertAuthorizationRequest(db, {
    state: sha256(state),
    value: JSON.stringify({ browser: sha256(browser), ...purpose } satisfies z.input<typeof kept>),
    expiresAt: new Date(now.getTime() + googleRequestKeptMs),
    now,
  })
  setCookie(context, cookieName, browser, {
    ...(isHttps(config) && { prefix: 'host', secure: true }),
    httpOnly: true,
    // The issuer sends the browser back from another site. With a stricter value, the browser would
    // not send this cookie then.
    sameSite: 'Lax',
    path: '/',
    maxAge: googleRequestKeptMs / 1000,
  })
  return secretsOf(browser, state)
}

/**
 * Ends the authorization request with this state, and returns it. A state works once, within ten
 * minutes, and only in the browser that began the request. Of parallel callers exactly one gets the
 * request. Returns null for any other state.
 */
export async function endRequest(
  { clock, config, db }: RequestDeps,
  context: Context<HttpEnv>,
  state: string,
): Promise<Answered | null> {
  const value = await takeAuthorizationRequest(db, sha256(state), clock())
  if (value === null) return null
  const { browser: expected, next, linkTo } = kept.parse(JSON.parse(value))
  const browser = readBrowser(config, context)
  if (browser === undefined || !isSame(sha256(browser), expected)) return null
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

function readBrowser(config: Deps['config'], context: Context<HttpEnv>): string | undefined {
  const value = isHttps(config)
    ? getCookie(context, cookieName, 'host')
    : getCookie(context, cookieName)
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined
}

function isHttps({ appUrl }: Deps['config']): boolean {
  return appUrl.protocol === 'https:'
}

function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
