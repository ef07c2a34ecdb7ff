import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, logIn, makeClient, makePerson } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { defaultLimits } from '../../shared/rules/tier-limits.ts'
import { ensureAdministrator } from './administrator.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

function form(changes: Record<string, unknown> = {}) {
  return {
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: 'ada@example.org',
    password: 'secret1',
    confirmPassword: 'secret1',
    ...changes,
  }
}

function signUp(changes?: Record<string, unknown>) {
  return makeClient(app).post('/api/auth/signup', form(changes))
}

describe('POST /api/auth/signup', () => {
  it('creates an account that can log in, and opens no session itself', async () => {
    const response = await signUp({ email: 'First@Example.org' })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ requiresVerification: false })
    expect(response.headers.getSetCookie()).toEqual([])

    const client = makeClient(app, await logIn(app, 'first@example.org', 'secret1'))
    expect(await json(await client.fetch('/api/auth/user'))).toEqual({
      id: expect.any(String),
      email: 'first@example.org',
      name: 'Ada Lovelace',
      firstName: 'Ada',
      lastName: 'Lovelace',
      emailVerified: false,
      tier: 'free',
      isAdmin: false,
      premiumTrialStartedAt: null,
      premiumTrialEndsAt: null,
      profileImageUrl: null,
      limits: defaultLimits,
    })
  })

  it.each([
    ['a missing first name', { firstName: undefined }, 'firstName'],
    ['a blank last name', { lastName: '  ' }, 'lastName'],
    ['a name that no database keeps', { firstName: 'A\0B' }, 'firstName'],
    ['a name with half a character', { lastName: 'A\ud800' }, 'lastName'],
    [
      'a password with half a character',
      { password: 'secret\ud800', confirmPassword: 'secret\ud800' },
      'password: Must be text.',
    ],
    ['no address', { email: 'ada' }, 'email'],
    ['a number for an address', { email: 7 }, 'email'],
    ['an endless address', { email: `${'a'.repeat(300)}@example.org` }, 'email'],
    [
      'a short password',
      { password: '12345', confirmPassword: '12345' },
      'Password must be at least 6 characters long.',
    ],
    [
      'an endless password',
      { password: 'x'.repeat(200), confirmPassword: 'x'.repeat(200) },
      'password',
    ],
    [
      'different passwords',
      { confirmPassword: 'secret2' },
      'Passwords do not match. Please try again.',
    ],
  ])('refuses %s and names the fault', async (_, changes, fault) => {
    const response = await signUp({ email: 'refused@example.org', ...changes })
    expect(response.status).toBe(400)
    expect(await json<{ message: string }>(response)).toEqual({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(fault),
    })
    const login = await makeClient(app).post('/api/auth/login', {
      email: 'refused@example.org',
      password: 'secret1',
    })
    expect(login.status).toBe(401)
  })

  it('names every fault at once', async () => {
    const { message } = await json<{ message: string }>(
      await makeClient(app).post('/api/auth/signup', {}),
    )
    for (const field of ['firstName', 'lastName', 'email', 'password']) {
      expect(message).toContain(field)
    }
  })

  it.each(['{', 'null', '[]', '"text"', ''])('refuses the body %j', async (body) => {
    const response = await makeClient(app).fetch('/api/auth/signup', { method: 'POST', body })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'INVALID_INPUT' })
  })

  it('gives an address to one of several who ask at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => signUp({ email: 'wanted@example.org' })),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, 409, 409, 409, 409, 409])
  })

  it('never lets a caller choose its own tier or role', async () => {
    await signUp({ email: 'sly@example.org', tier: 'premium', role: 'admin' })
    const client = makeClient(app, await logIn(app, 'sly@example.org', 'secret1'))
    expect(await json(await client.fetch('/api/auth/user'))).toMatchObject({
      tier: 'free',
      isAdmin: false,
    })
  })

  it("keeps the administrator's address, also before that account exists", async () => {
    const response = await signUp({ email: 'Admin@localhost.localdomain' })
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({ code: 'EMAIL_TAKEN' })
  })
})

