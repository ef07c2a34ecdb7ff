import { eq, like } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountName } from '../../src/server/auth/login-limits.ts'
import { removeExpiredRows } from '../../src/server/auth/queries.ts'
import { accounts, rateLimits, users } from '../../src/server/db/schema.ts'
import { serveApp } from '../support/app-server.ts'
import { makeClient, signUp } from '../support/make.ts'
import { freshDatabase } from '../support/postgres.ts'
import { send } from '../support/send.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/**
 * The attack: guess passwords from one address or many, or use up the attempts to lock the owner
 * out. Client addresses come from a proxy header, so one test can use many.
 */

const minute = 60_000
const quarterOfAnHour = 15 * 60

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { RATE_LIMITS: 'on', TRUST_PROXY: 'on' } })
})
afterAll(() => app.close())

let lastAddress = 0
function newAddress() {
  lastAddress += 1
  return `198.51.${Math.floor(lastAddress / 250)}.${1 + (lastAddress % 250)}`
}

function newAccount(server: Pick<TestApp, 'url'> = app) {
  return signUp(server, { 'x-forwarded-for': newAddress() })
}

interface From {
  address: string
  cookie?: string
}

function logIn(
  email: string,
  password: string,
  { address, cookie = '' }: From,
  server: Pick<TestApp, 'url'> = app,
) {
  return makeClient(server, cookie).fetch('/api/auth/login', {
    method: 'POST',
    headers: { 'x-forwarded-for': address, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
}

function guess(email: string, from: From) {
  return logIn(email, 'a wrong guess', from)
}

function guesses(count: number, email: string, from: () => From) {
  return Promise.all(Array.from({ length: count }, () => guess(email, from())))
}

function statuses(answers: Response[]) {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/**
 * Sets the number of failed logins from other addresses. The account must have at least one
 * already.
 */
async function setWrongLogins(email: string, wrongLogins: number) {
  const key = `wrongLoginsByAccount:${accountName(app.deps.secret, email)}`
  const ofAccount = eq(rateLimits.key, key)
  await app.deps.db.update(rateLimits).set({ points: wrongLogins }).where(ofAccount)
}

function waitOf(response: Response) {
  return Number(response.headers.get('retry-after'))
}

/** Returns the cookies of a known browser without its session. */
async function knownBrowser(email: string, password: string) {
  const response = await logIn(email, password, { address: newAddress() })
  expect(response.status).toBe(200)
  return cookieOf(response)
}

function cookieOf(login: Response) {
  return (
    login.headers
      .getSetCookie()
      .find((one) => one.includes('known_browser='))
      ?.split(';', 1)[0] ?? ''
  )
}

describe('guessing from one address', () => {
  it('is limited to 10 attempts per account, even in parallel', async () => {
    const { email } = await newAccount()
    const address = newAddress()
    const answers = await guesses(100, email, () => ({ address }))
    expect(statuses(answers)).toEqual({ 401: 10, 429: 90 })
    const refused = answers.find(({ status }) => status === 429)
    expect(waitOf(refused as Response)).toBe(quarterOfAnHour)
    expect(await refused?.json()).toEqual({
      code: 'TOO_MANY_REQUESTS',
      message: 'Too many attempts. Please wait 15 minutes and try again.',
    })
  })

  it('is limited across servers', async () => {
    const { url, drop } = await freshDatabase()
    const env = { RATE_LIMITS: 'on', TRUST_PROXY: 'on' }
    const shared = { url, drop: async () => {} }
    const servers = [await serveApp(shared, { env }), await serveApp(shared, { env })]
    const [one] = servers as [TestApp]
    const { email, password } = await newAccount(one)
    const address = newAddress()
    const answers = await Promise.all(
      servers.flatMap((server) =>
        Array.from({ length: 30 }, () => logIn(email, 'a wrong guess', { address }, server)),
      ),
    )
    expect(statuses(answers)).toEqual({ 401: 10, 429: 50 })
    for (const server of servers) {
      expect((await logIn(email, password, { address }, server)).status).toBe(429)
    }
    for (const server of servers) await server.close()
    await drop()
  })

  it('locks the account for that address only', async () => {
    const { email, password } = await newAccount()
    const address = newAddress()
    await guesses(100, email, () => ({ address }))
    expect((await logIn(email, password, { address })).status).toBe(429)
    const owner = await logIn(email, password, { address: newAddress() })
    expect(owner.status).toBe(200)
  })

  it("doesn't count rejected attempts, so other accounts still work", async () => {
    const attacked = await newAccount()
    const other = await newAccount()
    const address = newAddress()
    await guesses(120, attacked.email, () => ({ address }))
    expect((await logIn(other.email, other.password, { address })).status).toBe(200)
  })

  it('is limited to 100 attempts across accounts', async () => {
    const address = newAddress()
    const key = `wrongLoginsByAddress:${address}`
    await guess('first@example.org', { address })
    await app.deps.db.update(rateLimits).set({ points: 98 }).where(eq(rateLimits.key, key))
    const names = Array.from({ length: 20 }, (_, n) => `invented-${n}@example.org`)
    const answers = await Promise.all(names.map((name) => guess(name, { address })))
    expect(statuses(answers)).toEqual({ 401: 2, 429: 18 })
  })

  it('counts an IPv6 network as one address', async () => {
    const { email, password } = await newAccount()
    let host = 0
    const answers = await guesses(30, email, () => {
      host += 1
      return { address: `2001:db8:0:7::${host.toString(16)}` }
    })
    expect(statuses(answers)).toEqual({ 401: 10, 429: 20 })
    expect((await logIn(email, password, { address: '2001:db8:0:8::1' })).status).toBe(200)
  })

  it('may continue after 15 minutes; the right password resets the counter', async () => {
    const { email, password } = await newAccount()
    const address = newAddress()
    await guesses(11, email, () => ({ address }))
    app.clock.advance(15 * minute)
    expect(statuses(await guesses(9, email, () => ({ address })))).toEqual({ 401: 9 })
    expect((await logIn(email, password, { address })).status).toBe(200)
    expect(statuses(await guesses(2, email, () => ({ address })))).toEqual({ 401: 2 })
  })
})

describe('the right password', () => {
  it("doesn't count as an attempt", async () => {
    const { email, password } = await newAccount()
    const address = newAddress()
    for (let count = 0; count < 3; count += 1) await logIn(email, password, { address })
    const account = accountName(app.deps.secret, email)
    const rows = await app.deps.db.select().from(rateLimits)
    const own = rows.filter(({ key }) => key.includes(address) || key.includes(account))
    expect(own.map(({ key, points }) => [key.split(':')[0], points]).sort()).toEqual([
      ['loginsByAccount', 3],
      ['loginsByAddress', 3],
    ])
  })
})

describe('guessing from 100 addresses', () => {
  let owner: { email: string; password: string }
  let cookie: string
  beforeAll(async () => {
    owner = await newAccount()
    cookie = await knownBrowser(owner.email, owner.password)
    for (let round = 0; round < 4; round += 1) {
      const answers = await guesses(25, owner.email, () => ({ address: newAddress() }))
      expect(statuses(answers)).toEqual({ 401: 25 })
    }
  })

  it("doesn't lock the owner out at a new address", async () => {
    const login = await logIn(owner.email, owner.password, { address: newAddress() })
    expect(login.status).toBe(200)
  })

  it('makes an address that has just guessed wait', async () => {
    const address = newAddress()
    expect((await guess(owner.email, { address })).status).toBe(401)
    const refused = await logIn(owner.email, owner.password, { address })
    expect(refused.status).toBe(429)
    expect(waitOf(refused)).toBe(quarterOfAnHour)
    app.clock.advance(waitOf(refused) * 1000)
    expect((await logIn(owner.email, owner.password, { address })).status).toBe(200)
  })

  it("doesn't lock out a known browser, even at a locked address", async () => {
    const address = newAddress()
    await guesses(3, owner.email, () => ({ address }))
    expect((await logIn(owner.email, owner.password, { address })).status).toBe(429)
    expect((await logIn(owner.email, owner.password, { address, cookie })).status).toBe(200)
  })
})

describe('account enumeration', () => {
  it('is impossible by status or timing', async () => {
    const { email } = await newAccount()
    const histories = await Promise.all(
      [email, 'nobody-at-all@example.org'].map(async (name) => {
        const seen: unknown[] = []
        const address = newAddress()
        for (let tries = 0; tries < 12; tries += 1) {
          const response = await guess(name, { address })
          seen.push([response.status, waitOf(response), await response.text()])
        }
        await setWrongLogins(name, 70)
        const paced = { address: newAddress() }
        const first = await guess(name, paced)
        const second = await guess(name, paced)
        return [seen, first.status, second.status, waitOf(second)]
      }),
    )
    expect(histories[0]).toEqual(histories[1])
    expect(histories[0]?.slice(1)).toEqual([401, 429, quarterOfAnHour])
  })

  it('is impossible through other spellings of an address', async () => {
    const { email, password } = await newAccount()
    const address = newAddress()
    await guesses(5, email, () => ({ address }))
    await guesses(5, ` ${email.toUpperCase()} `, () => ({ address }))
    expect((await logIn(email, password, { address })).status).toBe(429)
  })
})

describe('the cookie of a known browser', () => {
  /**
   * Returns an address without attempts left, where only the cookie of a known browser allows more.
   */
  const shutAddress = async (email: string) => {
    const address = newAddress()
    await guesses(11, email, () => ({ address }))
    return address
  }

  it('allows a thief 10 attempts, even in parallel', async () => {
    const { email, password } = await newAccount()
    const cookie = await knownBrowser(email, password)
    const address = await shutAddress(email)
    const answers = await guesses(60, email, () => ({ address, cookie }))
    expect(statuses(answers)).toEqual({ 401: 10, 429: 50 })
  })

  it('allows no more from many addresses', async () => {
    const { email, password } = await newAccount()
    const cookie = await knownBrowser(email, password)
    const places = [await shutAddress(email), await shutAddress(email)]
    const answers = await Promise.all(
      places.map((address) => guesses(10, email, () => ({ address, cookie }))),
    )
    expect(statuses(answers.flat())).toEqual({ 401: 10, 429: 10 })
  })

  it("leaves the owner the usual attempts after a thief has exhausted the cookie's", async () => {
    const { email, password } = await newAccount()
    const cookie = await knownBrowser(email, password)
    await guesses(20, email, () => ({ address: '203.0.113.66', cookie }))
    const owner = await logIn(email, password, { address: newAddress(), cookie })
    expect(owner.status).toBe(200)
  })

  it("is worthless if altered, another account's, or older than the password", async () => {
    const { email, password } = await newAccount()
    const cookie = await knownBrowser(email, password)
    const stranger = await newAccount()
    const foreign = await knownBrowser(stranger.email, stranger.password)
    const address = await shutAddress(email)
    const status = async (one: string) =>
      (await logIn(email, password, { address, cookie: one })).status

    const [name = '', value = ''] = cookie.split('=')
    const [id, signature = ''] = value.split('.')
    const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
    for (const forged of [
      foreign,
      `${name}=${id}.${flipped}`,
      `${name}=${'x'.repeat(21)}.${signature}`,
      `${name}=${id}`,
      `${name}=~~~`,
      `${name}=${'x'.repeat(5000)}`,
    ]) {
      expect(await status(forged)).toBe(429)
    }
    expect(await status(cookie)).toBe(200)

    const another = await app.deps.passwords.hash('a new password', 'salt', 'test')
    const ofOwner = eq(users.email, email)
    const [user] = await app.deps.db.select({ id: users.id }).from(users).where(ofOwner)
    await app.deps.db
      .update(accounts)
      .set({ password: another })
      .where(eq(accounts.userId, user?.id ?? ''))
    expect(await status(cookie)).toBe(429)
  })

  it('is HttpOnly and same-site, lasts a year, and contains no address', async () => {
    const { email, password } = await newAccount()
    const login = await logIn(email, password, { address: newAddress() })
    const cookie = login.headers.getSetCookie().find((one) => one.includes('known_browser=')) ?? ''
    expect(cookie).toMatch(
      /^mayfly\.known_browser=[\w.-]+; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    expect(cookie).not.toContain(email.split('@', 1)[0])
  })

  it('is bound to the host, and Secure when the public URL is HTTPS', async () => {
    const secure = await startTestApp({ env: { APP_URL: 'https://files.example.org' } })
    try {
      const body = JSON.stringify({
        firstName: 'Ada',
        lastName: 'Lovelace',
        email: 'ada@example.org',
        password: 'correct horse',
        confirmPassword: 'correct horse',
      })
      const post = (path: string) =>
        send(`http://127.0.0.1:${secure.deps.config.port}${path}`, {
          method: 'POST',
          headers: { host: 'files.example.org' },
          body,
        })
      await post('/api/auth/signup')
      const { headers } = await post('/api/auth/login')
      const cookie = headers['set-cookie']?.find((one) => one.includes('known_browser='))
      expect(cookie).toMatch(
        /^__Host-mayfly\.known_browser=[\w.-]+; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      )
    } finally {
      await secure.close()
    }
  })

  it('covers several accounts of one browser, and stays small', async () => {
    const people: Awaited<ReturnType<typeof newAccount>>[] = []
    for (let count = 0; count < 6; count += 1) people.push(await newAccount())
    let cookie = ''
    for (const { email, password } of people) {
      const login = await logIn(email, password, { address: newAddress(), cookie })
      cookie = cookieOf(login)
    }
    expect(cookie.length).toBeLessThan(600)
    const known: number[] = []
    for (const { email, password } of people.slice(0, 2)) {
      const address = await shutAddress(email)
      known.push((await logIn(email, password, { address, cookie })).status)
    }
    expect(known).toEqual([429, 200])
  })
})

describe('an attacker who knows a password', () => {
  it("can't keep the CPU busy by signing in repeatedly", async () => {
    const { email, password } = await newAccount()
    const address = newAddress()
    expect((await logIn(email, password, { address })).status).toBe(200)
    const own = like(rateLimits.key, 'loginsByAccount:%')
    await app.deps.db.update(rateLimits).set({ points: 119 }).where(own)
    const answers = []
    for (let count = 0; count < 3; count += 1)
      answers.push(await logIn(email, password, { address }))
    expect(statuses(answers)).toEqual({ 200: 1, 429: 2 })
    await app.deps.db.delete(rateLimits).where(own)
  })

  it("can't do so with many accounts either", async () => {
    const address = newAddress()
    const { email, password } = await newAccount()
    expect((await logIn(email, password, { address })).status).toBe(200)
    const own = eq(rateLimits.key, `loginsByAddress:${address}`)
    await app.deps.db.update(rateLimits).set({ points: 600 }).where(own)
    const other = await newAccount()
    expect((await logIn(other.email, other.password, { address })).status).toBe(429)
  })
})

describe('the table of counters', () => {
  it("doesn't grow by rejected attempts, and is empty once all windows end", async () => {
    const address = newAddress()
    const { db } = app.deps
    await guess('somebody@example.org', { address })
    await db
      .update(rateLimits)
      .set({ points: 100 })
      .where(eq(rateLimits.key, `wrongLoginsByAddress:${address}`))
    const before = await db.$count(rateLimits)
    const names = Array.from({ length: 50 }, (_, n) => `made-up-${n}@example.org`)
    const answers = await Promise.all(names.map((name) => guess(name, { address })))
    expect(statuses(answers)).toEqual({ 429: 50 })
    expect(await db.$count(rateLimits)).toBe(before)

    app.clock.advance(60 * minute)
    await removeExpiredRows(db, new Date(app.clock().getTime() + 1))
    expect(await db.$count(rateLimits)).toBe(0)
  })

  it('contains no email address', async () => {
    await guess('readable@example.org', { address: newAddress() })
    const rows = await app.deps.db.select().from(rateLimits)
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain('readable')
  })
})
