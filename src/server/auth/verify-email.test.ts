import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { json, logIn, makeClient, makeFile } from '../../../tests/support/make.ts'
import {
  getCookies,
  makeAddress,
  makeUnverifiedUser,
  password,
  readStatusAndCode,
  resendVerification,
  signUp,
  signUpForToken,
  tokenIn,
  tryLogin,
  verifyEmail,
  withVerification,
} from '../../../tests/support/signup.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import {
  accounts,
  accountTokens,
  apiKeys,
  auditLog,
  pendingSignups,
  sentEmails,
  sessions,
  users,
} from '../db/schema.ts'
import { removeExpiredRows } from './queries.ts'

const minute = 60_000
const hour = 60 * minute

let app: TestApp
let email: string
beforeAll(async () => {
  app = await startTestApp({ env: withVerification })
})
afterAll(() => app.close())
beforeEach(async () => {
  await app.sendQueuedEmails()
  email = makeAddress()
})

function listUsers(address: string) {
  return app.deps.db.select().from(users).where(eq(users.email, address))
}

it('only the browser that signed up skips the confirmation button', async () => {
  const response = await signUp(makeClient(app), { email })
  const strangerResponse = await signUp(makeClient(app), { email })
  const [sentEmail] = await app.sendQueuedEmails()
  const checkToken = async (cookie: string) => {
    const client = makeClient(app, cookie)
    return json(await client.post('/api/auth/verify-email/check', { token: tokenIn(sentEmail) }))
  }
  expect(await checkToken(getCookies(response))).toEqual({ isOwnSignup: true })
  for (const cookie of ['', getCookies(strangerResponse), 'mayfly.unverified=']) {
    expect(await checkToken(cookie)).toEqual({ isOwnSignup: false })
  }
  expect(await listUsers(email)).toEqual([])
  // Once the address is verified, the link needs no confirmation in any browser.
  await verifyEmail(app, tokenIn(sentEmail))
  expect(await checkToken('')).toEqual({ isOwnSignup: true })

  const responsePromise = makeClient(app).post('/api/auth/verify-email/check', { token: 'x' })
  expect(await readStatusAndCode(await responsePromise)).toBe('400 TOKEN_INVALID')
})

