import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { json, logIn, makeClient, makeFile } from '../../../tests/support/make.ts'
import {
  cookiesOf,
  makeUnverified,
  newAddress,
  password,
  signUp,
  signUpForToken,
  tokenIn,
  verified,
  verify,
} from '../../../tests/support/signup.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import {
  accounts,
  accountTokens,
  auditLog,
  pendingSignups,
  sentLetters,
  sessions,
  users,
} from '../db/schema.ts'
import { removeLapsedRows } from './queries.ts'

const minute = 60_000
const hour = 60 * minute
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0'

let app: TestApp
let email: string
beforeAll(async () => {
  app = await startTestApp({ env: verified })
})
afterAll(() => app.close())
beforeEach(async () => {
  await app.mails()
  email = newAddress()
})

function tryLogin(address: string, secret = password) {
  return makeClient(app).post('/api/auth/login', { email: address, password: secret })
}

async function statusAndCode(answer: Response) {
  const { code } = await json<{ code?: string }>(answer)
  return `${answer.status} ${code ?? ''}`.trim()
}

function usersOf(address: string) {
  return app.deps.db.select().from(users).where(eq(users.email, address))
}

function resend(address: string, cookie = '') {
  return makeClient(app, cookie).post('/api/auth/resend-verification', { email: address })
}

/** Returns everything that a client sees of an answer, without the values that differ each time. */
async function seen(answer: Response) {
  const headers = Object.fromEntries(answer.headers)
  for (const own of ['date', 'x-request-id']) delete headers[own]
  const cookie = headers['set-cookie']?.replace(/=[\w-]{36};/, '=<an id>;')
  return {
    status: answer.status,
    headers: { ...headers, cookie, 'set-cookie': null },
    body: await answer.text(),
  }
}