describe('POST /api/auth/login', () => {
  it('answers the same to a wrong password and an unknown address', async () => {
    const person = await makePerson(app)
    const wrong = await makeClient(app).post('/api/auth/login', {
      email: person.email,
      password: 'not this one',
    })
    const unknown = await makeClient(app).post('/api/auth/login', {
      email: 'nobody@example.org',
      password: 'not this one',
    })
    for (const response of [wrong, unknown]) {
      expect(response.status).toBe(401)
      expect(await response.json()).toEqual({
        code: 'INVALID_CREDENTIALS',
        message: 'Invalid email or password. Please try again.',
      })
      expect(response.headers.getSetCookie()).toEqual([])
    }
  })
})

describe('the current user', () => {
  it('counts a trial as over from its very end on', async () => {
    const end = new Date(app.clock().getTime() + 1000)
    const person = await makePerson(app, { tier: 'premium', premiumTrialEndsAt: end })
    expect(await json(await person.fetch('/api/auth/user'))).toMatchObject({ tier: 'premium' })
    app.clock.set(end)
    expect(await json(await person.fetch('/api/auth/user'))).toMatchObject({ tier: 'free' })
  })
})

describe('requests from other sites', () => {
  it.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
    ['another site without an origin', { 'sec-fetch-site': 'cross-site' }],
    ['another port', { origin: 'http://127.0.0.1:1' }],
  ])('are refused from %s', async (_, headers) => {
    const person = await makePerson(app)
    const response = await person.fetch('/api/files/abort-upload', {
      method: 'POST',
      headers,
      body: '{"cloudKey":"x"}',
    })
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ code: 'FOREIGN_ORIGIN' })
  })

  it('are served from our own', async () => {
    const person = await makePerson(app)
    const response = await person.fetch('/api/files/abort-upload', {
      method: 'POST',
      headers: { origin: app.url, 'sec-fetch-site': 'same-origin' },
      body: '{"cloudKey":"x"}',
    })
    expect(response.status).toBe(404)
  })
})

describe('rate limits', () => {
  let limited: TestApp
  beforeAll(async () => {
    limited = await startTestApp({ env: { RATE_LIMITS: 'on' } })
  })
  afterAll(() => limited.close())

  it('end the guessing of one password, and say when to come back', async () => {
    const attempt = (email: string) =>
      makeClient(limited).post('/api/auth/login', { email, password: 'guess' })
    for (let attempts = 0; attempts < 10; attempts += 1) {
      expect((await attempt('victim@example.org')).status).toBe(401)
    }
    const refused = await attempt('victim@example.org')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({ code: 'TOO_MANY_REQUESTS' })
    expect((await attempt('VICTIM@example.org')).status).toBe(429)
    expect((await attempt('other@example.org')).status).toBe(401)
  })

  it('let an office behind one address log in again and again', async () => {
    const email = 'office@example.org'
    await makeClient(limited).post('/api/auth/signup', form({ email }))
    for (let attempts = 0; attempts < 60; attempts += 1) {
      const login = await makeClient(limited).post('/api/auth/login', {
        email,
        password: 'secret1',
      })
      expect(login.status).toBe(200)
    }
  })

  it('end a flood of signups', async () => {
    const statuses: number[] = []
    for (let attempts = 0; attempts < 31; attempts += 1) {
      const response = await makeClient(limited).post(
        '/api/auth/signup',
        form({ email: `${attempts}@example.org`, password: 'short', confirmPassword: 'other' }),
      )
      statuses.push(response.status)
    }
    expect(statuses).not.toContain(429) // refused for their form without being counted

    const valid = await Promise.all(
      Array.from({ length: 32 }, (_, n) =>
        makeClient(limited).post('/api/auth/signup', form({ email: `flood${n}@example.org` })),
      ),
    )
    expect(valid.filter(({ status }) => status === 200)).toHaveLength(29)
    expect(valid.filter(({ status }) => status === 429)).toHaveLength(3)
  })
})

describe('the administrator', () => {
  it('is made once, whoever starts at the same time, and can log in', async () => {
    const asked: number[] = []
    const made = await Promise.all(
      [1, 2, 3].map((server) =>
        ensureAdministrator(app.deps, async () => {
          asked.push(server)
          return 'an admin password'
        }),
      ),
    )
    expect(made.filter(({ created }) => created)).toHaveLength(1)
    expect(asked).toHaveLength(1)
    const cookie = await logIn(app, 'admin@localhost.localdomain', 'an admin password')
    const user = await json(await makeClient(app, cookie).fetch('/api/auth/user'))
    expect(user).toMatchObject({ isAdmin: true })
  })
})
