import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requestAccountDeletion } from '../../../tests/support/account-deletion.ts'
import { type GoogleApp, startGoogleApp } from '../../../tests/support/google-app.ts'
import { makeKey, withKey } from '../../../tests/support/keys.ts'
import {
  json,
  logIn,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  startUpload,
} from '../../../tests/support/make.ts'
import type { TestApp } from '../../../tests/support/test-app.ts'
import { expectError } from '../../../tests/support/upload-requests.ts'
import type { AuditEntry } from '../../shared/contract/admin.ts'
import { recentSignInMs } from '../../shared/rules/accounts/session-lifetime.ts'
import { accounts, uploads, users } from '../db/schema.ts'
import { retryRemovals } from '../uploads/end-uploads.ts'

let google: GoogleApp
let app: TestApp
let admin: Person
beforeAll(async () => {
  google = await startGoogleApp({ env: { RATE_LIMITS: 'on' } })
  app = google.app
  admin = await makePerson(app, { role: 'admin' })
})
afterAll(async () => {
  const failures = app.logLines.filter(({ level }) => level >= 50)
  await google.close()
  expect(failures).toEqual([])
})

async function userExists({ id }: { id: string }) {
  return (await app.deps.db.$count(users, eq(users.id, id))) === 1
}

async function downloadStatus(code: string) {
  const response = await makeClient(app).fetch(`/api/download/${code}`)
  await response.arrayBuffer()
  return response.status
}

/** Signs up with Google. Returns a browser that is signed in to the account, and its id. */
async function makeGoogleUser(sub: string) {
  const identity = { sub, email: `${sub}@example.org`, email_verified: true }
  const { browser } = await google.signIn(identity)
  const { id } = await json<{ id: string }>(await browser.fetch('/api/auth/user'))
  return { browser, id, identity }
}

describe('DELETE /api/auth/user', () => {
  it('with the password deletes the account, ends its sessions and clears the cookies', async () => {
    const ada = await makePerson(app)
    const otherSession = makeClient(app, await logIn(app, ada.email, ada.password))
    const { key } = await makeKey(ada)
    const file = await makeFile(ada)
    const response = await requestAccountDeletion(ada, { password: ada.password })
    expect(response.status).toBe(200)
    expect(await json(response)).toEqual({
      message: 'Your account and 1 file have been deleted.',
      deletedFiles: 1,
    })
    const cookies = response.headers.getSetCookie()
    for (const name of ['mayfly.session_token', 'mayfly.signed_in']) {
      expect(cookies).toContainEqual(expect.stringMatching(new RegExp(`^${name}=; Max-Age=0`)))
    }
    for (const client of [ada, otherSession, withKey(makeClient(app), key)])
      expect((await client.fetch('/api/files')).status).toBe(401)
    expect(await downloadStatus(file.shortCode)).toBe(404)
    expect(await userExists(ada)).toBe(false)
  })

  it('is in the audit log as an action of the user', async () => {
    const ada = await makePerson(app)
    await requestAccountDeletion(ada, { password: ada.password })
    const path = `/api/admin/audit?action=delete-user&search=${ada.email}`
    expect(await json<AuditEntry[]>(await admin.fetch(path))).toMatchObject([
      { actor: ada.email, subject: ada.email, ipAddress: '127.0.0.1' },
    ])
  })

  it('sends a receipt to the address of the deleted account', async () => {
    const ada = await makePerson(app)
    await makeFile(ada)
    await app.sendQueuedEmails()
    await requestAccountDeletion(ada, { password: ada.password })
    const [receipt, ...others] = await app.sendQueuedEmails()
    expect(others).toEqual([])
    expect(receipt?.to).toEqual({ name: '', address: ada.email })
    expect(receipt?.content.subject).toBe('Your Mayfly account was deleted')
    expect(receipt?.content.text).toContain('was deleted on the account page on')
    expect(receipt?.content.text).toContain('1 file, all links and requests')
    expect(receipt?.content.text).toContain(`${app.url}/privacy#deletion`)
  })

  it.each([
    ['a wrong password', { password: 'wrong horse' }, 'WRONG_PASSWORD'],
    ['no password', {}, 'INVALID_INPUT'],
    ['an empty password', { password: '' }, 'INVALID_INPUT'],
    ['null', { password: null }, 'INVALID_INPUT'],
    ['too long a password', { password: 'x'.repeat(129) }, 'INVALID_INPUT'],
    ['an unknown field', { password: 'correct horse', email: 'a@b.example' }, 'INVALID_INPUT'],
    ['no object', [], 'INVALID_INPUT'],
  ] as const)('rejects %s and deletes nothing', async (_, body, code) => {
    const ada = await makePerson(app)
    const file = await makeFile(ada)
    await expectError(await requestAccountDeletion(ada, body), 400, code)
    expect(await userExists(ada)).toBe(true)
    expect(await downloadStatus(file.shortCode)).toBe(200)
  })

  it('rejects a missing body', async () => {
    const ada = await makePerson(app)
    const response = await ada.fetch('/api/auth/user', { method: 'DELETE' })
    await expectError(response, 400, 'INVALID_INPUT')
    expect(await userExists(ada)).toBe(true)
  })

  it('rejects the administrator', async () => {
    const response = await requestAccountDeletion(admin, { password: admin.password })
    await expectError(response, 409, 'ADMIN_STAYS')
    expect(await userExists(admin)).toBe(true)
  })

  it('rejects a request from another site', async () => {
    const ada = await makePerson(app)
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
    ] as Record<string, string>[]) {
      const response = await requestAccountDeletion(ada, { password: ada.password }, headers)
      await expectError(response, 403, 'FOREIGN_ORIGIN')
    }
    expect(await userExists(ada)).toBe(true)
  })

  it('rejects API keys, even with the session cookie', async () => {
    const ada = await makePerson(app)
    const { key } = await makeKey(ada)
    for (const client of [makeClient(app), ada]) {
      const response = await requestAccountDeletion(withKey(client, key), {
        password: ada.password,
      })
      await expectError(response, 403, 'KEY_SCOPE')
    }
    expect(await userExists(ada)).toBe(true)
  })

  it('rejects a session that has ended', async () => {
    const ada = await makePerson(app)
    await ada.fetch('/api/logout')
    const response = await requestAccountDeletion(ada, { password: ada.password })
    await expectError(response, 401, 'UNAUTHORIZED')
    expect(await userExists(ada)).toBe(true)
  })

  it('deletes the account once, regardless of the number of requests', async () => {
    const ada = await makePerson(app)
    const { password } = ada
    await app.sendQueuedEmails()
    const responses = await Promise.all(
      [1, 2, 3].map(() => requestAccountDeletion(ada, { password })),
    )
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 401, 401])
    expect(await app.sendQueuedEmails()).toHaveLength(1)
  })

  it('ends an upload whose bytes are arriving', async () => {
    const ada = await makePerson(app)
    const { uploadUrl, cloudKey } = await startUpload(ada, { size: 1000 })
    const headers = { 'content-type': 'text/plain', 'content-length': '1000' }
    const put = request(uploadUrl, { method: 'PUT', headers })
    const outcome = new Promise<number | null>((resolve) => {
      put.on('response', (response: IncomingMessage) => {
        response.resume()
        resolve(response.statusCode ?? null)
      })
      put.on('error', () => resolve(null))
    })
    put.write(Buffer.alloc(500))
    await once(put, 'socket')
    const response = await requestAccountDeletion(ada, { password: ada.password })
    expect(response.status).toBe(200)
    put.end(Buffer.alloc(500))
    expect([404, null]).toContain(await outcome)
    expect(await app.deps.db.$count(uploads, eq(uploads.ownerId, ada.id))).toBe(0)
    await retryRemovals(app.deps)
    expect(await app.storage.storedSize(cloudKey)).toBeNull()
  })
})