describe('POST /api/auth/signup where addresses are verified', () => {
  it('makes no account before the click, and then exactly the one that was typed', async () => {
    const answer = await signUp(makeClient(app), { email: email.toUpperCase(), firstName: 'Grace' })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({
      message: 'Account created successfully!',
      requiresVerification: true,
    })
    expect(await usersOf(email)).toEqual([])

    const [mail, ...others] = await app.mails()
    expect(others).toEqual([])
    expect(mail?.to).toEqual({ name: '', address: email })
    const clicked = await verify(app, tokenIn(mail))
    expect(clicked.status).toBe(200)
    expect(await clicked.json()).toEqual({ message: 'Email verified!' })

    const client = makeClient(app, await logIn(app, email, password))
    expect(await json(await client.fetch('/api/auth/user'))).toMatchObject({
      email,
      name: 'Grace Lovelace',
      firstName: 'Grace',
      tier: 'free',
      isAdmin: false,
    })
    expect(await usersOf(email)).toMatchObject([{ emailVerified: true, lastName: 'Lovelace' }])
  })

  it('sends a letter that says when and from which browser, and no word that was typed', async () => {
    app.clock.set(new Date('2026-11-24T14:02:31Z'))
    await signUp(
      makeClient(app),
      { email, firstName: 'You won', lastName: 'evil.example' },
      firefox,
    )
    await signUp(makeClient(app), { email }, 'Your prize https://evil.example/1 x')
    const [known, unknown] = await app.mails()
    expect(known?.letter.subject).toBe('Verify your email address for Mayfly')
    const facts = `${email} (Tue 24 Nov, 14:02 UTC, from Firefox on Linux)`
    for (const text of [known?.letter.text, known?.letter.html]) expect(text).toContain(facts)
    expect(known?.letter.text).toMatch(
      /\n\nVerify email address: http\S+\/verify-email\?token=\S{43}\n/,
    )
    expect(unknown?.letter.text).toContain('(Tue 24 Nov, 14:02 UTC, from an unknown browser)')
    expect(JSON.stringify([known, unknown])).not.toMatch(/You won|evil\.example|prize/)
  })

  it('shows a stranger the same for an address that is known, waits, or is the administrator’s', async () => {
    const known = newAddress()
    await verify(app, await signUpForToken(app, { email: known }))
    const waiting = newAddress()
    await signUpForToken(app, { email: waiting })
    const admin = app.deps.config.adminEmail
    const chosen = 'a password of the stranger'

    const answers = []
    for (const address of [email, known, waiting, admin]) {
      answers.push(await seen(await signUp(makeClient(app), { email: address, password: chosen })))
    }
    expect(answers[0]?.status).toBe(200)
    for (const answer of answers.slice(1)) expect(answer).toEqual(answers[0])

    const mails = await app.mails()
    expect(mails.map(({ to, letter }) => [to.address, letter.subject])).toEqual([
      [email, 'Verify your email address for Mayfly'],
      [known, 'Somebody signed up with your address'],
      [waiting, 'Verify your email address for Mayfly'],
    ])
    // After the mails were sent, the stranger tries to log in with each signup.
    const logins = []
    for (const address of [email, known, waiting, admin]) {
      logins.push(await seen(await tryLogin(address, chosen)))
    }
    expect(logins[0]?.status).toBe(403)
    for (const login of logins.slice(1)) expect(login).toEqual(logins[0])
    for (const address of [email, known, waiting]) expect((await resend(address)).status).toBe(200)
  })

  it('tells the owner of a known address, by name, and changes nothing', async () => {
    app.clock.set(new Date('2026-11-24T14:02:31Z'))
    await verify(app, await signUpForToken(app, { email }))
    await signUp(makeClient(app), { email, firstName: 'Eve', password: 'another one' }, firefox)
    const [mail] = await app.mails()
    expect(mail?.to).toEqual({ name: 'Ada', address: email })
    expect(mail?.letter.text).toContain(
      `Hello Ada, somebody signed up with ${email} (Tue 24 Nov, 14:02 UTC, from Firefox on Linux)`,
    )
    expect(mail?.letter.text).toContain(`Go to Login: ${app.url}/login\n`)
    expect(tokenIn(mail)).toBe('')
    expect(await statusAndCode(await tryLogin(email, 'another one'))).toBe('403 EMAIL_NOT_VERIFIED')
    await logIn(app, email, password)
    expect(await usersOf(email)).toMatchObject([{ firstName: 'Ada' }])
  })

  it('opens no session', async () => {
    const cookies = (await signUp(makeClient(app), { email })).headers.getSetCookie()
    expect(cookies).toEqual([
      expect.stringMatching(
        /^mayfly\.unverified=[\w-]{36}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/,
      ),
    ])
  })
})

describe('POST /api/auth/login of an unverified address', () => {
  it('says so to the right password alone', async () => {
    await signUp(makeClient(app), { email })
    expect(await statusAndCode(await tryLogin(email))).toBe('403 EMAIL_NOT_VERIFIED')
    expect(await statusAndCode(await tryLogin(email, 'a wrong one'))).toBe(
      '401 INVALID_CREDENTIALS',
    )
    expect((await tryLogin(email)).headers.getSetCookie().join()).not.toContain('session')
  })

  it('knows every signup that waits', async () => {
    for (const secret of ['the first', 'the second']) {
      await signUp(makeClient(app), { email, password: secret })
      app.clock.advance(1)
    }
    for (const secret of ['the first', 'the second']) {
      expect(await statusAndCode(await tryLogin(email, secret))).toBe('403 EMAIL_NOT_VERIFIED')
    }
  })

  it('forgets a signup after 24 hours', async () => {
    const token = await signUpForToken(app, { email })
    app.clock.advance(24 * hour - 1)
    expect(await statusAndCode(await tryLogin(email))).toBe('403 EMAIL_NOT_VERIFIED')
    app.clock.advance(1)
    expect(await statusAndCode(await tryLogin(email))).toBe('401 INVALID_CREDENTIALS')
    expect(await statusAndCode(await verify(app, token))).toBe('400 TOKEN_INVALID')
  })
})

