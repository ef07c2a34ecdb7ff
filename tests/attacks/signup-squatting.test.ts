import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { users } from '../../src/server/db/schema.ts'
import type { Email } from '../../src/server/email/mailer.ts'
import { sendMail } from '../../src/server/jobs/send-mail.ts'
import { type GoogleApp, startGoogleApp } from '../support/google-app.ts'
import { json, logIn, makeClient } from '../support/make.ts'
import {
  getCookies,
  makeAddress,
  makeUnverifiedUser,
  signUp,
  signUpForToken,
  signupForm,
  tokenIn,
  verifyEmail,
  withVerification,
} from '../support/signup.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/*
 * The attack: sign up with a victim's email address. The goals are to get an account that the
 * victim verifies but whose password the attacker knows, to learn whether the victim has an
 * account, to flood her mailbox, or to lock her out.
 */

const attackerPassword = 'the attacker knows this'
const victimPassword = 'only the victim knows this'

let app: TestApp
let email: string
beforeAll(async () => {
  app = await startTestApp({ env: withVerification })
})
afterAll(() => app.close())
beforeEach(() => {
  email = makeAddress()
})
afterEach(() => vi.restoreAllMocks())

async function tryLogin(address: string, password: string) {
  return (await makeClient(app).post('/api/auth/login', { email: address, password })).status
}

function resetPassword(token: string, newPassword: string) {
  return makeClient(app).post('/api/auth/reset-password', { token, newPassword })
}

/**
 * Asserts that the account has the victim's name and password, and that the attacker's password
 * doesn't work.
 */
async function expectVictimOwnsAccount() {
  expect(await tryLogin(email, attackerPassword)).toBe(401)
  const client = makeClient(app, await logIn(app, email, victimPassword))
  expect(await json(await client.fetch('/api/auth/user'))).toMatchObject({ name: 'Vera Victim' })
}

const victimSignup = { password: victimPassword, firstName: 'Vera', lastName: 'Victim' }

