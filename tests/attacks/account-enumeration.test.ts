import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { makeClient } from '../support/make.ts'
import {
  makeAddress,
  resendVerification,
  signUp,
  signUpForToken,
  tryLogin,
  verifyEmail,
  withVerification,
} from '../support/signup.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/*
 * The attack: find out by timing whether an email address has an account. Either way, every call
 * that takes an email address must do the same work: the same password hashes, SQL statements and
 * queued emails.
 */

let app: TestApp
/** `known` has an account, and `waiting` has signed up but not verified the address yet. */
let emails: { known: string; waiting: string }
beforeAll(async () => {
  app = await startTestApp({ env: withVerification })
  emails = { known: makeAddress(), waiting: makeAddress() }
  await verifyEmail(app, await signUpForToken(app, { email: emails.known }))
  await signUpForToken(app, { email: emails.waiting })
})
afterEach(() => vi.restoreAllMocks())
afterAll(() => app.close())

async function recordWork(call: () => Promise<Response>) {
  const hashSpy = vi.spyOn(app.deps.passwords, 'hash')
  const querySpy = vi.spyOn(pg.Client.prototype, 'query')
  const mailSpy = vi.spyOn(app.deps.mailQueue, 'add')
  const { status } = await call()
  const statements = querySpy.mock.calls.map(([statement]) => {
    const { text } =
      typeof statement === 'string' ? { text: statement } : (statement as unknown as pg.QueryConfig)
    return text
  })
  const [hashCount, emailCount] = [hashSpy.mock.calls.length, mailSpy.mock.calls.length]
  vi.restoreAllMocks()
  return { status, hashes: hashCount, emails: emailCount, statements }
}

interface RequestWork {
  hashes: number
  emails: number
}
const calls: [string, RequestWork, (email: string) => Promise<Response>][] = [
  [
    'a login with a wrong password',
    { hashes: 1, emails: 0 },
    (email) => tryLogin(app, email, 'not the password'),
  ],
  [
    'a signup',
    { hashes: 1, emails: 1 },
    (email) => signUp(makeClient(app), { email, password: 'somebody else’s' }),
  ],
  [
    'a password reset request',
    { hashes: 0, emails: 1 },
    (email) => makeClient(app).post('/api/auth/forgot-password', { email }),
  ],
  [
    'a request for another verification email',
    { hashes: 0, emails: 1 },
    (email) => resendVerification(app, email),
  ],
]

it.each(calls)('%s costs the same work for any address', async (_, work, call) => {
  // Warm up: the first call also opens connections and prepares statements.
  await call(makeAddress())
  const unknownWork = await recordWork(() => call(makeAddress()))
  expect(unknownWork).toMatchObject(work)
  for (const email of [emails.known, emails.waiting]) {
    expect(await recordWork(() => call(email))).toEqual(unknownWork)
  }
})
