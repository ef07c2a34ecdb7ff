import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { updateFiles } from '../../../tests/support/file-rows.ts'
import {
  type Client,
  json,
  logIn,
  makeClient,
  makeFile,
  makePerson,
  type Person,
} from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { accounts, auditLog, files, users } from '../db/schema.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

function patch(client: Client, body: unknown) {
  return client.fetch('/api/auth/user', { method: 'PATCH', body: JSON.stringify(body) })
}

describe('PATCH /api/auth/user', () => {
  it.each([
    [{ firstName: 'Grace' }, { firstName: 'Grace', lastName: 'Lovelace', name: 'Grace Lovelace' }],
    [{ lastName: ' Hopper ' }, { firstName: 'Ada', lastName: 'Hopper', name: 'Ada Hopper' }],
    [{ lastName: '' }, { firstName: 'Ada', lastName: '', name: 'Ada' }],
    [
      { firstName: 'علي', lastName: "O'Neil; drop table users" },
      {
        firstName: 'علي',
        lastName: "O'Neil; drop table users",
        name: "علي O'Neil; drop table users",
      },
    ],
    [{}, { firstName: 'Ada', lastName: 'Lovelace', name: 'Ada Lovelace' }],
  ])('with %j returns the updated user', async (body, expected) => {
    const person = await makePerson(app)
    const response = await patch(person, body)
    expect(response.status).toBe(200)
    const user = await json<object>(response)
    expect(user).toMatchObject({ ...expected, id: person.id, email: person.email, tier: 'free' })
    expect(await json(await person.fetch('/api/auth/user'))).toMatchObject(user)
  })

  it('keeps the full name correct when both names change in parallel', async () => {
    const person = await makePerson(app)
    await Promise.all([
      patch(person, { firstName: 'Grace' }),
      patch(person, { lastName: 'Hopper' }),
    ])
    const user = await json(await person.fetch('/api/auth/user'))
    expect(user).toMatchObject({ name: 'Grace Hopper' })
  })

  it.each([
    ['a blank first name', { firstName: '  ' }, 'firstName'],
    ['a first name of 101 characters', { firstName: 'x'.repeat(101) }, 'firstName'],
    ['a number as the last name', { lastName: 7 }, 'lastName'],
    ['null as the first name', { firstName: null }, 'firstName'],
    ['a name with a line break', { firstName: 'Ada\r\nBcc: all@example.org' }, 'firstName'],
    ['a name with a bidirectional override', { lastName: 'a\u202eb' }, 'lastName'],
    ['a name with NUL', { lastName: 'a\0b' }, 'lastName'],
    ['an array', [], ''],
  ])('rejects %s without changing anything', async (_, body, field) => {
    const person = await makePerson(app)
    const response = await patch(person, body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(field),
    })
    expect(await json(await person.fetch('/api/auth/user'))).toMatchObject({ name: 'Ada Lovelace' })
  })

  it('ignores email address, tier and role', async () => {
    const person = await makePerson(app)
    const rowsBefore = await app.deps.db.select().from(users).where(eq(users.id, person.id))
    const forbidden = {
      email: 'admin@localhost.localdomain',
      tier: 'premium',
      role: 'admin',
      id: 'x',
    }
    expect((await patch(person, { ...forbidden, emailVerified: true })).status).toBe(200)
    const rowsAfter = await app.deps.db.select().from(users).where(eq(users.id, person.id))
    expect(rowsAfter).toEqual(rowsBefore.map((row) => ({ ...row, updatedAt: app.clock() })))
  })
})

