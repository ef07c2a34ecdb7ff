import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, logIn, makeClient } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { ensureAdministrator } from './administrator.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

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