describe('POST /api/auth/verify-email', () => {
  it('succeeds again with the same token or another one for the signup', async () => {
    await signUp(makeClient(app), { email })
    await resendVerification(app, email)
    const tokens = (await app.sendQueuedEmails()).map(tokenIn)
    expect(new Set(tokens).size).toBe(2)
    for (const token of tokens) expect((await verifyEmail(app, token)).status).toBe(200)
    const client = makeClient(app, await logIn(app, email, password))
    for (const token of tokens) expect((await verifyEmail(app, token)).status).toBe(200)
    expect(await listUsers(email)).toHaveLength(1)
    expect((await client.fetch('/api/auth/user')).status).toBe(200)
  })

  it('completes the first of several signups and invalidates the others', async () => {
    const [firstToken, secondToken] = [
      await signUpForToken(app, { email, password: 'the first' }),
      await signUpForToken(app, { email, password: 'the second', firstName: 'Grace' }),
    ]
    expect((await verifyEmail(app, secondToken)).status).toBe(200)
    expect(await readStatusAndCode(await verifyEmail(app, firstToken))).toBe('400 TOKEN_INVALID')
    expect(await readStatusAndCode(await tryLogin(app, email, 'the first'))).toBe(
      '401 INVALID_CREDENTIALS',
    )
    await logIn(app, email, 'the second')
    expect(await listUsers(email)).toMatchObject([{ firstName: 'Grace' }])
    const remainingSignups = app.deps.db.$count(pendingSignups, eq(pendingSignups.email, email))
    expect(await remainingSignups).toBe(0)
  })

  it('rejects tokens older than a password change', async () => {
    const token = await signUpForToken(app, { email })
    await verifyEmail(app, token)
    await makeClient(app).post('/api/auth/forgot-password', { email })
    const [sentEmail] = await app.sendQueuedEmails()
    const resetForm = { token: tokenIn(sentEmail), newPassword: 'another password' }
    expect((await makeClient(app).post('/api/auth/reset-password', resetForm)).status).toBe(200)
    expect(await readStatusAndCode(await verifyEmail(app, token))).toBe('400 TOKEN_INVALID')
  })

  it.each([undefined, null, '', 7, {}, 'x'.repeat(201)])('rejects %j', async (token) => {
    expect(await readStatusAndCode(await verifyEmail(app, token))).toBe('400 INVALID_INPUT')
  })

  it('rejects an invalid token', async () => {
    for (const token of ['x', "' or 1=1 --", '%', 'A'.repeat(43), '\0']) {
      expect(await readStatusAndCode(await verifyEmail(app, token))).toBe('400 TOKEN_INVALID')
    }
  })

  it('consumes nothing on GET, so link scanners are harmless', async () => {
    const token = await signUpForToken(app, { email })
    for (const path of ['/verify-email', '/api/auth/verify-email']) {
      for (const method of ['GET', 'HEAD']) {
        await makeClient(app).fetch(`${path}?token=${token}`, { method })
      }
    }
    const response = await makeClient(app).fetch(`/api/auth/verify-email?token=${token}`)
    expect(response.status).toBe(405)
    expect(await listUsers(email)).toEqual([])
    expect((await verifyEmail(app, token)).status).toBe(200)
  })

  it('applies the signup settings at the time the link is opened', async () => {
    const { config } = app.deps
    const { signup, adminEmail } = config
    const token = await signUpForToken(app, { email })
    try {
      config.signup = 'closed'
      expect(await readStatusAndCode(await verifyEmail(app, token))).toBe('403 SIGNUP_NOT_ALLOWED')
      config.signup = signup
      config.adminEmail = email
      expect(await readStatusAndCode(await verifyEmail(app, token))).toBe('400 TOKEN_INVALID')
    } finally {
      Object.assign(config, { signup, adminEmail })
    }
    expect((await verifyEmail(app, token)).status).toBe(200)
  })

  it('stores no token or password in plain text', async () => {
    const token = await signUpForToken(app, { email, password: 'a telling password' })
    const { db } = app.deps
    const storedRowsJson = JSON.stringify([
      await db.select().from(accountTokens),
      await db.select().from(pendingSignups),
    ])
    expect(token).toHaveLength(43)
    expect(storedRowsJson).not.toContain(token)
    expect(storedRowsJson).not.toContain('a telling password')
  })
})

