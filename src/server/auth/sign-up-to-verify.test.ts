import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { json, logIn, makeClient } from '../../../tests/support/make.ts'
import { send } from '../../../tests/support/send.ts'
import {
  makeAddress,
  password,
  readStatusAndCode,
  resendVerification,
  signUp,
  signUpForToken,
  signupForm,
  toComparableResponse,
  tokenIn,
  tryLogin,
  verifyEmail,
  withVerification,
} from '../../../tests/support/signup.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { users } from '../db/schema.ts'

const minute = 60_000
const hour = 60 * minute
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0'

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

describe('POST /api/auth/signup with email verification', () => {
  it('creates the account as entered when the link is opened', async () => {
    const response = await signUp(makeClient(app), {
      email: email.toUpperCase(),
      firstName: 'Grace',
    })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      message: 'Account created successfully!',
      requiresVerification: true,
    })
    expect(await listUsers(email)).toEqual([])

    const [sentEmail, ...otherEmails] = await app.sendQueuedEmails()
    expect(otherEmails).toEqual([])
    expect(sentEmail?.to).toEqual({ name: '', address: email })
    const verifyResponse = await verifyEmail(app, tokenIn(sentEmail))
    expect(verifyResponse.status).toBe(200)
    expect(await verifyResponse.json()).toEqual({ message: 'Email verified!' })

    const client = makeClient(app, await logIn(app, email, password))
    expect(await json(await client.fetch('/api/auth/user'))).toMatchObject({
      email,
      name: 'Grace Lovelace',
      firstName: 'Grace',
      tier: 'free',
      isAdmin: false,
    })
    expect(await listUsers(email)).toMatchObject([{ emailVerified: true, lastName: 'Lovelace' }])
  })

  it('sends an email with time and browser, and without any text from the form', async () => {
    app.clock.set(new Date('2026-11-24T14:02:31Z'))
    await signUp(
      makeClient(app),
      { email, firstName: 'You won', lastName: 'evil.example' },
      firefox,
    )
    await signUp(makeClient(app), { email }, 'Your prize https://evil.example/1 x')
    const [firefoxEmail, unknownBrowserEmail] = await app.sendQueuedEmails()
    expect(firefoxEmail?.content.subject).toBe('Verify your email address for Mayfly')
    const signupText = `${email} (Tue 24 Nov 2026, 14:02 UTC, from Firefox on Linux)`
    for (const text of [firefoxEmail?.content.text, firefoxEmail?.content.html])
      expect(text).toContain(signupText)
    expect(firefoxEmail?.content.text).toMatch(
      /\n\nVerify email address: http\S+\/verify-email\?token=\S{43}\n/,
    )
    expect(unknownBrowserEmail?.content.text).toContain(
      '(Tue 24 Nov 2026, 14:02 UTC, from an unknown browser)',
    )
    expect(JSON.stringify([firefoxEmail, unknownBrowserEmail])).not.toMatch(
      /You won|evil\.example|prize/,
    )
  })

  it('responds identically for an existing, a pending and the administrator’s address', async () => {
    const knownAddress = makeAddress()
    await verifyEmail(app, await signUpForToken(app, { email: knownAddress }))
    const pendingAddress = makeAddress()
    await signUpForToken(app, { email: pendingAddress })
    const adminEmail = app.deps.config.adminEmail
    const strangerPassword = 'a password of the stranger'

    const responses = []
    for (const address of [email, knownAddress, pendingAddress, adminEmail]) {
      responses.push(
        await toComparableResponse(
          await signUp(makeClient(app), { email: address, password: strangerPassword }),
        ),
      )
    }
    expect(responses[0]?.status).toBe(200)
    for (const response of responses.slice(1)) expect(response).toEqual(responses[0])

    const sentEmails = await app.sendQueuedEmails()
    expect(sentEmails.map(({ to, content }) => [to.address, content.subject])).toEqual([
      [email, 'Verify your email address for Mayfly'],
      [knownAddress, 'Somebody signed up with your address'],
      [pendingAddress, 'Verify your email address for Mayfly'],
    ])
    // The stranger who signed up with these addresses tries to log in with each of them.
    const loginResponses = []
    for (const address of [email, knownAddress, pendingAddress, adminEmail]) {
      loginResponses.push(
        await toComparableResponse(await tryLogin(app, address, strangerPassword)),
      )
    }
    expect(loginResponses[0]?.status).toBe(403)
    for (const loginResponse of loginResponses.slice(1))
      expect(loginResponse).toEqual(loginResponses[0])
    for (const address of [email, knownAddress, pendingAddress])
      expect((await resendVerification(app, address)).status).toBe(200)
  })

  it('emails the owner of an existing account and changes nothing', async () => {
    app.clock.set(new Date('2026-11-24T14:02:31Z'))
    await verifyEmail(app, await signUpForToken(app, { email }))
    await signUp(makeClient(app), { email, firstName: 'Eve', password: 'another one' }, firefox)
    const [sentEmail] = await app.sendQueuedEmails()
    expect(sentEmail?.to).toEqual({ name: 'Ada', address: email })
    expect(sentEmail?.content.text).toContain(
      `Hello Ada, somebody signed up with ${email} (Tue 24 Nov 2026, 14:02 UTC, from Firefox on Linux)`,
    )
    expect(sentEmail?.content.text).toContain(`Go to Login: ${app.url}/login\n`)
    expect(tokenIn(sentEmail)).toBe('')
    expect(await readStatusAndCode(await tryLogin(app, email, 'another one'))).toBe(
      '403 EMAIL_NOT_VERIFIED',
    )
    await logIn(app, email, password)
    expect(await listUsers(email)).toMatchObject([{ firstName: 'Ada' }])
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

describe('the cookie of a pending signup over https', () => {
  it('is Secure, HttpOnly and bound to this host', async () => {
    const appUrl = 'https://files.example.org'
    const httpsApp = await startTestApp({ env: { ...withVerification, APP_URL: appUrl } })
    try {
      const post = (path: string) =>
        send(`http://127.0.0.1:${httpsApp.deps.config.port}${path}`, {
          method: 'POST',
          headers: { host: 'files.example.org' },
          body: JSON.stringify(signupForm({ email })),
        })
      // A login with an unverified address sets the cookie too.
      for (const path of ['/api/auth/signup', '/api/auth/login']) {
        expect((await post(path)).headers['set-cookie'], path).toEqual([
          expect.stringMatching(
            /^__Host-mayfly\.unverified=[\w-]{36}; Max-Age=86400; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
          ),
        ])
      }
    } finally {
      await httpsApp.close()
    }
  })
})

describe('POST /api/auth/login with an unverified address', () => {
  it('reports the missing verification only for the correct password', async () => {
    await signUp(makeClient(app), { email })
    expect(await readStatusAndCode(await tryLogin(app, email))).toBe('403 EMAIL_NOT_VERIFIED')
    expect(await readStatusAndCode(await tryLogin(app, email, 'a wrong one'))).toBe(
      '401 INVALID_CREDENTIALS',
    )
    expect((await tryLogin(app, email)).headers.getSetCookie().join()).not.toContain('session')
  })

  it('accepts the password of any pending signup', async () => {
    for (const secret of ['the first', 'the second']) {
      await signUp(makeClient(app), { email, password: secret })
      app.clock.advance(1)
    }
    for (const secret of ['the first', 'the second']) {
      expect(await readStatusAndCode(await tryLogin(app, email, secret))).toBe(
        '403 EMAIL_NOT_VERIFIED',
      )
    }
  })

  it('rejects a signup that is older than 24 hours', async () => {
    const token = await signUpForToken(app, { email })
    app.clock.advance(24 * hour - 1)
    expect(await readStatusAndCode(await tryLogin(app, email))).toBe('403 EMAIL_NOT_VERIFIED')
    app.clock.advance(1)
    expect(await readStatusAndCode(await tryLogin(app, email))).toBe('401 INVALID_CREDENTIALS')
    expect(await readStatusAndCode(await verifyEmail(app, token))).toBe('400 TOKEN_INVALID')
  })
})