describe('GET /api/auth/user/holdings', () => {
  const fetchHoldings = async (person: Person) =>
    json(await person.fetch('/api/auth/user/holdings'))

  it('counts files, bytes and active links', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    expect(await fetchHoldings(person)).toEqual({ fileCount: 0, totalSize: 0, activeLinks: 0 })
    await makeFile(await makePerson(app))
    const [, endedFile, deletedFile, purgedFile] = [
      await makeFile(person, { bytes: new Uint8Array(1000) }),
      await makeFile(person, { bytes: new Uint8Array(200) }),
      await makeFile(person, { bytes: new Uint8Array(30) }),
      await makeFile(person, { bytes: new Uint8Array(4) }),
    ]
    const updateFile = (id: string, changes: Parameters<typeof updateFiles>[2]) =>
      updateFiles(app.deps.db, eq(files.id, id), changes)
    const now = app.clock()
    await updateFile(endedFile.id, { expiresAt: now })
    await person.fetch(`/api/files/${deletedFile.id}`, { method: 'DELETE' })
    await updateFile(purgedFile.id, { purgedAt: now })
    expect(await fetchHoldings(person)).toEqual({ fileCount: 2, totalSize: 1200, activeLinks: 1 })
  })
})

function changePassword(client: Client, currentPassword: unknown, newPassword: unknown) {
  return client.post('/api/auth/change-password', { currentPassword, newPassword })
}

function toCookieHeader(response: Response) {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')
}

async function fetchStatus(client: Pick<Client, 'fetch'>) {
  return (await client.fetch('/api/auth/user')).status
}