describe('POST /api/auth/verify-email', () => {
  it('succeeds again with the same token, and with another one of the same signup', async () => {
    await signUp(makeClient(app), { email })
    await resend(email)
    const tokens = (await app.mails()).map(tokenIn)
    expect(new Set(tokens).size).toBe(2)
    for (const token of tokens) expect((await verify(app, token)).status).toBe(200)
    const client = makeClient(app, await logIn(app, email, password))
    for (const token of tokens) expect((await verify(app, token)).status).toBe(200)
    expect(await usersOf(email)).toHaveLength(1)
    expect((await client.fetch('/api/auth/user')).status).toBe(200)
  })

  it('lets the first of several signups win, and makes the others void', async () => {
    const [first, second] = [
      await signUpForToken(app, { email, password: 'the first' }),
      await signUpForToken(app, { email, password: 'the second', firstName: 'Grace' }),
    ]
    expect((await verify(app, second)).status).toBe(200)
    expect(await statusAndCode(await verify(app, first))).toBe('400 TOKEN_INVALID')
    expect(await statusAndCode(await tryLogin(email, 'the first'))).toBe('401 INVALID_CREDENTIALS')
    await logIn(app, email, 'the second')
    expect(await usersOf(email)).toMatchObject([{ firstName: 'Grace' }])
    const left = app.deps.db.$count(pendingSignups, eq(pendingSignups.email, email))
    expect(await left).toBe(0)
  })

  it('takes no token from before another password', async () => {
    const token = await signUpForToken(app, { email })
    await verify(app, token)
    await makeClient(app).post('/api/auth/forgot-password', { email })
    const [mail] = await app.mails()
    const reset = { token: tokenIn(mail), newPassword: 'another password' }
    expect((await makeClient(app).post('/api/auth/reset-password', reset)).status).toBe(200)
    expect(await statusAndCode(await verify(app, token))).toBe('400 TOKEN_INVALID')
  })

  it.each([undefined, null, '', 7, {}, 'x'.repeat(201)])('refuses %j', async (token) => {
    expect(await statusAndCode(await verify(app, token))).toBe('400 INVALID_INPUT')
  })

  it('takes nothing for a token that is none', async () => {
    for (const token of ['x', "' or 1=1 --", '%', 'A'.repeat(43), '\0']) {
      expect(await statusAndCode(await verify(app, token))).toBe('400 TOKEN_INVALID')
    }
  })

  it('is no GET: whatever looks at the link spends nothing', async () => {
    const token = await signUpForToken(app, { email })
    for (const path of ['/verify-email', '/api/auth/verify-email']) {
      for (const method of ['GET', 'HEAD']) {
        await makeClient(app).fetch(`${path}?token=${token}`, { method })
      }
    }
    const got = await makeClient(app).fetch(`/api/auth/verify-email?token=${token}`)
    expect(got.status).toBe(405)
    expect(await usersOf(email)).toEqual([])
    expect((await verify(app, token)).status).toBe(200)
  })

  it('goes by the settings of the moment of the click', async () => {
    const { config } = app.deps
    const { signup, adminEmail } = config
    const token = await signUpForToken(app, { email })
    try {
      config.signup = 'closed'
      expect(await statusAndCode(await verify(app, token))).toBe('403 SIGNUP_NOT_ALLOWED')
      config.signup = signup
      config.adminEmail = email
      expect(await statusAndCode(await verify(app, token))).toBe('400 TOKEN_INVALID')
    } finally {
      Object.assign(config, { signup, adminEmail })
    }
    expect((await verify(app, token)).status).toBe(200)
  })

  it('keeps no token and no password as they were typed', async () => {
    const token = await signUpForToken(app, { email, password: 'a telling password' })
    const { db } = app.deps
    const kept = JSON.stringify([
      await db.select().from(accountTokens),
      await db.select().from(pendingSignups),
    ])
    expect(token).toHaveLength(43)
    expect(kept).not.toContain(token)
    expect(kept).not.toContain('a telling password')
  })
})

