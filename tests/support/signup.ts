import { randomUUID } from 'node:crypto'
import { saltFor } from '../../src/server/auth/password-hashing.ts'
import { insertUser, setPassword } from '../../src/server/auth/queries.ts'
import type { Email } from '../../src/server/email/mailer.ts'
import type { TestApp } from './app-server.ts'
import { type Client, json, makeClient } from './make.ts'

/** Settings that require email verification. */
export const withVerification = { REQUIRE_EMAIL_VERIFICATION: 'on' }

export const password = 'correct horse'

export function makeAddress(): string {
  return `${randomUUID()}@example.org`
}

export function signupForm(changes: { email: string; [field: string]: unknown }) {
  const form = { firstName: 'Ada', lastName: 'Lovelace', password, ...changes }
  return { ...form, confirmPassword: form.password }
}

export function signUp(
  client: Client,
  changes: { email: string; [field: string]: unknown },
  userAgent = 'none',
): Promise<Response> {
  return client.fetch('/api/auth/signup', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': userAgent },
    body: JSON.stringify(signupForm(changes)),
  })
}

/** Returns the token in an email's link, or an empty string if there is none. */
export function tokenIn(email: Email | undefined): string {
  return /\?token=([\w-]+)/.exec(email?.content.text ?? '')?.[1] ?? ''
}

/** Signs up and returns the token from the verification email. */
export async function signUpForToken(
  app: TestApp,
  changes: { email: string; [field: string]: unknown },
): Promise<string> {
  await app.sendQueuedEmails()
  const response = await signUp(makeClient(app), changes)
  if (!response.ok) throw new Error(`Signup failed with status ${response.status}`)
  const [email] = await app.sendQueuedEmails()
  return tokenIn(email)
}

export function verifyEmail(app: TestApp, token: unknown): Promise<Response> {
  return makeClient(app).post('/api/auth/verify-email', { token })
}

/** Returns the cookies set by a response, formatted as a Cookie header. */
export function getCookies(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')
}

/**
 * Creates an account whose email address is unverified, as servers without email verification used
 * to do.
 */
export async function makeUnverifiedUser(app: TestApp, email: string, accountPassword = password) {
  const { db, passwords, secret } = app.deps
  const profile = { email, firstName: 'Mallory', lastName: 'Squatter', picture: null }
  const id = await insertUser(db, profile, { emailVerified: false, now: app.clock() })
  if (id === null) throw new Error(`${email} has an account already`)
  const passwordHash = await passwords.hash(accountPassword, saltFor(secret, email), 'test')
  await setPassword(db, id, passwordHash, app.clock())
  return id
}

export function resendVerification(app: TestApp, email: string, cookie = ''): Promise<Response> {
  return makeClient(app, cookie).post('/api/auth/resend-verification', { email })
}

/** Tries to log in, without a session cookie. */
export function tryLogin(app: TestApp, email: string, typedPassword = password): Promise<Response> {
  return makeClient(app).post('/api/auth/login', { email, password: typedPassword })
}

/** Returns a response's status and error code, such as '401 INVALID_TOKEN'. */
export async function readStatusAndCode(response: Response): Promise<string> {
  const { code } = await json<{ code?: string }>(response)
  return `${response.status} ${code ?? ''}`.trim()
}

/** Returns the parts of a response that a client can see, without values that differ each time. */
export async function toComparableResponse(response: Response) {
  const headers = Object.fromEntries(response.headers)
  for (const header of ['date', 'x-request-id']) delete headers[header]
  const cookie = headers['set-cookie']?.replace(/=[\w-]{36};/, '=<an id>;')
  return {
    status: response.status,
    headers: { ...headers, cookie, 'set-cookie': null },
    body: await response.text(),
  }
}