describe('an unverified account', () => {
  it("can't log in until it is verified by a new email", async () => {
    const id = await makeUnverifiedUser(app, email)
    const loginResponse = await tryLogin(app, email)
    expect(await readStatusAndCode(loginResponse)).toBe('403 EMAIL_NOT_VERIFIED')
    await resendVerification(app, email, getCookies(loginResponse))
    const [sentEmail] = await app.sendQueuedEmails()
    expect(sentEmail?.to).toEqual({ name: '', address: email })
    expect(JSON.stringify(sentEmail)).not.toContain('Mallory')
    for (let index = 0; index < 2; index += 1) {
      expect((await verifyEmail(app, tokenIn(sentEmail))).status).toBe(200)
    }
    await logIn(app, email, password)
    expect(await listUsers(email)).toMatchObject([{ id, emailVerified: true }])
  })

  it('can be verified for 24 hours after its email', async () => {
    const validToken = await makeTokenForAccount(email)
    app.clock.advance(24 * hour - 1)
    expect((await verifyEmail(app, validToken)).status).toBe(200)

    const otherAddress = makeAddress()
    const expiredToken = await makeTokenForAccount(otherAddress)
    app.clock.advance(24 * hour)
    expect(await readStatusAndCode(await verifyEmail(app, expiredToken))).toBe('400 TOKEN_INVALID')
    expect(await listUsers(otherAddress)).toMatchObject([{ emailVerified: false }])
  })

  it('is not verified by an email to its previous address', async () => {
    const token = await makeTokenForAccount(email)
    const newEmail = makeAddress()
    await app.deps.db.update(users).set({ email: newEmail }).where(eq(users.email, email))
    expect(await readStatusAndCode(await verifyEmail(app, token))).toBe('400 TOKEN_INVALID')
    expect(await listUsers(newEmail)).toMatchObject([{ emailVerified: false }])
  })

  /** Creates an unverified account. Returns the token in its email. */
  const makeTokenForAccount = async (address: string) => {
    await makeUnverifiedUser(app, address)
    const loginResponse = await tryLogin(app, address)
    await resendVerification(app, address, getCookies(loginResponse))
    const [sentEmail] = await app.sendQueuedEmails()
    return tokenIn(sentEmail)
  }

  it('gets its own email after the correct password, even with a pending signup', async () => {
    await makeUnverifiedUser(app, email, 'of the account')
    await signUp(makeClient(app), { email, password: 'of the signup' })
    await app.sendQueuedEmails()
    const loginResponse = await tryLogin(app, email, 'of the account')
    await resendVerification(app, email, getCookies(loginResponse))
    const [sentEmail] = await app.sendQueuedEmails()
    expect(sentEmail?.content.text).toContain('for the account with this address')
    await verifyEmail(app, tokenIn(sentEmail))
    await logIn(app, email, 'of the account')
    expect(await readStatusAndCode(await tryLogin(app, email, 'of the signup'))).toBe(
      '401 INVALID_CREDENTIALS',
    )
  })

  it('is not changed by a signup once the operator has verified it', async () => {
    const id = await makeUnverifiedUser(app, email, 'of the account')
    const token = await signUpForToken(app, { email, password: 'of the signup' })
    const { db } = app.deps
    await db.update(users).set({ emailVerified: true }).where(eq(users.id, id))
    expect(await readStatusAndCode(await verifyEmail(app, token))).toBe('400 TOKEN_INVALID')
    await logIn(app, email, 'of the account')
    expect(await listUsers(email)).toMatchObject([{ firstName: 'Mallory' }])
  })

  it('is handed over to the user who verifies its address with a signup', async () => {
    const id = await makeUnverifiedUser(app, email, 'of a squatter')
    const { db } = app.deps
    await db
      .update(users)
      .set({ emailVerified: true, image: 'https://evil.example/x.png' })
      .where(eq(users.id, id))
    const squatter = makeClient(app, await logIn(app, email, 'of a squatter'))
    const file = await makeFile({ ...squatter })
    await db.update(users).set({ emailVerified: false }).where(eq(users.id, id))
    const now = app.clock()
    const key = { name: 'Backup', hash: 'hash', prefix: 'mfy_abcd', createdAt: now }
    await db.insert(apiKeys).values({ ...key, ownerId: id, scopes: ['files:read'] })
    await db.insert(accounts).values({
      id: makeAddress(),
      userId: id,
      accountId: 'at google',
      providerId: 'google',
      createdAt: now,
      updatedAt: now,
    })
    await makeClient(app).post('/api/auth/forgot-password', { email })
    const [resetEmail] = await app.sendQueuedEmails()

    expect((await verifyEmail(app, await signUpForToken(app, { email }))).status).toBe(200)
    expect(await listUsers(email)).toMatchObject([
      { id, name: 'Ada Lovelace', firstName: 'Ada', image: null, emailVerified: true },
    ])
    expect((await squatter.fetch('/api/auth/user')).status).toBe(401)
    expect(await readStatusAndCode(await tryLogin(app, email, 'of a squatter'))).toBe(
      '401 INVALID_CREDENTIALS',
    )
    const resetForm = { token: tokenIn(resetEmail), newPassword: 'from an old email' }
    expect((await makeClient(app).post('/api/auth/reset-password', resetForm)).status).toBe(400)
    const signInMethods = await db.select().from(accounts).where(eq(accounts.userId, id))
    expect(signInMethods.map(({ providerId }) => providerId)).toEqual(['credential'])
    expect(await db.$count(apiKeys, eq(apiKeys.ownerId, id))).toBe(0)
    const auditLines = await db.select().from(auditLog).where(eq(auditLog.subject, id))
    expect(auditLines).toMatchObject([
      {
        actor: id,
        action: 'change-password',
        ipAddress: '127.0.0.1',
        details: { by: 'taking-over' },
      },
    ])

    const owner = makeClient(app, await logIn(app, email, password))
    expect(await json(await owner.fetch('/api/files'))).toMatchObject([{ id: file.id }])
  })

  it('loses its sessions and other email tokens when it is verified', async () => {
    const id = await makeUnverifiedUser(app, email)
    const { db } = app.deps
    await db.update(users).set({ emailVerified: true }).where(eq(users.id, id))
    await logIn(app, email, password)
    await db.update(users).set({ emailVerified: false }).where(eq(users.id, id))
    await makeClient(app).post('/api/auth/forgot-password', { email })
    await resendVerification(app, email)
    const [resetEmail, sentEmail] = await app.sendQueuedEmails()
    expect((await verifyEmail(app, tokenIn(sentEmail))).status).toBe(200)
    expect(await db.$count(sessions, eq(sessions.userId, id))).toBe(0)
    const resetForm = { token: tokenIn(resetEmail), newPassword: 'from an old email' }
    expect((await makeClient(app).post('/api/auth/reset-password', resetForm)).status).toBe(400)
  })

  it('invalidates pending signups when its password is reset', async () => {
    await makeUnverifiedUser(app, email)
    const token = await signUpForToken(app, { email, password: 'of a signup' })
    await makeClient(app).post('/api/auth/forgot-password', { email })
    const [sentEmail] = await app.sendQueuedEmails()
    const resetForm = { token: tokenIn(sentEmail), newPassword: 'of the reset' }
    expect((await makeClient(app).post('/api/auth/reset-password', resetForm)).status).toBe(200)
    expect(await readStatusAndCode(await verifyEmail(app, token))).toBe('400 TOKEN_INVALID')
    await logIn(app, email, 'of the reset')
  })
})

