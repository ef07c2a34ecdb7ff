import { eq, like } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashAccountEmail } from '../../src/server/auth/login-limits.ts'
import { removeExpiredRows } from '../../src/server/auth/queries.ts'
import { accounts, rateLimits, users } from '../../src/server/db/schema.ts'
import { serveApp } from '../support/app-server.ts'
import { makeClient, signUp } from '../support/make.ts'
import { send } from '../support/send.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/**
 * The attack: guess passwords from one IP address or many, or use up the owner's attempts to lock
 * the owner out. The client's IP address comes from a proxy header, so one test can use many
 * addresses.
 */

const minute = 60_000
const windowSeconds = 15 * 60

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { RATE_LIMITS: 'on', TRUST_PROXY: 'on' } })
})
afterAll(() => app.close())

let addressCount = 0
function makeAddress() {
  addressCount += 1
  return `198.51.${Math.floor(addressCount / 250)}.${1 + (addressCount % 250)}`
}

function createAccount(server: Pick<TestApp, 'url'> = app) {
  return signUp(server, { 'x-forwarded-for': makeAddress() })
}

interface LoginClient {
  address: string
  cookie?: string
}

function logIn(
  email: string,
  password: string,
  { address, cookie = '' }: LoginClient,
  server: Pick<TestApp, 'url'> = app,
) {
  return makeClient(server, cookie).fetch('/api/auth/login', {
    method: 'POST',
    headers: { 'x-forwarded-for': address, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
}

function guessPassword(email: string, loginClient: LoginClient) {
  return logIn(email, 'a wrong guess', loginClient)
}

function guessPasswords(attemptCount: number, email: string, loginClient: () => LoginClient) {
  return Promise.all(
    Array.from({ length: attemptCount }, () => guessPassword(email, loginClient())),
  )
}

function countStatuses(responses: Response[]) {
  const countsByStatus: Record<number, number> = {}
  for (const { status } of responses) countsByStatus[status] = (countsByStatus[status] ?? 0) + 1
  return countsByStatus
}

/**
 * Sets the number of failed logins counted for the account, which must already have at least one.
 */
async function setFailedLogins(email: string, failedCount: number) {
  const key = `wrongLoginsByAccount:${hashAccountEmail(app.deps.secret, email)}`
  const isForAccount = eq(rateLimits.key, key)
  await app.deps.db.update(rateLimits).set({ points: failedCount }).where(isForAccount)
}

function getRetryAfterSeconds(response: Response) {
  return Number(response.headers.get('retry-after'))
}

/** Logs in and returns the cookie that marks a known browser, without the session cookie. */
async function getKnownBrowserCookie(email: string, password: string) {
  const response = await logIn(email, password, { address: makeAddress() })
  expect(response.status).toBe(200)
  return findKnownBrowserCookie(response)
}

function findKnownBrowserCookie(loginResponse: Response) {
  return (
    loginResponse.headers
      .getSetCookie()
      .find((header) => header.includes('known_browser='))
      ?.split(';', 1)[0] ?? ''
  )
}

describe('guessing from one IP address', () => {
  it('is limited to 10 attempts per account, even in parallel', async () => {
    const { email } = await createAccount()
    const address = makeAddress()
    const responses = await guessPasswords(20, email, () => ({ address }))
    expect(countStatuses(responses)).toEqual({ 401: 10, 429: 10 })
    const limitedResponse = responses.find(({ status }) => status === 429)
    expect(getRetryAfterSeconds(limitedResponse as Response)).toBe(windowSeconds)
    expect(await limitedResponse?.json()).toEqual({
      code: 'TOO_MANY_REQUESTS',
      message: 'Too many attempts. Please wait 15 minutes and try again.',
    })
  })

  it('is limited across servers', async () => {
    const sharedDatabase = { url: app.deps.config.databaseUrl ?? '', drop: async () => {} }
    const env = { RATE_LIMITS: 'on', TRUST_PROXY: 'on' }
    const otherServer = await serveApp(sharedDatabase, { env, clock: app.clock })
    const servers = [app, otherServer]
    const { email, password } = await createAccount()
    const address = makeAddress()
    const responses = await Promise.all(
      servers.flatMap((server) =>
        Array.from({ length: 10 }, () => logIn(email, 'a wrong guess', { address }, server)),
      ),
    )
    expect(countStatuses(responses)).toEqual({ 401: 10, 429: 10 })
    for (const server of servers) {
      expect((await logIn(email, password, { address }, server)).status).toBe(429)
    }
    await otherServer.close()
  })

  it('locks the account for that IP address only', async () => {
    const { email, password } = await createAccount()
    const address = makeAddress()
    await guessPasswords(11, email, () => ({ address }))
    expect((await logIn(email, password, { address })).status).toBe(429)
    const ownerResponse = await logIn(email, password, { address: makeAddress() })
    expect(ownerResponse.status).toBe(200)
  })

  it("doesn't count rejected attempts, so other accounts still work", async () => {
    const victim = await createAccount()
    const otherAccount = await createAccount()
    const address = makeAddress()
    await guessPasswords(20, victim.email, () => ({ address }))
    expect((await logIn(otherAccount.email, otherAccount.password, { address })).status).toBe(200)
  })

  it('is limited to 100 attempts across accounts', async () => {
    const address = makeAddress()
    const key = `wrongLoginsByAddress:${address}`
    await guessPassword('first@example.org', { address })
    await app.deps.db.update(rateLimits).set({ points: 98 }).where(eq(rateLimits.key, key))
    const emails = Array.from({ length: 20 }, (_, n) => `invented-${n}@example.org`)
    const responses = await Promise.all(emails.map((email) => guessPassword(email, { address })))
    expect(countStatuses(responses)).toEqual({ 401: 2, 429: 18 })
  })

  it('counts an IPv6 network as one address', async () => {
    const { email, password } = await createAccount()
    let hostCount = 0
    const responses = await guessPasswords(15, email, () => {
      hostCount += 1
      return { address: `2001:db8:0:7::${hostCount.toString(16)}` }
    })
    expect(countStatuses(responses)).toEqual({ 401: 10, 429: 5 })
    expect((await logIn(email, password, { address: '2001:db8:0:8::1' })).status).toBe(200)
  })

  it('may continue after 15 minutes, and the right password resets the counter', async () => {
    const { email, password } = await createAccount()
    const address = makeAddress()
    await guessPasswords(11, email, () => ({ address }))
    app.clock.advance(15 * minute)
    expect(countStatuses(await guessPasswords(9, email, () => ({ address })))).toEqual({ 401: 9 })
    expect((await logIn(email, password, { address })).status).toBe(200)
    expect(countStatuses(await guessPasswords(2, email, () => ({ address })))).toEqual({ 401: 2 })
  })
})

describe('the right password', () => {
  it("doesn't count as an attempt", async () => {
    const { email, password } = await createAccount()
    const address = makeAddress()
    for (let count = 0; count < 3; count += 1) await logIn(email, password, { address })
    const accountHash = hashAccountEmail(app.deps.secret, email)
    const rows = await app.deps.db.select().from(rateLimits)
    const matchingRows = rows.filter(
      ({ key }) => key.includes(address) || key.includes(accountHash),
    )
    expect(matchingRows.map(({ key, points }) => [key.split(':')[0], points]).sort()).toEqual([
      ['loginsByAccount', 3],
      ['loginsByAddress', 3],
    ])
  })
})

describe('guessing from 100 IP addresses', () => {
  let owner: { email: string; password: string }
  let cookie: string
  beforeAll(async () => {
    owner = await createAccount()
    cookie = await getKnownBrowserCookie(owner.email, owner.password)
    for (let round = 0; round < 4; round += 1) {
      const responses = await guessPasswords(25, owner.email, () => ({ address: makeAddress() }))
      expect(countStatuses(responses)).toEqual({ 401: 25 })
    }
  })

  it("doesn't lock the owner out at a new IP address", async () => {
    const loginResponse = await logIn(owner.email, owner.password, { address: makeAddress() })
    expect(loginResponse.status).toBe(200)
  })

  it('leaves a new IP address a single guess', async () => {
    const address = makeAddress()
    expect((await guessPassword(owner.email, { address })).status).toBe(401)
    const limitedResponse = await logIn(owner.email, owner.password, { address })
    expect(limitedResponse.status).toBe(429)
    expect(getRetryAfterSeconds(limitedResponse)).toBe(windowSeconds)
    app.clock.advance(getRetryAfterSeconds(limitedResponse) * 1000)
    expect((await logIn(owner.email, owner.password, { address })).status).toBe(200)
  })

  it("doesn't lock out a known browser, even at a locked IP address", async () => {
    const address = makeAddress()
    await guessPasswords(3, owner.email, () => ({ address }))
    expect((await logIn(owner.email, owner.password, { address })).status).toBe(429)
    expect((await logIn(owner.email, owner.password, { address, cookie })).status).toBe(200)
  })
})

describe('account enumeration', () => {
  it('is impossible by status or timing', async () => {
    const { email } = await createAccount()
    const responseHistories = await Promise.all(
      [email, 'nobody-at-all@example.org'].map(async (name) => {
        const statuses: unknown[] = []
        const address = makeAddress()
        for (let attempt = 0; attempt < 12; attempt += 1) {
          const response = await guessPassword(name, { address })
          statuses.push([response.status, getRetryAfterSeconds(response), await response.text()])
        }
        await setFailedLogins(name, 70)
        const loginClient = { address: makeAddress() }
        const firstResponse = await guessPassword(name, loginClient)
        const secondResponse = await guessPassword(name, loginClient)
        return [
          statuses,
          firstResponse.status,
          secondResponse.status,
          getRetryAfterSeconds(secondResponse),
        ]
      }),
    )
    expect(responseHistories[0]).toEqual(responseHistories[1])
    expect(responseHistories[0]?.slice(1)).toEqual([401, 429, windowSeconds])
  })

  it('is impossible through other spellings of an email address', async () => {
    const { email, password } = await createAccount()
    const address = makeAddress()
    await guessPasswords(5, email, () => ({ address }))
    await guessPasswords(5, ` ${email.toUpperCase()} `, () => ({ address }))
    expect((await logIn(email, password, { address })).status).toBe(429)
  })
})

describe('the cookie of a known browser', () => {
  /** Returns an IP address with no attempts left, from which only a known browser can log in. */
  const makeBlockedAddress = async (email: string) => {
    const address = makeAddress()
    await guessPasswords(11, email, () => ({ address }))
    return address
  }

  it('allows a thief 10 attempts, even in parallel', async () => {
    const { email, password } = await createAccount()
    const cookie = await getKnownBrowserCookie(email, password)
    const address = await makeBlockedAddress(email)
    const responses = await guessPasswords(20, email, () => ({ address, cookie }))
    expect(countStatuses(responses)).toEqual({ 401: 10, 429: 10 })
  })

  it('allows a thief no additional attempts from many IP addresses', async () => {
    const { email, password } = await createAccount()
    const cookie = await getKnownBrowserCookie(email, password)
    const addresses = [await makeBlockedAddress(email), await makeBlockedAddress(email)]
    const responses = await Promise.all(
      addresses.map((address) => guessPasswords(10, email, () => ({ address, cookie }))),
    )
    expect(countStatuses(responses.flat())).toEqual({ 401: 10, 429: 10 })
  })

  it("leaves the owner the usual attempts after a thief has exhausted the cookie's", async () => {
    const { email, password } = await createAccount()
    const cookie = await getKnownBrowserCookie(email, password)
    await guessPasswords(20, email, () => ({ address: '203.0.113.66', cookie }))
    const ownerResponse = await logIn(email, password, { address: makeAddress(), cookie })
    expect(ownerResponse.status).toBe(200)
  })

  it("is worthless if altered, another account's, or older than the password", async () => {
    const { email, password } = await createAccount()
    const cookie = await getKnownBrowserCookie(email, password)
    const otherAccount = await createAccount()
    const otherCookie = await getKnownBrowserCookie(otherAccount.email, otherAccount.password)
    const address = await makeBlockedAddress(email)
    const getLoginStatus = async (loginCookie: string) =>
      (await logIn(email, password, { address, cookie: loginCookie })).status

    const [name = '', value = ''] = cookie.split('=')
    const [id, signature = ''] = value.split('.')
    const changedSignature = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
    for (const forgedCookie of [
      otherCookie,
      `${name}=${id}.${changedSignature}`,
      `${name}=${'x'.repeat(21)}.${signature}`,
      `${name}=${id}`,
      `${name}=~~~`,
      `${name}=${'x'.repeat(5000)}`,
    ]) {
      expect(await getLoginStatus(forgedCookie)).toBe(429)
    }
    expect(await getLoginStatus(cookie)).toBe(200)

    const newHash = await app.deps.passwords.hash('a new password', 'salt', 'test')
    const isOwner = eq(users.email, email)
    const [user] = await app.deps.db.select({ id: users.id }).from(users).where(isOwner)
    await app.deps.db
      .update(accounts)
      .set({ password: newHash })
      .where(eq(accounts.userId, user?.id ?? ''))
    expect(await getLoginStatus(cookie)).toBe(429)
  })

  it('is HttpOnly and same-site, lasts a year, and contains no email address', async () => {
    const { email, password } = await createAccount()
    const loginResponse = await logIn(email, password, { address: makeAddress() })
    const cookie =
      loginResponse.headers.getSetCookie().find((header) => header.includes('known_browser=')) ?? ''
    expect(cookie).toMatch(
      /^mayfly\.known_browser=[\w.-]+; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    expect(cookie).not.toContain(email.split('@', 1)[0])
  })

  it('is bound to the host, and Secure when the public URL is HTTPS', async () => {
    const httpsApp = await startTestApp({ env: { APP_URL: 'https://files.example.org' } })
    try {
      const body = JSON.stringify({
        firstName: 'Ada',
        lastName: 'Lovelace',
        email: 'ada@example.org',
        password: 'correct horse',
        confirmPassword: 'correct horse',
      })
      const post = (path: string) =>
        send(`http://127.0.0.1:${httpsApp.deps.config.port}${path}`, {
          method: 'POST',
          headers: { host: 'files.example.org' },
          body,
        })
      await post('/api/auth/signup')
      const { headers } = await post('/api/auth/login')
      const cookie = headers['set-cookie']?.find((header) => header.includes('known_browser='))
      expect(cookie).toMatch(
        /^__Host-mayfly\.known_browser=[\w.-]+; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      )
    } finally {
      await httpsApp.close()
    }
  })

  it('covers several accounts of one browser, and stays small', async () => {
    const accounts: Awaited<ReturnType<typeof createAccount>>[] = []
    for (let count = 0; count < 6; count += 1) accounts.push(await createAccount())
    let cookie = ''
    for (const { email, password } of accounts) {
      const loginResponse = await logIn(email, password, { address: makeAddress(), cookie })
      cookie = findKnownBrowserCookie(loginResponse)
    }
    expect(cookie.length).toBeLessThan(600)
    const statuses: number[] = []
    for (const { email, password } of accounts.slice(0, 2)) {
      const address = await makeBlockedAddress(email)
      statuses.push((await logIn(email, password, { address, cookie })).status)
    }
    expect(statuses).toEqual([429, 200])
  })
})

describe('an attacker who knows a password', () => {
  it("can't keep the CPU busy by signing in repeatedly", async () => {
    const { email, password } = await createAccount()
    const address = makeAddress()
    expect((await logIn(email, password, { address })).status).toBe(200)
    const isAccountLimit = like(rateLimits.key, 'loginsByAccount:%')
    await app.deps.db.update(rateLimits).set({ points: 119 }).where(isAccountLimit)
    const responses = []
    for (let count = 0; count < 3; count += 1)
      responses.push(await logIn(email, password, { address }))
    expect(countStatuses(responses)).toEqual({ 200: 1, 429: 2 })
    await app.deps.db.delete(rateLimits).where(isAccountLimit)
  })

  it("can't keep the CPU busy with many accounts", async () => {
    const address = makeAddress()
    const { email, password } = await createAccount()
    expect((await logIn(email, password, { address })).status).toBe(200)
    const isAddressLimit = eq(rateLimits.key, `loginsByAddress:${address}`)
    await app.deps.db.update(rateLimits).set({ points: 600 }).where(isAddressLimit)
    const otherAccount = await createAccount()
    expect((await logIn(otherAccount.email, otherAccount.password, { address })).status).toBe(429)
  })
})

describe('the table of counters', () => {
  it("doesn't grow with rejected attempts, and empties once all rate-limit windows end", async () => {
    const address = makeAddress()
    const { db } = app.deps
    await guessPassword('somebody@example.org', { address })
    await db
      .update(rateLimits)
      .set({ points: 100 })
      .where(eq(rateLimits.key, `wrongLoginsByAddress:${address}`))
    const rowCountBefore = await db.$count(rateLimits)
    const emails = Array.from({ length: 10 }, (_, n) => `made-up-${n}@example.org`)
    const responses = await Promise.all(emails.map((email) => guessPassword(email, { address })))
    expect(countStatuses(responses)).toEqual({ 429: 10 })
    expect(await db.$count(rateLimits)).toBe(rowCountBefore)

    app.clock.advance(60 * minute)
    await removeExpiredRows(db, new Date(app.clock().getTime() + 1))
    expect(await db.$count(rateLimits)).toBe(0)
  })

  it('contains no email address', async () => {
    await guessPassword('readable@example.org', { address: makeAddress() })
    const rows = await app.deps.db.select().from(rateLimits)
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain('readable')
  })
})