describe('POST /api/auth/resend-verification', () => {
  it('answers the same for every address', async () => {
    const [waiting, known] = [newAddress(), newAddress()]
    await signUp(makeClient(app), { email: waiting })
    await verify(app, await signUpForToken(app, { email: known }))
    const answers = []
    for (const address of [email, waiting, known]) answers.push(await seen(await resend(address)))
    expect(answers[0]).toMatchObject({
      status: 200,
      body: JSON.stringify({
        message: 'If this address waits to be verified, we have sent the mail again.',
      }),
    })
    for (const answer of answers.slice(1)) expect(answer).toEqual(answers[0])
    expect((await app.mails()).map(({ to }) => to.address)).toEqual([waiting])
  })

  it.each([undefined, '', 'no address', 7])('refuses %j', async (address) => {
    expect((await resend(address as string)).status).toBe(400)
  })

  it('sends the letter of the signup that this browser made, or else of the newest', async () => {
    const first = await signUp(makeClient(app), { email, password: 'the first' })
    app.clock.advance(1)
    await signUp(makeClient(app), { email, password: 'the second' })
    await app.mails()
    await resend(email)
    await resend(email, cookiesOf(first))
    const [newest, own] = await app.mails()
    expect((await verify(app, tokenIn(own))).status).toBe(200)
    await logIn(app, email, 'the first')
    expect((await verify(app, tokenIn(newest))).status).toBe(400)
  })

  it('sends the letter of the signup whose password was right here', async () => {
    await signUp(makeClient(app), { email, password: 'the first' })
    app.clock.advance(1)
    await signUp(makeClient(app), { email, password: 'the second' })
    await app.mails()
    const login = await tryLogin(email, 'the first')
    await resend(email, cookiesOf(login))
    const [mail] = await app.mails()
    await verify(app, tokenIn(mail))
    await logIn(app, email, 'the first')
  })

  it('lets a signup wait for another 24 hours', async () => {
    await signUp(makeClient(app), { email })
    app.clock.advance(23 * hour)
    await resend(email)
    const [, again] = await app.mails()
    app.clock.advance(23 * hour)
    expect((await verify(app, tokenIn(again))).status).toBe(200)
  })

  it('cares for no cookie that names somebody else’s signup, or nothing', async () => {
    const other = await signUp(makeClient(app), { email: newAddress() })
    await signUp(makeClient(app), { email })
    await app.mails()
    for (const cookie of [cookiesOf(other), "mayfly.unverified='; --", 'mayfly.unverified=x']) {
      expect((await resend(email, cookie)).status).toBe(200)
      expect((await app.mails()).map(({ to }) => to.address)).toEqual([email])
    }
  })
})

describe('how many letters an address gets', () => {
  it('is six in a quarter of an hour for signups; one without a letter does not wait', async () => {
    for (let n = 0; n < 8; n += 1)
      await signUp(makeClient(app), { email, password: `password ${n}` })
    expect(await app.mails()).toHaveLength(6)
    await resend(email)
    expect(await app.mails()).toEqual([])
    expect(await statusAndCode(await tryLogin(email, 'password 5'))).toBe('403 EMAIL_NOT_VERIFIED')
    expect(await statusAndCode(await tryLogin(email, 'password 6'))).toBe('401 INVALID_CREDENTIALS')
    app.clock.advance(15 * minute)
    await resend(email)
    expect(await app.mails()).toHaveLength(1)
  })

  it('is the same for an address with an account', async () => {
    await verify(app, await signUpForToken(app, { email }))
    app.clock.advance(15 * minute)
    for (let n = 0; n < 8; n += 1)
      await signUp(makeClient(app), { email, password: `password ${n}` })
    expect(await app.mails()).toHaveLength(6)
    expect(await statusAndCode(await tryLogin(email, 'password 5'))).toBe('403 EMAIL_NOT_VERIFIED')
    expect(await statusAndCode(await tryLogin(email, 'password 6'))).toBe('401 INVALID_CREDENTIALS')
  })

  it('leaves the newest 20 signups waiting', async () => {
    const tokens: string[] = []
    for (let n = 0; n < 21; n += 1) {
      tokens.push(await signUpForToken(app, { email }))
      app.clock.advance(5 * minute)
    }
    expect(await statusAndCode(await verify(app, tokens[0]))).toBe('400 TOKEN_INVALID')
    expect((await verify(app, tokens[1])).status).toBe(200)
  })
})