describe('POST /api/auth/change-password', () => {
  it('sets the password, ends the other sessions and rotates the current token', async () => {
    const person = await makePerson(app)
    const otherBrowser = makeClient(app, await logIn(app, person.email, person.password))
    const response = await changePassword(person, person.password, 'a new password')
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      message: 'Password changed. All other sessions are signed out.',
    })
    // The browser's old cookie is invalid too, because it may have been copied.
    expect(await fetchStatus(person)).toBe(401)
    expect(await fetchStatus(otherBrowser)).toBe(401)
    expect(await fetchStatus(makeClient(app, toCookieHeader(response)))).toBe(200)

    const { email, password } = person
    expect((await makeClient(app).post('/api/auth/login', { email, password })).status).toBe(401)
    await logIn(app, email, 'a new password')
    const auditLines = await app.deps.db
      .select()
      .from(auditLog)
      .where(eq(auditLog.subject, person.id))
    expect(auditLines).toMatchObject([
      {
        at: app.clock(),
        actor: person.id,
        action: 'change-password',
        ipAddress: '127.0.0.1',
        details: { by: 'session' },
      },
    ])
  })

  it("keeps the session's end at 90 days after the login", async () => {
    const dayMs = 86_400_000
    const person = await makePerson(app)
    app.clock.advance(10 * dayMs)
    const response = await changePassword(person, person.password, 'a new password')
    const [cookie] = response.headers.getSetCookie()
    expect(cookie).toContain(`; Max-Age=${(80 * dayMs) / 1000}; Path=/; HttpOnly; SameSite=Lax`)
    const client = makeClient(app, toCookieHeader(response))
    for (const days of [13, 13, 13, 13, 13, 13]) {
      app.clock.advance(days * dayMs)
      expect(await fetchStatus(client)).toBe(200)
    }
    app.clock.advance(2 * dayMs)
    expect(await fetchStatus(client)).toBe(401)
  })

  it('notifies the owner and invalidates links in earlier emails', async () => {
    const person = await makePerson(app)
    await app.sendQueuedEmails()
    await makeClient(app).post('/api/auth/forgot-password', { email: person.email })
    const [resetEmail] = await app.sendQueuedEmails()
    const token = /\/reset-password\?token=([\w-]+)/.exec(resetEmail?.content.text ?? '')?.[1]

    await changePassword(person, person.password, 'a new password')
    const [sentEmail, ...otherEmails] = await app.sendQueuedEmails()
    expect(otherEmails).toEqual([])
    expect(sentEmail?.to.address).toBe(person.email)
    expect(sentEmail?.content.subject).toBe('Your Mayfly password was changed')
    expect(sentEmail?.content.text).toContain('Every other browser has to sign in again.')
    expect(sentEmail?.content.text).toContain('Somebody knew your old password.')
    const resetForm = { token, newPassword: 'by an old email' }
    const response = await makeClient(app).post('/api/auth/reset-password', resetForm)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'TOKEN_INVALID' })
  })

  it('rejects a wrong password without changing anything', async () => {
    const person = await makePerson(app)
    const otherBrowser = makeClient(app, await logIn(app, person.email, person.password))
    const response = await changePassword(person, 'not this one', 'a new password')
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      code: 'WRONG_PASSWORD',
      message: 'The current password is incorrect.',
    })
    expect(response.headers.getSetCookie()).toEqual([])
    expect(await fetchStatus(person)).toBe(200)
    expect(await fetchStatus(otherBrowser)).toBe(200)
    expect(await app.sendQueuedEmails()).toEqual([])
    await logIn(app, person.email, person.password)
  })

  it.each([
    ['no current password', undefined, 'a new password', 'currentPassword'],
    ['an empty current password', '', 'a new password', 'currentPassword'],
    ['a number as the current password', 5, 'a new password', 'currentPassword'],
    ['no new password', 'correct horse', undefined, 'newPassword'],
    [
      'a short new password',
      'correct horse',
      '12345',
      'Password must be at least 6 characters long.',
    ],
    ['an overlong new password', 'correct horse', 'x'.repeat(60_000), 'newPassword'],
    ['a new password with a lone surrogate', 'correct horse', 'secret\ud800', 'newPassword'],
  ])('rejects %s and names the error', async (_, currentPassword, newPassword, message) => {
    const person = await makePerson(app)
    const response = await changePassword(person, currentPassword, newPassword)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(message),
    })
    expect(await fetchStatus(person)).toBe(200)
  })

  it('returns NO_PASSWORD for an account without one', async () => {
    const person = await makePerson(app)
    await app.deps.db.delete(accounts).where(eq(accounts.userId, person.id))
    const response = await changePassword(person, 'anything', 'a new password')
    expect(response.status).toBe(409)
    expect(await response.json()).toEqual({
      code: 'NO_PASSWORD',
      message: 'This account has no password yet. Set one by email first.',
    })
  })

  it('leaves only this browser known to the account', async () => {
    const person = await makePerson(app)
    const loginResponse = await makeClient(app).post('/api/auth/login', {
      email: person.email,
      password: person.password,
    })
    const oldCookie = toCookieHeader(loginResponse)
    const response = await changePassword(
      makeClient(app, oldCookie),
      person.password,
      'a new password',
    )
    const findKnownBrowserCookie = (cookies: string) =>
      /mayfly\.known_browser=([^;]+)/.exec(cookies)?.[1]
    expect(findKnownBrowserCookie(toCookieHeader(response))).toMatch(/^[\w-]{21}\.[\w-]{43}$/)
    expect(findKnownBrowserCookie(toCookieHeader(response))).not.toBe(
      findKnownBrowserCookie(oldCookie),
    )
  })

  it('succeeds once when called in parallel', async () => {
    const person = await makePerson(app)
    await app.sendQueuedEmails()
    const passwords = ['one password', 'another password', 'a third password', 'a fourth one']
    const responses = await Promise.all(
      passwords.map((password) => changePassword(person, person.password, password)),
    )
    const successIndex = responses.findIndex(({ status }) => status === 200)
    const rejectedResponses = responses.filter((_, index) => index !== successIndex)
    // By the time the other calls ran, the password had changed or the cookie had been replaced.
    for (const { status } of rejectedResponses) expect([400, 401]).toContain(status)
    for (const response of rejectedResponses) expect(response.headers.getSetCookie()).toEqual([])
    await logIn(app, person.email, passwords[successIndex] ?? '')
    expect(
      await fetchStatus(makeClient(app, toCookieHeader(responses[successIndex] as Response))),
    ).toBe(200)
    expect(await app.sendQueuedEmails()).toHaveLength(1)
  })
})
