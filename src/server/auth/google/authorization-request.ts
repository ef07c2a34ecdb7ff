import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { z } from 'zod'
import type { Deps } from '../../deps.ts'
import type { HttpEnv } from '../../http/env.ts'
import type { RequestSecrets } from './issuer.ts'
import { insertAuthorizationRequest, takeAuthorizationRequest } from './queries.ts'

type RequestDeps = Pick<Deps, 'clock' | 'config' | 'db'>

/** How long somebody may take at the issuer. */
const lifetimeMs = 10 * 60 * 1000

const cookieName = 'mayfly.google'

/** What somebody wanted who was led to the issuer. */
export interface Wish {
  /** The page to come back to. */
  next: string
  /** The user who adds Google to the own account; null for somebody who signs in. */
  linkTo: string | null
}

/** An answer of the issuer that belongs to a request of this very browser. */
export interface Answered extends Wish {
  secrets: RequestSecrets
}

/** What the database keeps of a request: whose browser began it, as a hash, and what was wanted. */
const kept = z.object({ browser: z.string(), next: z.string(), linkTo: z.string().nullable() })

/**
 * Begins an authorization request. The database keeps one row for it, and the browser a cookie. A
 * browser keeps its cookie from one request to the next, so that several tabs can sign in at once.
 */
export async function beginRequest(
  { clock, config, db }: RequestDeps,
  context: Context<HttpEnv>,
  wish: Wish,
): Promise<RequestSecrets> {
  const browser = readBrowser(config, context) ?? randomSecret()
  const state = randomSecret()
  const now = clock()
  await insertAuthorizationRequest(db, {
    state: sha256(state),
    value: JSON.stringify({ browser: sha256(browser), ...wish } satisfies z.input<typeof kept>),
    expiresAt: new Date(now.getTime() + lifetimeMs),
    now,
  })
  setCookie(context, cookieName, browser, {
    ...(isHttps(config) && { prefix: 'host', secure: true }),
    httpOnly: true,
    // The issuer leads the browser back from another site: a stricter cookie would stay behind.
    sameSite: 'Lax',
    path: '/',
    maxAge: lifetimeMs / 1000,
  })
  return secretsOf(browser, state)
}

/**
 * Ends the authorization request of a state, and returns it. A state works once, for ten minutes,
 * in the browser that began: of parallel callers exactly one gets the request. Null for any other
 * state.
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
 * Nonce and code verifier are made of what the browser has and what the issuer sends back. So the
 * database keeps nothing with which somebody could end the request of another.
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
