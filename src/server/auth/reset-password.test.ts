import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeKey, withKey } from '../../../tests/support/keys.ts'
import { logIn, makeClient, makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { accounts, accountTokens, auditLog, users } from '../db/schema.ts'
import type { Email } from '../email/mailer.ts'

const hour = 60 * 60_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

function requestReset(email: string) {
  return makeClient(app).post('/api/auth/forgot-password', { email })
}
function resetPassword(token: string, newPassword = 'a new password') {
  return makeClient(app).post('/api/auth/reset-password', { token, newPassword })
}

function extractToken(email: Email | undefined): string {
  return /\/reset-password\?token=([\w-]+)/.exec(email?.content.text ?? '')?.[1] ?? ''
}

async function requestResetToken({ email }: Pick<Person, 'email'>): Promise<string> {
  await app.sendQueuedEmails()
  expect((await requestReset(email)).status).toBe(200)
  const [sentEmail, ...otherEmails] = await app.sendQueuedEmails()
  expect(sentEmail?.to.address).toBe(email)
  expect(otherEmails).toEqual([])
  return extractToken(sentEmail)
}

async function expectInvalidToken(response: Response) {
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ code: 'TOKEN_INVALID' })
}

describe('POST /api/auth/forgot-password', () => {
  it('responds identically for every email address, and sends email only to existing accounts', async () => {
    const person = await makePerson(app)
    const responses = []
    for (const email of [person.email, 'nobody@example.org']) {
      const response = await requestReset(email)
      const headers = Object.fromEntries(response.headers)
      for (const name of ['date', 'x-request-id']) delete headers[name]
      responses.push({ status: response.status, headers, body: await response.json() })
    }
    expect(responses[0]).toEqual(responses[1])
    expect(responses[0]).toMatchObject({
      status: 200,
      body: {
        message: "If an account exists, we've sent password reset instructions to your email.",
      },
    })
    expect((await app.sendQueuedEmails()).map(({ to }) => to.address)).toEqual([person.email])
  })

  it('ignores the case of the email address', async () => {
    const person = await makePerson(app)
    await requestReset(` ${person.email.toUpperCase()} `)
    expect(await app.sendQueuedEmails()).toHaveLength(1)
  })

  it('sends at most three emails in 15 minutes', async () => {
    const person = await makePerson(app)
    for (let n = 0; n < 5; n += 1) expect((await requestReset(person.email)).status).toBe(200)
    expect(await app.sendQueuedEmails()).toHaveLength(3)
    app.clock.advance(hour / 4 + 1)
    await requestResetToken(person)
  })

  it.each([undefined, '', 'no address', 7, `${'a'.repeat(300)}@example.org`, '\0@example.org'])(
    'rejects %j',
    async (email) => {
      const response = await makeClient(app).post('/api/auth/forgot-password', { email })
      expect(response.status).toBe(400)
      expect(await app.sendQueuedEmails()).toEqual([])
    },
  )
})

describe('an email to an unverified address', () => {
  it('contains no text entered at signup', async () => {
    const email = 'stranger@example.org'
    const firstName = 'You won, see https://evil.example'
    const form = { firstName, lastName: 'x', email, password: 'a password' }
    const signup = { ...form, confirmPassword: form.password }
    expect((await makeClient(app).post('/api/auth/signup', signup)).status).toBe(200)
    await requestReset(email)
    const [sentEmail] = await app.sendQueuedEmails()
    expect(JSON.stringify(sentEmail)).not.toContain('You won')
    expect(sentEmail?.content.text).toContain('Hello, somebody asked')

    await resetPassword(extractToken(sentEmail))
    await requestReset(email)
    const [, laterEmail] = await app.sendQueuedEmails()
    expect(laterEmail?.content.text).toContain(`Hello ${firstName}, somebody asked`)
  })

  it.each(['Ada\r\nBcc: eve@example.net', 'Ada\u0000', 'Ada\u202Egpj', 'Ada\u2028Eve'])(
    'is never addressed to the invalid name %j',
    async (firstName) => {
      const form = { firstName, lastName: 'x', email: 'ada@example.org', password: 'a password' }
      const signup = { ...form, confirmPassword: form.password }
      expect((await makeClient(app).post('/api/auth/signup', signup)).status).toBe(400)
    },
  )
})

describe('POST /api/auth/reset-password/check', () => {
  const checkToken = async (token: string) => {
    const response = await makeClient(app).post('/api/auth/reset-password/check', { token })
    expect(response.status).toBe(200)
    return (await response.json()).isValid
  }

  it('reports whether a token is valid without consuming it', async () => {
    const token = await requestResetToken(await makePerson(app))
    expect([await checkToken(token), await checkToken(token)]).toEqual([true, true])
    expect((await resetPassword(token)).status).toBe(200)
    expect(await checkToken(token)).toBe(false)
  })

  it('rejects expired, superseded and unknown tokens', async () => {
    const person = await makePerson(app)
    const [firstToken, secondToken] = [
      await requestResetToken(person),
      await requestResetToken(person),
    ]
    await resetPassword(secondToken)
    expect([await checkToken(firstToken), await checkToken('x')]).toEqual([false, false])
    const expiredToken = await requestResetToken(await makePerson(app))
    app.clock.advance(hour)
    expect(await checkToken(expiredToken)).toBe(false)
  })

  it.each([undefined, '', 7, 'x'.repeat(201)])('rejects %j', async (token) => {
    const response = await makeClient(app).post('/api/auth/reset-password/check', { token })
    expect(response.status).toBe(400)
  })
})