it('a password change reveals nothing to a stranger with a pending signup for the address', async () => {
  await verifyEmail(app, await signUpForToken(app, { email }))
  await signUp(makeClient(app), { email, password: 'of a stranger' })
  await makeClient(app).post('/api/auth/forgot-password', { email })
  const sentEmails = await app.sendQueuedEmails()
  const resetForm = { token: tokenIn(sentEmails.at(-1)), newPassword: 'by an email' }
  expect((await makeClient(app).post('/api/auth/reset-password', resetForm)).status).toBe(200)
  expect((await tryLogin(app, email, 'of a stranger')).status).toBe(403)

  const owner = makeClient(app, await logIn(app, email, 'by an email'))
  const passwordChange = { currentPassword: 'by an email', newPassword: 'by hand' }
  expect((await owner.post('/api/auth/change-password', passwordChange)).status).toBe(200)
  expect((await tryLogin(app, email, 'of a stranger')).status).toBe(403)
  await logIn(app, email, 'by hand')
})

it('only expired signups and email records are removed', async () => {
  const { db } = app.deps
  const oldAddress = makeAddress()
  await signUpForToken(app, { email: oldAddress })
  app.clock.advance(23 * hour)
  await signUpForToken(app, { email })
  app.clock.advance(hour + 1)
  await removeExpiredRows(db, app.clock())
  const remainingSignups = await db.select({ email: pendingSignups.email }).from(pendingSignups)
  expect(remainingSignups).toContainEqual({ email })
  expect(remainingSignups).not.toContainEqual({ email: oldAddress })
  expect(await db.$count(sentEmails, eq(sentEmails.email, oldAddress))).toBe(0)
  expect(await db.$count(sentEmails, eq(sentEmails.email, email))).toBe(1)
})
