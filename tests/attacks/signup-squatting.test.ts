import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { users } from '../../src/server/db/schema.ts'
import type { Email } from '../../src/server/email/mailer.ts'
import { sendMail } from '../../src/server/jobs/send-mail.ts'
import { type GoogleApp, startGoogleApp } from '../support/google-app.ts'
import { json, logIn, makeClient } from '../support/make.ts'
import {
  cookiesOf,
  makeUnverified,
  newAddress,
  signUp,
  signUpForToken,
  signupForm,
  tokenIn,
  verified,
  verify,
} from '../support/signup.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/*
 * The attack: sign up with a victim's address, in order to get an account that the victim verifies
 * and whose password the attacker knows, to learn whether the victim has an account, to flood the
 * mailbox, or to lock the victim out.
 */

const attackers = 'the attacker knows this'
const victims = 'only the victim knows this'

let app: TestApp
let email: string
beforeAll(async () => {
  app = await startTestApp({ env: verified })
})
afterAll(() => app.close())
beforeEach(() => {
  email = newAddress()
})
afterEach(() => vi.restoreAllMocks())

async function tryLogin(address: string, password: string) {
  return (await makeClient(app).post('/api/auth/login', { email: address, password })).status
}

function reset(token: string, newPassword: string) {
  return makeClient(app).post('/api/auth/reset-password', { token, newPassword })
}

/**
 * Asserts that the account is the victim's, with her name and password, and that the attacker's
 * password doesn't work.
 */
async function expectHers() {
  expect(await tryLogin(email, attackers)).toBe(401)
  const client = makeClient(app, await logIn(app, email, victims))
  expect(await json(await client.fetch('/api/auth/user'))).toMatchObject({ name: 'Vera Victim' })
}

const hers = { password: victims, firstName: 'Vera', lastName: 'Victim' }