describe("a victim's email address used by an attacker", () => {
  it('before the victim: her own email creates her account', async () => {
    const attackerToken = await signUpForToken(app, { email, password: attackerPassword })
    const victimToken = await signUpForToken(app, { email, ...victimSignup })
    expect((await verifyEmail(app, victimToken)).status).toBe(200)
    await expectVictimOwnsAccount()
    expect((await verifyEmail(app, attackerToken)).status).toBe(400)
    await expectVictimOwnsAccount()
  })

  it('after the victim: her own email creates her account', async () => {
    const victimToken = await signUpForToken(app, { email, ...victimSignup })
    await signUpForToken(app, { email, password: attackerPassword })
    expect((await verifyEmail(app, victimToken)).status).toBe(200)
    await expectVictimOwnsAccount()
  })

  it('before she requests the email again: it belongs to her own signup', async () => {
    const signupResponse = await signUp(makeClient(app), { email, ...victimSignup })
    app.clock.advance(1000)
    await signUpForToken(app, { email, password: attackerPassword })
    await makeClient(app, getCookies(signupResponse)).post('/api/auth/resend-verification', {
      email,
    })
    const [resentEmail] = await app.sendQueuedEmails()
    expect((await verifyEmail(app, tokenIn(resentEmail))).status).toBe(200)
    await expectVictimOwnsAccount()
  })

  it('at the same time, in any order: only the victim gets in', async () => {
    const signupForms = [{ password: attackerPassword }, victimSignup, { password: 'a third one' }]
    await Promise.all(signupForms.map((form) => signUp(makeClient(app), { email, ...form })))
    const tokens = (await app.sendQueuedEmails()).map(tokenIn)
    const responses = await Promise.all(tokens.map((token) => verifyEmail(app, token)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    const loginPromises = signupForms.map(({ password }) => tryLogin(email, password))
    expect((await Promise.all(loginPromises)).sort()).toEqual([200, 401, 401])
  })

  it("while verification was off: verifying ends the attacker's password and sessions", async () => {
    await makeUnverifiedUser(app, email, attackerPassword)
    const attackerToken = await signUpForToken(app, { email, password: attackerPassword })
    const victimToken = await signUpForToken(app, { email, ...victimSignup })
    await verifyEmail(app, victimToken)
    await expectVictimOwnsAccount()
    expect((await verifyEmail(app, attackerToken)).status).toBe(400)
  })

  it('once it is verified: no email triggered by the attacker contains a link', async () => {
    await verifyEmail(app, await signUpForToken(app, { email, ...victimSignup }))
    expect(await signUpForToken(app, { email, password: attackerPassword })).toBe('')
    await expectVictimOwnsAccountAfterSignup()
  })
})

/**
 * Asserts that a login with the attacker's password finds only the pending signup (403), and that
 * the victim's password works.
 */
async function expectVictimOwnsAccountAfterSignup() {
  expect(await tryLogin(email, attackerPassword)).toBe(403)
  expect(await tryLogin(email, victimPassword)).toBe(200)
}

describe('a token', () => {
  it("works only for its email's purpose", async () => {
    await verifyEmail(app, await signUpForToken(app, { email, ...victimSignup }))
    await makeClient(app).post('/api/auth/forgot-password', { email })
    const [mail] = await app.sendQueuedEmails()
    const otherToken = await signUpForToken(app, { email: makeAddress() })
    expect((await verifyEmail(app, tokenIn(mail))).status).toBe(400)
    expect((await resetPassword(otherToken, 'a new password')).status).toBe(400)
    expect((await verifyEmail(app, otherToken)).status).toBe(200)
    expect((await resetPassword(otherToken, 'a new password')).status).toBe(400)
    expect((await resetPassword(tokenIn(mail), 'a new password')).status).toBe(200)
  })

  it('verifies only its own account', async () => {
    const [ownEmail, otherEmail] = [makeAddress(), makeAddress()]
    for (const address of [ownEmail, otherEmail]) await makeUnverifiedUser(app, address)
    await makeClient(app).post('/api/auth/resend-verification', { email: ownEmail })
    const [mail] = await app.sendQueuedEmails()
    await verifyEmail(app, tokenIn(mail))
    const rows = await app.deps.db.select().from(users).where(eq(users.email, otherEmail))
    expect(rows).toMatchObject([{ emailVerified: false }])
  })

  it('used concurrently creates one account and always succeeds', async () => {
    const token = await signUpForToken(app, { email, ...victimSignup })
    const responses = await Promise.all(Array.from({ length: 8 }, () => verifyEmail(app, token)))
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(await app.deps.db.$count(users, eq(users.email, email))).toBe(1)
    await expectVictimOwnsAccount()
  })

  it('used during a password reset has one consistent outcome', async () => {
    await makeUnverifiedUser(app, email, attackerPassword)
    const token = await signUpForToken(app, { email, ...victimSignup })
    await makeClient(app).post('/api/auth/forgot-password', { email })
    const [mail] = await app.sendQueuedEmails()
    const [verifyResponse, resetResponse] = await Promise.all([
      verifyEmail(app, token),
      resetPassword(tokenIn(mail), 'of the reset'),
    ])
    expect([verifyResponse.status, resetResponse.status].sort()).toEqual([200, 400])
    const winningPassword = verifyResponse.status === 200 ? victimPassword : 'of the reset'
    expect(await tryLogin(email, winningPassword)).toBe(200)
    expect(await tryLogin(email, attackerPassword)).toBe(401)
  })
})

describe('a look-alike email address', () => {
  // Discard the emails that earlier tests queued.
  beforeEach(() => app.sendQueuedEmails())

  it.each([
    ['a Cyrillic letter', 'vеra@example.org'],
    ['a Cyrillic domain', 'vera@ехample.org'],
    ['a full-width letter', 'ｖera@example.org'],
    ['a Kelvin sign, whose lower case is a k', 'ver\u212a@example.org'],
    ['a dotted capital I, whose lower case is two characters', 'ver\u0130@example.org'],
    ['a zero-width character', 've\u200bra@example.org'],
    ['a bidirectional override', 'vera\u202e@example.org'],
    ['a trailing dot', 'vera@example.org.'],
    ['a dot before the @', 'vera.@example.org'],
    ['two dots', 've..ra@example.org'],
    ['a second address', 'vera@example.org,eve@example.net'],
    ['a display name', 'Vera <vera@example.org>'],
    ['a comment', 'vera(x)@example.org'],
    ['quotation marks', '"vera"@example.org'],
    ['an injected header', 'vera@example.org\r\nBcc: eve@example.net'],
    ['NUL', 'vera\0@example.org'],
    ['a percent sign', 'vera%example.net@example.org'],
    ['an IP address', 'vera@[127.0.0.1]'],
  ])('with %s is rejected', async (_, address) => {
    const response = await signUp(makeClient(app), { email: address })
    expect(response.status).toBe(400)
    const { message } = await json<{ message: string }>(response)
    expect(message).toMatch(/^email: /)
    expect(await app.sendQueuedEmails()).toEqual([])
  })

  it('in different case is the same address: one account, one lock, one counter', async () => {
    const [localPart, domain] = email.split('@')
    const upperCaseEmail = `${localPart?.toUpperCase()}@${domain?.toUpperCase()}`
    const attackerToken = await signUpForToken(app, {
      email: upperCaseEmail,
      password: attackerPassword,
    })
    const victimToken = await signUpForToken(app, { email: ` ${email} `, ...victimSignup })
    expect((await verifyEmail(app, victimToken)).status).toBe(200)
    expect((await verifyEmail(app, attackerToken)).status).toBe(400)
    await expectVictimOwnsAccount()
  })

  it('with a plus tag is another address', async () => {
    await verifyEmail(app, await signUpForToken(app, { email, ...victimSignup }))
    const taggedEmail = email.replace('@', '+tag@')
    const token = await signUpForToken(app, { email: taggedEmail, password: attackerPassword })
    expect((await verifyEmail(app, token)).status).toBe(200)
    await expectVictimOwnsAccount()
    expect(await tryLogin(taggedEmail, attackerPassword)).toBe(200)
  })
})

describe('an expensive password', () => {
  it('of a megabyte is rejected before hashing', async () => {
    const hashSpy = vi.spyOn(app.deps.passwords, 'hash')
    const largeText = 'x'.repeat(1024 ** 2)
    const client = makeClient(app)
    expect((await signUp(client, { email, password: largeText })).status).toBe(413)
    expect(await tryLogin(email, largeText)).toBe(413)
    expect((await resetPassword('x', largeText)).status).toBe(413)
    for (const length of [129, 30_000]) {
      const longPassword = 'x'.repeat(length)
      expect((await signUp(client, { email, password: longPassword })).status).toBe(400)
      expect(await tryLogin(email, longPassword)).toBe(400)
    }
    expect(hashSpy).not.toHaveBeenCalled()
  })

  it('is hashed once per login, however many signups are pending', async () => {
    await verifyEmail(app, await signUpForToken(app, { email, ...victimSignup }))
    const unknownAddress = makeAddress()
    for (const address of [email, unknownAddress]) {
      for (let n = 0; n < 5; n += 1) {
        await signUpForToken(app, { email: address, password: `${attackerPassword} ${n}` })
      }
    }
    // This email address has an account and a pending signup, with different salts.
    const mixedCaseEmail = makeAddress()
    await signUpForToken(app, { email: mixedCaseEmail, password: attackerPassword })
    await makeUnverifiedUser(app, mixedCaseEmail, victimPassword)
    const hashSpy = vi.spyOn(app.deps.passwords, 'hash')
    const logins: [string, string, number][] = [
      [email, victimPassword, 200],
      [email, `${attackerPassword} 0`, 403],
      [email, `${attackerPassword} 4`, 403],
      [email, 'a wrong one', 401],
      [unknownAddress, `${attackerPassword} 0`, 403],
      [unknownAddress, 'a wrong one', 401],
      [makeAddress(), 'a wrong one', 401],
      [mixedCaseEmail, 'a wrong one', 401],
    ]
    for (const [address, password, status] of logins) {
      hashSpy.mockClear()
      expect(await tryLogin(address, password)).toBe(status)
      expect(hashSpy).toHaveBeenCalledTimes(1)
    }
  })
})

describe('emails to the victim', () => {
  it('never exceed their limit, even from concurrent jobs', async () => {
    await verifyEmail(app, await signUpForToken(app, { email, ...victimSignup }))
    const sentEmails: Email[] = []
    const mailer = {
      send: async (email: Email) => void sentEmails.push(email),
      check: async () => {},
      close() {},
    }
    const askedAt = app.clock().toISOString()
    await Promise.all(
      Array.from({ length: 12 }, () =>
        sendMail(
          { ...app.deps, mailer },
          { id: randomUUID() },
          { kind: 'forgot-password', email, askedAt },
        ),
      ),
    )
    expect(sentEmails).toHaveLength(3)
  })
})

describe('with rate limits on', () => {
  let limitedApp: TestApp
  beforeAll(async () => {
    limitedApp = await startTestApp({
      env: { ...withVerification, RATE_LIMITS: 'on', TRUST_PROXY: 'on' },
    })
  })
  afterAll(() => limitedApp.close())

  const postFrom = (address: string) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': address }
    return (path: string, body: unknown) =>
      makeClient(limitedApp).fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  it("an attacker can't use up the victim's emails", async () => {
    const postAsAttacker = postFrom('192.0.2.1')
    const statuses: number[] = []
    for (let n = 0; n < 4; n += 1) {
      const response = await postAsAttacker(
        '/api/auth/signup',
        signupForm({ email, password: attackerPassword }),
      )
      statuses.push(response.status)
      statuses.push((await postAsAttacker('/api/auth/resend-verification', { email })).status)
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429, 429, 429])
    await limitedApp.sendQueuedEmails()
    const postAsVictim = postFrom('192.0.2.2')
    await postAsVictim('/api/auth/signup', signupForm({ email, ...victimSignup }))
    const [mail] = await limitedApp.sendQueuedEmails()
    expect((await verifyEmail(limitedApp, tokenIn(mail))).status).toBe(200)
  })

  it('the right password of an unverified account uses up no attempts', async () => {
    await makeUnverifiedUser(limitedApp, email, victimPassword)
    const postAsVictim = postFrom('192.0.2.5')
    for (let n = 0; n < 12; n += 1) {
      expect(
        (await postAsVictim('/api/auth/login', { email, password: victimPassword })).status,
      ).toBe(403)
    }
  })

  it("the attacker's own signup allows no guesses at her password", async () => {
    const postAsVictim = postFrom('192.0.2.3')
    await postAsVictim('/api/auth/signup', signupForm({ email, ...victimSignup }))
    const [mail] = await limitedApp.sendQueuedEmails()
    await verifyEmail(limitedApp, tokenIn(mail))
    const postAsAttacker = postFrom('192.0.2.4')
    await postAsAttacker('/api/auth/signup', signupForm({ email, password: attackerPassword }))
    const statuses: number[] = []
    for (let n = 0; n < 6; n += 1) {
      for (const password of [`guess ${n}`, attackerPassword]) {
        statuses.push((await postAsAttacker('/api/auth/login', { email, password })).status)
      }
    }
    expect(statuses).toEqual([401, 403, 401, 403, 401, 403, 401, 403, 401, 403, 429, 429])
  })
})

describe('a victim who signs in with Google', () => {
  let google: GoogleApp
  beforeAll(async () => {
    google = await startGoogleApp({ env: withVerification })
  })
  afterAll(() => google.close())

  const logInAsAttacker = async () =>
    (await makeClient(google.app).post('/api/auth/login', { email, password: attackerPassword }))
      .status

  it.each([
    ['creates her own account', false],
    ['takes over an account created while verification was off', true],
  ])("%s and voids the attacker's signup", async (_, isSquatted) => {
    if (isSquatted) await makeUnverifiedUser(google.app, email, 'of the old account')
    const attackerToken = await signUpForToken(google.app, { email, password: attackerPassword })
    expect(await logInAsAttacker()).toBe(403)
    const { path } = await google.signIn({ sub: email, email, email_verified: true })
    expect(path).toBe('/')
    expect(await logInAsAttacker()).toBe(401)
    expect((await verifyEmail(google.app, attackerToken)).status).toBe(400)
    const rows = await google.app.deps.db.select().from(users).where(eq(users.email, email))
    expect(rows).toHaveLength(1)
    expect(rows[0]?.name).not.toContain('Lovelace')
  })
})
