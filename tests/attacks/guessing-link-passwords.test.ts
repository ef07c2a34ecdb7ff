import { afterAll, beforeAll, expect, it } from 'vitest'
import { counter } from '../../src/server/http/rate-limit.ts'
import { basic, changeLink, makeLink } from '../support/link-requests.ts'
import { makeClient, makePerson, type Person } from '../support/make.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { expectError } from '../support/upload-requests.ts'

/*
 * The attack: someone has a link and tries passwords, with the form or with HTTP Basic
 * authentication, from one address or from many.
 */

const password = 'correct horse'
const hour = 60 * 60_000

let app: TestApp
let owner: Person
beforeAll(async () => {
  app = await startTestApp({ env: { RATE_LIMITS: 'on', TRUST_PROXY: 'on' } })
  owner = await makePerson(app, { tier: 'premium' })
})
afterAll(() => app.close())

const from = (address: string) => ({ 'x-forwarded-for': address })

function tryForm(code: string, given: string, address: string) {
  return makeClient(app).fetch(`/api/links/${code}/unlock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...from(address) },
    body: JSON.stringify({ password: given }),
  })
}

function tryBasic(code: string, given: string, address: string) {
  const headers = { ...basic(given), ...from(address) }
  return makeClient(app).fetch(`/api/download/${code}`, { headers })
}

async function setCount(key: string, points: number) {
  const until = app.clock().getTime() + 15 * 60_000
  await app.pool.query(
    `insert into rate_limits (key, points, expire) values ($1, $2, $3)
      on conflict (key) do update set points = $2`,
    [key, points, until],
  )
}

async function countOf(key: string): Promise<number> {
  const { rows } = await app.pool.query('select points from rate_limits where key = $1', [key])
  return rows[0]?.points ?? 0
}

it('is limited per address, for the form and programs together', async () => {
  const { code } = await makeLink(owner, { password })
  const [attacker, visitor] = ['192.0.2.1', '192.0.2.2']
  const { key, max } = counter('wrongUnlocksByAddress', attacker)
  await expectError(await tryForm(code, 'wrong', attacker), 401, 'WRONG_PASSWORD')
  await expectError(await tryBasic(code, 'wrong', attacker), 401, 'WRONG_PASSWORD')
  expect(await countOf(key)).toBe(2)
  await setCount(key, max)
  for (const attempt of [tryForm, tryBasic]) {
    for (const given of ['wrong', password]) {
      const response = await attempt(code, given, attacker)
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      await expectError(response, 429, 'TOO_MANY_REQUESTS')
    }
  }
  expect((await tryForm(code, password, visitor)).status).toBe(204)
  expect((await tryBasic(code, password, visitor)).status).toBe(200)
  app.clock.advance(hour)
  expect((await tryForm(code, password, attacker)).status).toBe(204)
})

it('is limited per link, without locking out its owner and those who have unlocked it', async () => {
  const { code, files } = await makeLink(owner, { password })
  const { rows } = await app.pool.query('select link_id as id from files where id = $1', [
    files[0]?.id,
  ])
  const unlocked = await tryForm(code, password, '192.0.2.3')
  const cookie = unlocked.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  const { key, max } = counter('wrongUnlocksByLink', rows[0].id)
  await setCount(key, max)
  await expectError(await tryForm(code, 'wrong', '192.0.2.4'), 429, 'TOO_MANY_REQUESTS')
  await expectError(await tryBasic(code, 'wrong', '192.0.2.5'), 429, 'TOO_MANY_REQUESTS')
  expect((await makeClient(app, cookie).fetch(`/api/download/${code}`)).status).toBe(200)
  expect((await owner.fetch(`/api/links/${code}`)).status).toBe(200)
  expect((await owner.fetch(`/api/download/${code}`)).status).toBe(200)
  expect((await changeLink(owner, code, { password: null })).status).toBe(200)
  expect((await tryBasic(code, '', '192.0.2.5')).status).toBe(200)
})

it("doesn't count right passwords", async () => {
  const { code } = await makeLink(owner, { password })
  const { key } = counter('wrongUnlocksByAddress', '192.0.2.6')
  const attempts = Array.from({ length: 5 }, () => tryBasic(code, password, '192.0.2.6'))
  for (const { status } of await Promise.all(attempts)) expect(status).toBe(200)
  expect(await countOf(key)).toBe(0)
})

it('never succeeds with a cookie from another installation or of another link', async () => {
  const { code } = await makeLink(owner, { password })
  const cookies = ['', '0'.repeat(43), code, `${code}.${'A'.repeat(43)}`]
  for (const value of cookies) {
    const client = makeClient(app, `mayfly.link_${code}=${value}`)
    expect((await client.fetch(`/api/download/${code}`)).status).toBe(401)
  }
})