describe('guessing the password at an unlocked computer', () => {
  it('is limited like logging in', async () => {
    const ada = await makePerson(app)
    const sessionCookie = (await logIn(app, ada.email, ada.password)).split('; ')
    const thief = makeClient(
      app,
      sessionCookie.find((cookie) => cookie.startsWith('mayfly.session_token=')),
    )
    const responses = await Promise.all(
      Array.from({ length: 15 }, () => requestAccountDeletion(thief, { password: 'a guess' })),
    )
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 400)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(5)
    const response = await requestAccountDeletion(thief, { password: ada.password })
    await expectError(response, 429, 'TOO_MANY_REQUESTS')
    expect(await userExists(ada)).toBe(true)
    app.clock.advance(15 * 60_000)
  })
})

describe('an account without a password', () => {
  it('is deleted shortly after signing in with Google', async () => {
    const { browser, id } = await makeGoogleUser('grace')
    expect((await requestAccountDeletion(browser, {})).status).toBe(200)
    expect(await userExists({ id })).toBe(false)
  })

  it('needs another sign-in with Google after five minutes', async () => {
    const { browser, id, identity } = await makeGoogleUser('hedy')
    app.clock.advance(recentSignInMs)
    await expectError(await requestAccountDeletion(browser, {}), 403, 'SIGN_IN_AGAIN')
    expect(await userExists({ id })).toBe(true)
    const next = `/account?delete=${id}`
    expect((await google.signIn(identity, { browser, next })).path).toBe(next)
    app.clock.advance(recentSignInMs - 1)
    expect((await requestAccountDeletion(browser, {})).status).toBe(200)
    expect(await userExists({ id })).toBe(false)
  })

  it('has no password that could be right', async () => {
    const { browser, id } = await makeGoogleUser('joan')
    const response = await requestAccountDeletion(browser, { password: 'correct horse' })
    await expectError(response, 409, 'NO_PASSWORD')
    expect(await userExists({ id })).toBe(true)
  })

  it('that gets one needs it from then on', async () => {
    const { browser, id } = await makeGoogleUser('mary')
    const ada = await makePerson(app)
    const [row] = await app.deps.db.select().from(accounts).where(eq(accounts.userId, ada.id))
    if (!row) throw new Error('no password')
    await app.deps.db.insert(accounts).values({ ...row, id, userId: id, accountId: id })
    await expectError(await requestAccountDeletion(browser, {}), 400, 'INVALID_INPUT')
    expect(await userExists({ id })).toBe(true)
  })
})