describe('an account from before addresses were verified', () => {
  it('cannot log in, and is verified by a letter that is asked for', async () => {
    const id = await makeUnverified(app, email)
    const login = await tryLogin(email)
    expect(await statusAndCode(login)).toBe('403 EMAIL_NOT_VERIFIED')
    await resend(email, cookiesOf(login))
    const [mail] = await app.mails()
    expect(mail?.to).toEqual({ name: '', address: email })
    expect(JSON.stringify(mail)).not.toContain('Mallory')
    for (let times = 0; times < 2; times += 1) {
      expect((await verify(app, tokenIn(mail))).status).toBe(200)
    }
    await logIn(app, email, password)
    expect(await usersOf(email)).toMatchObject([{ id, emailVerified: true }])
  })

  it('is verified by its letter for 24 hours', async () => {
    const first = await tokenForAccount(email)
    app.clock.advance(24 * hour - 1)
    expect((await verify(app, first)).status).toBe(200)

    const other = newAddress()
    const late = await tokenForAccount(other)
    app.clock.advance(24 * hour)
    expect(await statusAndCode(await verify(app, late))).toBe('400 TOKEN_INVALID')
    expect(await usersOf(other)).toMatchObject([{ emailVerified: false }])
  })

  it('is verified by no letter to the address that it had before', async () => {
    const token = await tokenForAccount(email)
    const moved = newAddress()
    await app.deps.db.update(users).set({ email: moved }).where(eq(users.email, email))
    expect(await statusAndCode(await verify(app, token))).toBe('400 TOKEN_INVALID')
    expect(await usersOf(moved)).toMatchObject([{ emailVerified: false }])
  })

  /** Makes an account that nobody has verified. Returns the token in the letter for it. */
  async function tokenForAccount(address: string) {
    await makeUnverified(app, address)
    const login = await tryLogin(address)
    await resend(address, cookiesOf(login))
    const [mail] = await app.mails()
    return tokenIn(mail)
  }

  it('gets its own letter where its password was right, though a signup waits beside it', async () => {
    await makeUnverified(app, email, 'of the account')
    await signUp(makeClient(app), { email, password: 'of the signup' })
    await app.mails()
    const login = await tryLogin(email, 'of the account')
    await resend(email, cookiesOf(login))
    const [mail] = await app.mails()
    expect(mail?.letter.text).toContain('for the account that has this address')
    await verify(app, tokenIn(mail))
    await logIn(app, email, 'of the account')
    expect(await statusAndCode(await tryLogin(email, 'of the signup'))).toBe(
      '401 INVALID_CREDENTIALS',
    )
  })

  it('is changed by no signup any more once the operator has verified it', async () => {
    const id = await makeUnverified(app, email, 'of the account')
    const token = await signUpForToken(app, { email, password: 'of the signup' })
    const { db } = app.deps
    await db.update(users).set({ emailVerified: true }).where(eq(users.id, id))
    expect(await statusAndCode(await verify(app, token))).toBe('400 TOKEN_INVALID')
    await logIn(app, email, 'of the account')
    expect(await usersOf(email)).toMatchObject([{ firstName: 'Mallory' }])
  })

  it('goes to whoever verifies its address by a signup: password, name, and nobody else stays in', async () => {
    const id = await makeUnverified(app, email, 'of a squatter')
    const { db } = app.deps
    await db
      .update(users)
      .set({ emailVerified: true, image: 'https://evil.example/x.png' })
      .where(eq(users.id, id))
    const squatter = makeClient(app, await logIn(app, email, 'of a squatter'))
    const file = await makeFile({ ...squatter })
    await db.update(users).set({ emailVerified: false }).where(eq(users.id, id))
    const now = app.clock()
    await db.insert(accounts).values({
      id: newAddress(),
      userId: id,
      accountId: 'at google',
      providerId: 'google',
      createdAt: now,
      updatedAt: now,
    })
    await makeClient(app).post('/api/auth/forgot-password', { email })
    const [resetMail] = await app.mails()

    expect((await verify(app, await signUpForToken(app, { email }))).status).toBe(200)
    expect(await usersOf(email)).toMatchObject([
      { id, name: 'Ada Lovelace', firstName: 'Ada', image: null, emailVerified: true },
    ])
    expect((await squatter.fetch('/api/auth/user')).status).toBe(401)
    expect(await statusAndCode(await tryLogin(email, 'of a squatter'))).toBe(
      '401 INVALID_CREDENTIALS',
    )
    const reset = { token: tokenIn(resetMail), newPassword: 'from an old letter' }
    expect((await makeClient(app).post('/api/auth/reset-password', reset)).status).toBe(400)
    const ways = await db.select().from(accounts).where(eq(accounts.userId, id))
    expect(ways.map(({ providerId }) => providerId)).toEqual(['credential'])
    const audited = await db.select().from(auditLog).where(eq(auditLog.subject, id))
    expect(audited).toMatchObject([
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

  it('signs everybody out and voids other letters when it is verified itself', async () => {
    const id = await makeUnverified(app, email)
    const { db } = app.deps
    await db.update(users).set({ emailVerified: true }).where(eq(users.id, id))
    await logIn(app, email, password)
    await db.update(users).set({ emailVerified: false }).where(eq(users.id, id))
    await makeClient(app).post('/api/auth/forgot-password', { email })
    await resend(email)
    const [reset, mail] = await app.mails()
    expect((await verify(app, tokenIn(mail))).status).toBe(200)
    expect(await db.$count(sessions, eq(sessions.userId, id))).toBe(0)
    const old = { token: tokenIn(reset), newPassword: 'from an old letter' }
    expect((await makeClient(app).post('/api/auth/reset-password', old)).status).toBe(400)
  })

  it('makes signups that wait void when it is reset by a letter', async () => {
    await makeUnverified(app, email)
    const token = await signUpForToken(app, { email, password: 'of a signup' })
    await makeClient(app).post('/api/auth/forgot-password', { email })
    const [mail] = await app.mails()
    const reset = { token: tokenIn(mail), newPassword: 'of the reset' }
    expect((await makeClient(app).post('/api/auth/reset-password', reset)).status).toBe(200)
    expect(await statusAndCode(await verify(app, token))).toBe('400 TOKEN_INVALID')
    await logIn(app, email, 'of the reset')
  })
})

it('a new password of an account tells nothing to a stranger whose signup waits for its address', async () => {
  await verify(app, await signUpForToken(app, { email }))
  await signUp(makeClient(app), { email, password: 'of a stranger' })
  await makeClient(app).post('/api/auth/forgot-password', { email })
  const mails = await app.mails()
  const reset = { token: tokenIn(mails.at(-1)), newPassword: 'by a letter' }
  expect((await makeClient(app).post('/api/auth/reset-password', reset)).status).toBe(200)
  expect((await tryLogin(email, 'of a stranger')).status).toBe(403)

  const owner = makeClient(app, await logIn(app, email, 'by a letter'))
  const change = { currentPassword: 'by a letter', newPassword: 'by hand' }
  expect((await owner.post('/api/auth/change-password', change)).status).toBe(200)
  expect((await tryLogin(email, 'of a stranger')).status).toBe(403)
  await logIn(app, email, 'by hand')
})

it('signups and letters that count no more are removed, and no others', async () => {
  const { db } = app.deps
  const old = newAddress()
  await signUpForToken(app, { email: old })
  app.clock.advance(23 * hour)
  await signUpForToken(app, { email })
  app.clock.advance(hour + 1)
  await removeLapsedRows(db, app.clock())
  const waiting = await db.select({ email: pendingSignups.email }).from(pendingSignups)
  expect(waiting).toContainEqual({ email })
  expect(waiting).not.toContainEqual({ email: old })
  expect(await db.$count(sentLetters)).toBe(0)
})
