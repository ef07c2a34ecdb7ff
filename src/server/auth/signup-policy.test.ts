import { afterEach, describe, expect, it } from 'vitest'
import { json, makeClient } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'

let app: TestApp
afterEach(() => app.close())

async function start(SIGNUP: string) {
  app = await startTestApp({ env: { SIGNUP } })
}

function signUp(email: string) {
  const form = { firstName: 'Ada', lastName: 'Lovelace', email, password: 'correct horse' }
  const body = { ...form, confirmPassword: form.password }
  return makeClient(app).post('/api/auth/signup', body)
}

async function shownPolicy() {
  const { signup } = await json<{ signup: unknown }>(await makeClient(app).fetch('/api/auth/ways'))
  return { signup }
}

async function expectRefused(email: string, message: string) {
  const response = await signUp(email)
  expect(response.status).toBe(403)
  expect(await response.json()).toEqual({ code: 'SIGNUP_NOT_ALLOWED', message })
  const login = await makeClient(app).post('/api/auth/login', { email, password: 'correct horse' })
  expect(login.status).toBe(401)
}

describe('SIGNUP', () => {
  it('open allows every address', async () => {
    await start('open')
    expect(await shownPolicy()).toEqual({ signup: 'open' })
    expect((await signUp('ada@anywhere.net')).status).toBe(200)
  })

  it('closed refuses every address with the same message', async () => {
    await start('closed')
    expect(await shownPolicy()).toEqual({ signup: 'closed' })
    const sentence = 'Sign-up is closed. Ask the administrator for an account.'
    await expectRefused('ada@example.org', sentence)
    await expectRefused('admin@localhost.localdomain', sentence)
  })

  it('with domains allows their addresses and names them in the error', async () => {
    await start('example.org,Example.com')
    expect(await shownPolicy()).toEqual({ signup: ['example.org', 'example.com'] })
    expect((await signUp('Ada@Example.ORG')).status).toBe(200)
    expect((await signUp('ada@example.com')).status).toBe(200)
    const sentence = 'Only addresses of example.org or example.com can sign up here.'
    await expectRefused('ada@sub.example.org', sentence)
    await expectRefused('ada@example.org.evil.net', sentence)
    await expectRefused('admin@localhost.localdomain', sentence)
  })
})
