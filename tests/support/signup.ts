import { randomUUID } from 'node:crypto'
import type { Mail } from '../../src/server/email/mailer.ts'
import type { TestApp } from './app-server.ts'
import { type Client, makeClient } from './make.ts'

/** Where addresses are verified. */
export const verified = { REQUIRE_EMAIL_VERIFICATION: 'on' }

export const password = 'correct horse'

export function newAddress(): string {
  return `${randomUUID()}@example.org`
}

/** What the signup page sends. */
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

/** The token in the link of a letter; empty where there is none. */
export function tokenIn(mail: Mail | undefined): string {
  return /\?token=([\w-]+)/.exec(mail?.letter.text ?? '')?.[1] ?? ''
}

/** Signs up by HTTP, and answers the token of its letter. */
export async function signUpForToken(
  app: TestApp,
  changes: { email: string; [field: string]: unknown },
): Promise<string> {
  await app.mails()
  const answer = await signUp(makeClient(app), changes)
  if (!answer.ok) throw new Error(`Signing up was answered ${answer.status}`)
  const [mail] = await app.mails()
  return tokenIn(mail)
}

export function verify(app: TestApp, token: unknown): Promise<Response> {
  return makeClient(app).post('/api/auth/verify-email', { token })
}

/** The cookies that an answer sets, as a browser sends them back. */
export function cookiesOf(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')
}

/** Makes an account that nobody verified, as a server did that required no verification. */
export async function makeUnverified(app: TestApp, email: string, secret = password) {
  const names = { firstName: 'Mallory', lastName: 'Squatter', name: 'Mallory Squatter' }
  const made = await app.deps.auth.api.signUpEmail({ body: { ...names, email, password: secret } })
  return made.user.id
}
