import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AppError } from '../../src/server/errors.ts'
import { makeClient, makeFile, makePerson, type Person, signUp } from '../support/make.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/**
 * The attack: sign in or up as often as possible to keep the CPU busy with password hashing. Rate
 * limits are off here, so only the hashing queue protects other users. A hash costs a quarter of
 * what it does in production.
 */
const passwordCost = { N: 8192, r: 8, p: 1 }

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await startTestApp({ passwordCost, env: { TRUST_PROXY: 'on' } })
  person = await makePerson(app)
})
afterAll(() => app.close())

function signupForm(email: string) {
  return {
    firstName: 'Ada',
    lastName: 'Lovelace',
    email,
    password: 'correct horse',
    confirmPassword: 'correct horse',
  }
}

function post(path: string, body: unknown, address: string) {
  return makeClient(app).fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify(body),
  })
}

function logIn(address: string) {
  return post('/api/auth/login', { email: person.email, password: person.password }, address)
}

function recordOrder() {
  const finishOrder: string[] = []
  const recordResponse = async (name: string, responsePromise: Promise<Response>) => {
    const { status } = await responsePromise
    finishOrder.push(name)
    return status
  }
  return { order: finishOrder, note: recordResponse }
}

describe('a flood of logins', () => {
  it("doesn't delay downloads", async () => {
    const { shortCode, bytes } = await makeFile(person, { bytes: new Uint8Array(1_000_000) })
    const { order: finishOrder, note } = recordOrder()
    const loginPromises = Array.from({ length: 12 }, () => note('login', logIn('192.0.2.1')))
    // By the time this request is answered, all logins have reached the server.
    await makeClient(app).fetch('/api/health')
    const downloadResponse = await makeClient(app).fetch(`/api/download/${shortCode}`)
    expect((await downloadResponse.arrayBuffer()).byteLength).toBe(bytes.length)
    finishOrder.push('download')
    expect(new Set(await Promise.all(loginPromises))).toEqual(new Set([200]))
    expect(finishOrder.indexOf('download')).toBeLessThan(6)
  })

  it("doesn't starve clients at other IP addresses", async () => {
    const { order: finishOrder, note } = recordOrder()
    const floodPromises = Array.from({ length: 12 }, () => note('flood', logIn('192.0.2.1')))
    await makeClient(app).fetch('/api/health')
    expect(await note('visitor', logIn('192.0.2.2'))).toBe(200)
    await Promise.all(floodPromises)
    expect(finishOrder.indexOf('visitor')).toBeLessThan(6)
  })

  it('is rejected with Retry-After instead of queueing without limit', async () => {
    const responses = await Promise.all(Array.from({ length: 60 }, () => logIn('192.0.2.1')))
    const rejectedResponses = responses.filter(({ status }) => status === 503)
    const successfulResponses = responses.filter(({ status }) => status === 200)
    expect(rejectedResponses.length + successfulResponses.length).toBe(60)
    expect(rejectedResponses.length).toBeGreaterThan(10)
    expect(rejectedResponses[0]?.headers.get('retry-after')).toBe('5')
    expect(await rejectedResponses[0]?.json()).toEqual({
      code: 'PASSWORDS_BUSY',
      message: 'Many people are signing in right now. Please try again in a few seconds.',
    })
    expect((await logIn('192.0.2.1')).status).toBe(200)
  })
})

describe('a flood of signups', () => {
  it('holds no database connections while waiting to hash passwords', async () => {
    const { order: finishOrder, note } = recordOrder()
    const signupPromises = Array.from({ length: 20 }, (_, n) =>
      note('signup', post('/api/auth/signup', signupForm(`flood-${n}@example.org`), '192.0.2.1')),
    )
    await makeClient(app).fetch('/api/health')
    expect(await note('list', person.fetch('/api/files'))).toBe(200)
    await Promise.all(signupPromises)
    expect(finishOrder.indexOf('list')).toBeLessThan(10)
  })
})

describe('a login rejected under load', () => {
  it("doesn't count as an attempt", async () => {
    const limitedApp = await startTestApp({ env: { RATE_LIMITS: 'on', TRUST_PROXY: 'on' } })
    try {
      const { email, password } = await signUp(limitedApp)
      limitedApp.deps.passwords.hash = () => Promise.reject(new AppError('PASSWORDS_BUSY'))
      const login = () => makeClient(limitedApp).post('/api/auth/login', { email, password })
      for (let attempt = 0; attempt < 15; attempt += 1) expect((await login()).status).toBe(503)
      const { rows } = await limitedApp.pool.query(
        "select key from rate_limits where key like '%ogins%'",
      )
      expect(rows).toEqual([])
    } finally {
      await limitedApp.close()
    }
  })
})
