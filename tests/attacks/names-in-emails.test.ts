import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeClient } from '../support/make.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/**
 * The attack: sign up with a stranger's email address and a message in place of a name, so that the
 * server emails the message to the stranger.
 */

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

it.each([
  ['line breaks', 'you won\r\n\r\nhttps://evil.example'],
  ['a line separator', 'you won\u2028https://evil.example'],
  ['a terminal escape', '\u001b[31mAda'],
  ['a bidirectional override', 'Ada\u202ecod.exe'],
])('a name with %s is rejected', async (_, name) => {
  const password = 'correct horse'
  const form = { email: 'victim@example.org', password, confirmPassword: password }
  for (const names of [
    { firstName: name, lastName: 'B' },
    { firstName: 'A', lastName: name },
  ]) {
    const response = await makeClient(app).post('/api/auth/signup', { ...form, ...names })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'INVALID_INPUT' })
  }
})
