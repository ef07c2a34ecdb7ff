import { afterEach, describe, expect, it } from 'vitest'
import { json, makeClient } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'

let app: TestApp
afterEach(() => app.close())

async function startApp(SIGNUP: string) {
  app = await startTestApp({ env: { SIGNUP } })
}

function signUp(email: string) {
  const form = { firstName: 'Ada', lastName: 'Lovelace', email, password: 'correct horse' }
  const body = { ...form, confirmPassword: form.password }
  return makeClient(app).post('/api/auth/signup', body)
}

async function fetchPolicy() {
  const { signup } = await json<{ signup: unknown }>(await makeClient(app).fetch('/api/auth/ways'))
  return { signup }
}

async function expectSignupError(email: string, message: string) {
  const response = await signUp(email)
  expect(response.status).toBe(403)
  expect(await response.json()).toEqual({ code: 'SIGNUP_NOT_ALLOWED', message })
  const loginResponse = await makeClient(app).post('/api/auth/login', {
    email,
    password: 'correct horse',
  })
  expect(loginResponse.status).toBe(401)
}

describe('SIGNUP', () => {
  it('open allows every email address', async () => {
    await startApp('open')
    expect(await fetchPolicy()).toEqual({ signup: 'open' })
    expect((await signUp('ada@anywhere.net')).status).toBe(200)
  })

  it('closed rejects every email address with the same message', async () => {
    await startApp('closed')
    expect(await fetchPolicy()).toEqual({ signup: 'closed' })
    const message = 'Signup is closed. Ask the administrator for an account.'
    await expectSignupError('ada@example.org', message)
    await expectSignupError('admin@localhost.localdomain', message)
  })

  it('with domains allows only their email addresses and names the domains in the error', async () => {
    await startApp('example.org,Example.com')
    expect(await fetchPolicy()).toEqual({ signup: ['example.org', 'example.com'] })
    expect((await signUp('Ada@Example.ORG')).status).toBe(200)
    expect((await signUp('ada@example.com')).status).toBe(200)
    const message = 'Only addresses of example.org or example.com can sign up here.'
    await expectSignupError('ada@sub.example.org', message)
    await expectSignupError('ada@example.org.evil.net', message)
    await expectSignupError('admin@localhost.localdomain', message)
  })
})