describe('POST /api/auth/reset-password', () => {
  it('sets the password once and ends every session', async () => {
    const person = await makePerson(app)
    const token = await requestResetToken(person)
    const response = await resetPassword(token)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ message: 'Password reset successful!' })

    expect((await person.fetch('/api/auth/user')).status).toBe(401)
    const oldCredentials = { email: person.email, password: person.password }
    expect((await makeClient(app).post('/api/auth/login', oldCredentials)).status).toBe(401)
    await logIn(app, person.email, 'a new password')
    await expectInvalidToken(await resetPassword(token))
    const auditLines = await app.deps.db
      .select()
      .from(auditLog)
      .where(eq(auditLog.subject, person.id))
    expect(auditLines).toMatchObject([
      {
        actor: person.id,
        action: 'change-password',
        ipAddress: '127.0.0.1',
        details: { by: 'email' },
      },
    ])
  })

  it('revokes every API key', async () => {
    const person = await makePerson(app)
    const client = withKey(makeClient(app), (await makeKey(person)).key)
    expect((await client.fetch('/api/files')).status).toBe(200)
    await resetPassword(await requestResetToken(person))
    expect((await client.fetch('/api/files')).status).toBe(401)
  })

  it('verifies the email address and sends an email without a sign-in link', async () => {
    const person = await makePerson(app)
    await resetPassword(await requestResetToken(person))
    const [noticeEmail] = await app.sendQueuedEmails()
    expect(noticeEmail).toMatchObject({
      to: { address: person.email },
      content: { subject: 'Your Mayfly password was changed' },
    })
    expect(noticeEmail?.content.text).not.toContain('token')
    const [row] = await app.deps.db.select().from(users).where(eq(users.id, person.id))
    expect(row?.emailVerified).toBe(true)
  })

  it('succeeds once for parallel calls with one token', async () => {
    const person = await makePerson(app)
    const token = await requestResetToken(person)
    const passwords = ['first of two', 'second of two']
    const responses = await Promise.all(passwords.map((password) => resetPassword(token, password)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400])
    await logIn(app, person.email, passwords[responses[0]?.status === 200 ? 0 : 1] ?? '')
  })

  it('rejects tokens older than an hour or than the last change of email address or password', async () => {
    const person = await makePerson(app)
    const expiredToken = await requestResetToken(person)
    app.clock.advance(hour)
    await expectInvalidToken(await resetPassword(expiredToken))

    const [firstToken, secondToken] = [
      await requestResetToken(person),
      await requestResetToken(person),
    ]
    expect((await resetPassword(secondToken)).status).toBe(200)
    await expectInvalidToken(await resetPassword(firstToken, 'from an old email'))

    const tokenBeforeMove = await requestResetToken(person)
    const email = `moved-${person.email}`
    await app.deps.db.update(users).set({ email }).where(eq(users.id, person.id))
    await expectInvalidToken(await resetPassword(tokenBeforeMove))
  })

  it('sets the first password of an account without one', async () => {
    const person = await makePerson(app)
    await requestReset(person.email)
    const [firstEmail] = await app.sendQueuedEmails()
    expect(firstEmail?.content.text).toContain('Do nothing. Your password stays the same.\n')
    await app.deps.db.delete(accounts).where(eq(accounts.userId, person.id))
    await requestReset(person.email)
    const [sentEmail] = await app.sendQueuedEmails()
    expect(sentEmail?.content.text).toContain('Do nothing. Nothing changes.\n')
    expect((await resetPassword(extractToken(sentEmail))).status).toBe(200)
    await logIn(app, person.email, 'a new password')
  })

  it('stores tokens only as hashes', async () => {
    const token = await requestResetToken(await makePerson(app))
    const storedTokensJson = JSON.stringify(await app.deps.db.select().from(accountTokens))
    expect(token.length).toBeGreaterThanOrEqual(43)
    expect(storedTokensJson).not.toContain(token)
  })

  it.each([
    ['no token', undefined, 'a new password'],
    ['an empty token', '', 'a new password'],
    ['a token of 50 KB', 'x'.repeat(50_000), 'a new password'],
    ['no password', 'x', undefined],
    ['a short password', 'x', '12345'],
    ['a long password', 'x', 'x'.repeat(129)],
    ['a password of lone surrogates', 'x', '\ud800\ud800\ud800\ud800\ud800\ud800'],
  ])('rejects %s', async (_, token, newPassword) => {
    const body = { token, newPassword }
    const response = await makeClient(app).post('/api/auth/reset-password', body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'INVALID_INPUT' })
  })

  it('rejects an invalid token', async () => {
    for (const token of ['x', "' or 1=1 --", '*', '%'])
      await expectInvalidToken(await resetPassword(token))
  })
})
