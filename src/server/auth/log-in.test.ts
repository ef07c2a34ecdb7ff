import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type Client,
  logIn,
  makeClient,
  makePerson,
  type Person,
  signUp,
} from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { rateLimits, sessions } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { logIn as logInHere } from './log-in.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { RATE_LIMITS: 'on' } })
})
afterAll(() => app.close())
beforeEach(async () => {
  await app.deps.db.delete(rateLimits)
})

function listSessions(userId: string) {
  return app.deps.db.select().from(sessions).where(eq(sessions.userId, userId))
}

async function fetchStatus(client: Client) {
  return (await client.fetch('/api/auth/user')).status
}

function logInWith(cookie: string, { email, password }: Pick<Person, 'email' | 'password'>) {
  return makeClient(app, cookie).post('/api/auth/login', { email, password })
}

describe('a login', () => {
  it("ends the browser's previous session and no other", async () => {
    const person = await makePerson(app)
    const previousCookie = await logIn(app, person.email, person.password)
    const response = await logInWith(previousCookie, person)
    expect(response.status).toBe(200)
    expect(await fetchStatus(makeClient(app, previousCookie))).toBe(401)
    expect(await fetchStatus(person)).toBe(200)
    expect(await listSessions(person.id)).toHaveLength(2)
  })

  it("as another user ends the previous user's session", async () => {
    const [firstPerson, secondPerson] = [await makePerson(app), await makePerson(app)]
    const previousCookie = await logIn(app, firstPerson.email, firstPerson.password)
    expect((await logInWith(previousCookie, secondPerson)).status).toBe(200)
    expect(await fetchStatus(makeClient(app, previousCookie))).toBe(401)
    expect(await fetchStatus(firstPerson)).toBe(200)
  })

  it('that fails or has a forged cookie ends no session', async () => {
    const person = await makePerson(app)
    const previousCookie = await logIn(app, person.email, person.password)
    const failedLoginResponse = await logInWith(previousCookie, {
      ...person,
      password: 'not this one',
    })
    expect(failedLoginResponse.status).toBe(401)
    expect(await fetchStatus(makeClient(app, previousCookie))).toBe(200)

    const [{ token } = { token: '' }] = await listSessions(person.id)
    const forgedCookie = `mayfly.session_token=${token}.${'A'.repeat(43)}%3D`
    expect((await logInWith(forgedCookie, await makePerson(app))).status).toBe(200)
    expect(await listSessions(person.id)).toHaveLength(2)
  })

  it('that is rejected is logged with the IP address but without the account', async () => {
    const lineCountBefore = app.logLines.length
    const email = `${randomUUID()}@example.org`
    await logInWith('', { email, password: 'a guess' })
    const lines = app.logLines.slice(lineCountBefore)
    expect(lines).toContainEqual(
      expect.objectContaining({
        msg: 'a password was refused',
        client: '127.0.0.1',
        code: 'INVALID_CREDENTIALS',
      }),
    )
    expect(JSON.stringify(lines)).not.toContain(email)
  })

  it('responds identically to a wrong password and an unknown email address', async () => {
    const person = await makePerson(app)
    const wrongPasswordResponse = await makeClient(app).post('/api/auth/login', {
      email: person.email,
      password: 'not this one',
    })
    const unknownAddressResponse = await makeClient(app).post('/api/auth/login', {
      email: 'nobody@example.org',
      password: 'not this one',
    })
    for (const response of [wrongPasswordResponse, unknownAddressResponse]) {
      expect(response.status).toBe(401)
      expect(await response.json()).toEqual({
        code: 'INVALID_CREDENTIALS',
        message: 'Invalid email or password. Please try again.',
      })
      expect(response.headers.getSetCookie()).toEqual([])
    }
  })
})

describe('login limits', () => {
  it('stop password guessing and send Retry-After', async () => {
    const guessPassword = (email: string) =>
      makeClient(app).post('/api/auth/login', { email, password: 'guess' })
    for (let index = 0; index < 10; index += 1) {
      expect((await guessPassword('victim@example.org')).status).toBe(401)
    }
    const rejectedResponse = await guessPassword('victim@example.org')
    expect(rejectedResponse.status).toBe(429)
    expect(Number(rejectedResponse.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await rejectedResponse.json()).toMatchObject({ code: 'TOO_MANY_REQUESTS' })
    expect((await guessPassword('VICTIM@example.org')).status).toBe(429)
    expect((await guessPassword('other@example.org')).status).toBe(401)
  })

  it('allow repeated logins from an office behind one IP address', async () => {
    const { email, password } = await signUp(app)
    for (let index = 0; index < 60; index += 1) {
      const loginResponse = await makeClient(app).post('/api/auth/login', {
        email,
        password,
      })
      expect(loginResponse.status).toBe(200)
    }
  })
})

describe('a login that fails on the server', () => {
  const client = {
    address: '192.0.2.1',
    sessionClient: { userAgent: null, ipAddress: null },
    knownBrowser: () => null,
    previousToken: null,
  }

  /** Returns dependencies whose password hashing fails with this error. */
  const makeFailingDeps = (error: Error): Deps => ({
    ...app.deps,
    passwords: { hash: () => Promise.reject(error) },
  })

  it.each([new AppError('PASSWORDS_BUSY'), new Error('out of memory')])(
    'reports the error and counts no wrong password: %s',
    async (error) => {
      const loginPromise = logInHere(
        makeFailingDeps(error),
        { email: 'ada@example.org', password: 'x' },
        client,
      )
      await expect(loginPromise).rejects.toBe(error)
      expect(await app.deps.db.select().from(rateLimits)).toEqual([])
    },
  )

  it('reports the error even if the count cannot be refunded', async () => {
    const error = new AppError('PASSWORDS_BUSY')
    const limits = app.deps.rateLimits
    const failingLimits: Deps['rateLimits'] = {
      check: (counters) => limits.check(counters),
      spend: (counters) => limits.spend(counters),
      add: (counters) => limits.add(counters),
      forget: (keys) => limits.forget(keys),
      refund: () => Promise.reject(new Error('the database is away')),
    }
    const deps = { ...makeFailingDeps(error), rateLimits: failingLimits }
    const loginPromise = logInHere(deps, { email: 'ada@example.org', password: 'x' }, client)
    await expect(loginPromise).rejects.toBe(error)
  })
})