describe("a victim's address used by an attacker", () => {
  it('before the victim: her own email creates her account', async () => {
    const his = await signUpForToken(app, { email, password: attackers })
    const her = await signUpForToken(app, { email, ...hers })
    expect((await verify(app, her)).status).toBe(200)
    await expectHers()
    expect((await verify(app, his)).status).toBe(400)
    await expectHers()
  })

  it('after the victim: her own email creates her account', async () => {
    const her = await signUpForToken(app, { email, ...hers })
    await signUpForToken(app, { email, password: attackers })
    expect((await verify(app, her)).status).toBe(200)
    await expectHers()
  })

  it('before she asks for the email again: it belongs to her own signup', async () => {
    const signup = await signUp(makeClient(app), { email, ...hers })
    app.clock.advance(1000)
    await signUpForToken(app, { email, password: attackers })
    await makeClient(app, cookiesOf(signup)).post('/api/auth/resend-verification', { email })
    const [again] = await app.mails()
    expect((await verify(app, tokenIn(again))).status).toBe(200)
    await expectHers()
  })

  it('at the same time, in any order: only the victim gets in', async () => {
    const forms = [{ password: attackers }, hers, { password: 'a third one' }]
    await Promise.all(forms.map((form) => signUp(makeClient(app), { email, ...form })))
    const tokens = (await app.mails()).map(tokenIn)
    const answers = await Promise.all(tokens.map((token) => verify(app, token)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    const logins = forms.map(({ password }) => tryLogin(email, password))
    expect((await Promise.all(logins)).sort()).toEqual([200, 401, 401])
  })

  it("while verification was off: verifying ends the attacker's password and sessions", async () => {
    await makeUnverified(app, email, attackers)
    const his = await signUpForToken(app, { email, password: attackers })
    const her = await signUpForToken(app, { email, ...hers })
    await verify(app, her)
    await expectHers()
    expect((await verify(app, his)).status).toBe(400)
  })

  it('once it is verified: no email triggered by the attacker contains a link', async () => {
    await verify(app, await signUpForToken(app, { email, ...hers }))
    expect(await signUpForToken(app, { email, password: attackers })).toBe('')
    await expectHersAfterHisSignup()
  })
})

/**
 * Asserts that the attacker's password finds only the pending signup (403), and that the victim's
 * works.
 */
async function expectHersAfterHisSignup() {
  expect(await tryLogin(email, attackers)).toBe(403)
  expect(await tryLogin(email, victims)).toBe(200)
}

describe('a token', () => {
  it("works only for its email's purpose", async () => {
    await verify(app, await signUpForToken(app, { email, ...hers }))
    await makeClient(app).post('/api/auth/forgot-password', { email })
    const [mail] = await app.mails()
    const waiting = await signUpForToken(app, { email: newAddress() })
    expect((await verify(app, tokenIn(mail))).status).toBe(400)
    expect((await reset(waiting, 'a new password')).status).toBe(400)
    expect((await verify(app, waiting)).status).toBe(200)
    expect((await reset(waiting, 'a new password')).status).toBe(400)
    expect((await reset(tokenIn(mail), 'a new password')).status).toBe(200)
  })

  it('verifies only its own account', async () => {
    const [mine, theirs] = [newAddress(), newAddress()]
    for (const address of [mine, theirs]) await makeUnverified(app, address)
    await makeClient(app).post('/api/auth/resend-verification', { email: mine })
    const [mail] = await app.mails()
    await verify(app, tokenIn(mail))
    const rows = await app.deps.db.select().from(users).where(eq(users.email, theirs))
    expect(rows).toMatchObject([{ emailVerified: false }])
  })

  it('used many times at once creates one account and always succeeds', async () => {
    const token = await signUpForToken(app, { email, ...hers })
    const answers = await Promise.all(Array.from({ length: 8 }, () => verify(app, token)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(await app.deps.db.$count(users, eq(users.email, email))).toBe(1)
    await expectHers()
  })

  it('used during a password reset has one consistent outcome', async () => {
    await makeUnverified(app, email, attackers)
    const token = await signUpForToken(app, { email, ...hers })
    await makeClient(app).post('/api/auth/forgot-password', { email })
    const [mail] = await app.mails()
    const [clicked, changed] = await Promise.all([
      verify(app, token),
      reset(tokenIn(mail), 'of the reset'),
    ])
    expect([clicked.status, changed.status].sort()).toEqual([200, 400])
    const winner = clicked.status === 200 ? victims : 'of the reset'
    expect(await tryLogin(email, winner)).toBe(200)
    expect(await tryLogin(email, attackers)).toBe(401)
  })
})

describe('a look-alike address', () => {
  // Discards emails of earlier tests.
  beforeEach(() => app.mails())

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
    expect(await app.mails()).toEqual([])
  })

  it('in another case is the same address: one account, one lock, one count', async () => {
    const [local, domain] = email.split('@')
    const loud = `${local?.toUpperCase()}@${domain?.toUpperCase()}`
    const his = await signUpForToken(app, { email: loud, password: attackers })
    const her = await signUpForToken(app, { email: ` ${email} `, ...hers })
    expect((await verify(app, her)).status).toBe(200)
    expect((await verify(app, his)).status).toBe(400)
    await expectHers()
  })

  it('with a plus tag is another address', async () => {
    await verify(app, await signUpForToken(app, { email, ...hers }))
    const tagged = email.replace('@', '+tag@')
    const token = await signUpForToken(app, { email: tagged, password: attackers })
    expect((await verify(app, token)).status).toBe(200)
    await expectHers()
    expect(await tryLogin(tagged, attackers)).toBe(200)
  })
})

describe('an expensive password', () => {
  it('of a megabyte is rejected before hashing', async () => {
    const hashed = vi.spyOn(app.deps.passwords, 'hash')
    const large = 'x'.repeat(1024 ** 2)
    const client = makeClient(app)
    expect((await signUp(client, { email, password: large })).status).toBe(413)
    expect(await tryLogin(email, large)).toBe(413)
    expect((await reset('x', large)).status).toBe(413)
    for (const length of [129, 30_000]) {
      const long = 'x'.repeat(length)
      expect((await signUp(client, { email, password: long })).status).toBe(400)
      expect(await tryLogin(email, long)).toBe(400)
    }
    expect(hashed).not.toHaveBeenCalled()
  })

  it('is hashed once per login, however many signups are pending', async () => {
    await verify(app, await signUpForToken(app, { email, ...hers }))
    const unknown = newAddress()
    for (const address of [email, unknown]) {
      for (let n = 0; n < 5; n += 1) {
        await signUpForToken(app, { email: address, password: `${attackers} ${n}` })
      }
    }
    // This address has an account and a pending signup, with different salts.
    const mixed = newAddress()
    await signUpForToken(app, { email: mixed, password: attackers })
    await makeUnverified(app, mixed, victims)
    const hashed = vi.spyOn(app.deps.passwords, 'hash')
    const logins: [string, string, number][] = [
      [email, victims, 200],
      [email, `${attackers} 0`, 403],
      [email, `${attackers} 4`, 403],
      [email, 'a wrong one', 401],
      [unknown, `${attackers} 0`, 403],
      [unknown, 'a wrong one', 401],
      [newAddress(), 'a wrong one', 401],
      [mixed, 'a wrong one', 401],
    ]
    for (const [address, password, status] of logins) {
      hashed.mockClear()
      expect(await tryLogin(address, password)).toBe(status)
      expect(hashed).toHaveBeenCalledTimes(1)
    }
  })
})

describe('emails to the victim', () => {
  it('never exceed their limit, even from concurrent jobs', async () => {
    await verify(app, await signUpForToken(app, { email, ...hers }))
    const sent: Email[] = []
    const mailer = {
      send: async (email: Email) => void sent.push(email),
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
    expect(sent).toHaveLength(3)
  })
})

describe('with rate limits on', () => {
  let limited: TestApp
  beforeAll(async () => {
    limited = await startTestApp({ env: { ...verified, RATE_LIMITS: 'on', TRUST_PROXY: 'on' } })
  })
  afterAll(() => limited.close())

  /** Creates a client with this address. */
  const clientAt = (address: string) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': address }
    return (path: string, body: unknown) =>
      makeClient(limited).fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  it("an attacker can't use up the victim's emails", async () => {
    const attacker = clientAt('192.0.2.1')
    const statuses: number[] = []
    for (let n = 0; n < 4; n += 1) {
      const response = await attacker(
        '/api/auth/signup',
        signupForm({ email, password: attackers }),
      )
      statuses.push(response.status)
      statuses.push((await attacker('/api/auth/resend-verification', { email })).status)
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429, 429, 429])
    await limited.mails()
    const victim = clientAt('192.0.2.2')
    await victim('/api/auth/signup', signupForm({ email, ...hers }))
    const [mail] = await limited.mails()
    expect((await verify(limited, tokenIn(mail))).status).toBe(200)
  })

  it('the right password of an unverified account uses up no attempts', async () => {
    await makeUnverified(limited, email, victims)
    const victim = clientAt('192.0.2.5')
    for (let n = 0; n < 12; n += 1) {
      expect((await victim('/api/auth/login', { email, password: victims })).status).toBe(403)
    }
  })

  it("the attacker's own signup allows no guesses at her password", async () => {
    const victim = clientAt('192.0.2.3')
    await victim('/api/auth/signup', signupForm({ email, ...hers }))
    const [mail] = await limited.mails()
    await verify(limited, tokenIn(mail))
    const attacker = clientAt('192.0.2.4')
    await attacker('/api/auth/signup', signupForm({ email, password: attackers }))
    const statuses: number[] = []
    for (let n = 0; n < 6; n += 1) {
      for (const password of [`guess ${n}`, attackers]) {
        statuses.push((await attacker('/api/auth/login', { email, password })).status)
      }
    }
    expect(statuses).toEqual([401, 403, 401, 403, 401, 403, 401, 403, 401, 403, 429, 429])
  })
})

describe('a victim who signs in with Google', () => {
  let google: GoogleApp
  beforeAll(async () => {
    google = await startGoogleApp({ env: verified })
  })
  afterAll(() => google.close())

  const logInAsAttacker = async () =>
    (await makeClient(google.app).post('/api/auth/login', { email, password: attackers })).status

  it.each([
    ['creates her own account', false],
    ['takes over an account created while verification was off', true],
  ])("%s and voids the attacker's signup", async (_, isSquatted) => {
    if (isSquatted) await makeUnverified(google.app, email, 'of the old account')
    const his = await signUpForToken(google.app, { email, password: attackers })
    expect(await logInAsAttacker()).toBe(403)
    const { path } = await google.signIn({ sub: email, email, email_verified: true })
    expect(path).toBe('/')
    expect(await logInAsAttacker()).toBe(401)
    expect((await verify(google.app, his)).status).toBe(400)
    const rows = await google.app.deps.db.select().from(users).where(eq(users.email, email))
    expect(rows).toHaveLength(1)
    expect(rows[0]?.name).not.toContain('Lovelace')
  })
})
