import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, logIn, makeClient } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { defaultLimits } from '../../shared/rules/tiers/tier-limits.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

function createForm(changes: Record<string, unknown> = {}) {
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
  return makeClient(app).post('/api/auth/signup', createForm(changes))
}

describe('POST /api/auth/signup', () => {
  it('creates an account that can log in, without opening a session', async () => {
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
    ['an invisible name', { firstName: '\u2800' }, 'firstName'],
    ['a name with NUL', { firstName: 'A\0B' }, 'firstName'],
    ['a name with a lone surrogate', { lastName: 'A\ud800' }, 'lastName'],
    [
      'a password with a lone surrogate',
      { password: 'secret\ud800', confirmPassword: 'secret\ud800' },
      'password: Must be text.',
    ],
    ['an invalid address', { email: 'ada' }, 'email'],
    ['a number as the address', { email: 7 }, 'email'],
    ['an overlong address', { email: `${'a'.repeat(300)}@example.org` }, 'email'],
    [
      'a short password',
      { password: '12345', confirmPassword: '12345' },
      'Password must be at least 6 characters long.',
    ],
    [
      'an overlong password',
      { password: 'x'.repeat(200), confirmPassword: 'x'.repeat(200) },
      'password',
    ],
    [
      'mismatched passwords',
      { confirmPassword: 'secret2' },
      'Passwords do not match. Please try again.',
    ],
  ])('rejects %s and names the field', async (_, changes, message) => {
    const response = await signUp({ email: 'refused@example.org', ...changes })
    expect(response.status).toBe(400)
    expect(await json<{ message: string }>(response)).toEqual({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(message),
    })
    const loginResponse = await makeClient(app).post('/api/auth/login', {
      email: 'refused@example.org',
      password: 'secret1',
    })
    expect(loginResponse.status).toBe(401)
  })

  it('reports all errors at once', async () => {
    const { message } = await json<{ message: string }>(
      await makeClient(app).post('/api/auth/signup', {}),
    )
    for (const field of ['firstName', 'lastName', 'email', 'password']) {
      expect(message).toContain(field)
    }
  })

  it.each(['{', 'null', '[]', '"text"', ''])('rejects the body %j', async (body) => {
    const response = await makeClient(app).fetch('/api/auth/signup', { method: 'POST', body })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'INVALID_INPUT' })
  })

  it('creates one account when requests for an address run in parallel', async () => {
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => signUp({ email: 'wanted@example.org' })),
    )
    const statuses = responses.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, 409, 409, 409, 409, 409])
  })

  it('ignores tier and role', async () => {
    await signUp({ email: 'sly@example.org', tier: 'premium', role: 'admin' })
    const client = makeClient(app, await logIn(app, 'sly@example.org', 'secret1'))
    expect(await json(await client.fetch('/api/auth/user'))).toMatchObject({
      tier: 'free',
      isAdmin: false,
    })
  })

  it("rejects the administrator's address, even before the account exists", async () => {
    const response = await signUp({ email: 'Admin@localhost.localdomain' })
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({ code: 'EMAIL_TAKEN' })
  })
})

describe('a flood of signups', () => {
  let limitedApp: TestApp
  beforeAll(async () => {
    limitedApp = await startTestApp({ env: { RATE_LIMITS: 'on' } })
  })
  afterAll(() => limitedApp.close())

  it('from one IP address is limited, not counting invalid forms', async () => {
    const statuses: number[] = []
    for (let index = 0; index < 31; index += 1) {
      const response = await makeClient(limitedApp).post(
        '/api/auth/signup',
        createForm({ email: `${index}@example.org`, password: 'short', confirmPassword: 'other' }),
      )
      statuses.push(response.status)
    }
    expect(statuses).not.toContain(429) // refused for their form without being counted

    const validResponses = await Promise.all(
      Array.from({ length: 32 }, (_, n) =>
        makeClient(limitedApp).post(
          '/api/auth/signup',
          createForm({ email: `flood${n}@example.org` }),
        ),
      ),
    )
    expect(validResponses.filter(({ status }) => status === 200)).toHaveLength(30)
    expect(validResponses.filter(({ status }) => status === 429)).toHaveLength(2)
  })
})
