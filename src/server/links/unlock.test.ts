import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  basic,
  changeLink,
  contentsOf,
  fetchBytes,
  makeLink,
  startLink,
} from '../../../tests/support/link-requests.ts'
import { json, makeClient, makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { expectError } from '../../../tests/support/upload-requests.ts'

const password = 'open sésame: 芝麻'

let app: TestApp
let owner: Person
beforeAll(async () => {
  app = await startTestApp()
  owner = await makePerson(app, { tier: 'premium' })
})
afterAll(async () => {
  const failures = app.logLines.filter(({ level }) => level >= 50)
  await app.close()
  expect(failures).toEqual([])
})

const names = ['secret-name-1.txt', 'secret-name-2.txt']
const makeLocked = () =>
  makeLink(
    owner,
    { title: 'Secret title', message: 'Secret message', password },
    contentsOf(100, 200),
    names,
  )

/** Unlocks a link as a browser does. Returns the response and the cookie. */
async function unlock(code: string, given = password) {
  const response = await makeClient(app).post(`/api/links/${code}/unlock`, { password: given })
  const [setCookie = ''] = response.headers.getSetCookie()
  return { response, setCookie, cookie: setCookie.split(';', 1)[0] ?? '' }
}

async function detailsWith(cookie: string, code: string) {
  return json<Record<string, unknown>>(await makeClient(app, cookie).fetch(`/api/links/${code}`))
}

const unmarked = /secret|\.txt|text\/plain|"?size"?|sha256|downloadCount/i

describe('a link with a password, before it is unlocked', () => {
  it.each([
    ['details', '/api/links/CODE', 200],
    ['download', '/api/download/CODE', 401],
    ['one file', '/api/download/CODE/FILE', 401],
    ['the link for programs', '/s/CODE', 401],
    ['an unknown file', '/api/download/CODE/00000000-0000-4000-8000-000000000000', 401],
    ['the report form', '/s/CODE/report', 200],
  ])('reveals nothing of its files: %s', async (_, path, status) => {
    const { code, files } = await makeLocked()
    const target = path.replace('CODE', code).replace('FILE', files[0]?.id ?? '')
    for (const method of ['GET', 'HEAD']) {
      const headerSets: Record<string, string>[] = [
        {},
        { range: 'bytes=0-9' },
        { 'if-none-match': '*' },
      ]
      for (const headers of headerSets) {
        const response = await makeClient(app).fetch(target, { method, headers })
        const text = `${await response.text()} ${JSON.stringify([...response.headers])}`
        expect(response.status).toBe(status)
        if (path.includes('report')) expect(text).not.toMatch(/secret|\.txt/i)
        else expect(text).not.toMatch(unmarked)
        for (const name of ['etag', 'last-modified', 'content-range', 'content-disposition'])
          expect(response.headers.get(name)).toBeNull()
      }
    }
  })

  it('has only these details', async () => {
    const { code, files } = await makeLocked()
    expect(await detailsWith('', code)).toEqual({
      needsPassword: true,
      expiresAt: files[0]?.expiresAt,
      branding: null,
    })
  })

  it("doesn't say whether its files are still being uploaded", async () => {
    const { link } = await startLink(owner, contentsOf(10), { password })
    const response = await fetchBytes(app, link.shortCode)
    expect(response.status).toBe(401)
    expect(response.headers.get('retry-after')).toBeNull()
    expect((await fetchBytes(app, link.shortCode, basic(password))).status).toBe(503)
  })
})

describe('unlocking a link in a browser', () => {
  it('shows it with a cookie for this link only', async () => {
    const [{ code }, other] = [await makeLocked(), await makeLocked()]
    const { response, cookie, setCookie } = await unlock(code)
    expect(response.status).toBe(204)
    expect(setCookie).toMatch(/; HttpOnly/)
    expect(setCookie).toMatch(/; SameSite=Lax/)
    expect(await detailsWith(cookie, code)).toMatchObject({ title: 'Secret title' })
    expect((await fetchBytes(app, code, { cookie })).status).toBe(200)
    expect(await detailsWith(cookie, other.code)).toMatchObject({ needsPassword: true })
    const renamed = cookie.replace(code, other.code)
    expect(await detailsWith(renamed, other.code)).toMatchObject({ needsPassword: true })
    expect((await fetchBytes(app, other.code, { cookie: renamed })).status).toBe(401)
  })

  it.each([
    ['the same password, set again', { password }],
    ['another password', { password: 'other' }],
  ])('ends with a change: %s', async (_, changes) => {
    const { code } = await makeLocked()
    const { cookie } = await unlock(code)
    await changeLink(owner, code, changes)
    expect((await fetchBytes(app, code, { cookie })).status).toBe(401)
    expect(await detailsWith(cookie, code)).toMatchObject({ needsPassword: true })
    const again = await unlock(code, changes.password)
    expect((await fetchBytes(app, code, { cookie: again.cookie })).status).toBe(200)
  })

  it('is not needed once the password is removed, and stays for other changes', async () => {
    const { code } = await makeLocked()
    const { cookie } = await unlock(code)
    await changeLink(owner, code, { title: 'Other title', maxDownloads: 10 })
    expect(await detailsWith(cookie, code)).toMatchObject({ title: 'Other title' })
    const changed = await json(await changeLink(owner, code, { password: null }))
    expect(changed).toMatchObject({ hasPassword: false })
    expect((await fetchBytes(app, code)).status).toBe(200)
    expect((await unlock(code, 'anything')).response.status).toBe(204)
  })

  it("fails without a challenge, which would open the browser's own dialog", async () => {
    const { code } = await makeLocked()
    const { response, setCookie } = await unlock(code, 'wrong')
    expect([response.headers.get('www-authenticate'), setCookie]).toEqual([null, ''])
    await expectError(response, 401, 'WRONG_PASSWORD')
  })

  it.each(['', 'x'.repeat(129), 'a\0b', 1, null, undefined])('rejects %j', async (given) => {
    const { code } = await makeLocked()
    const response = await makeClient(app).post(`/api/links/${code}/unlock`, { password: given })
    await expectError(response, 400, 'INVALID_INPUT')
  })

  it('accepts a session of the owner, whatever the password', async () => {
    const { code } = await makeLocked()
    const details = await json(await owner.fetch(`/api/links/${code}`))
    expect(details).toMatchObject({ title: 'Secret title', hasPassword: true, downloadCount: 0 })
    expect((await owner.fetch(`/api/download/${code}`)).status).toBe(200)
    const stranger = await makePerson(app, { role: 'admin' })
    expect((await stranger.fetch(`/api/download/${code}`)).status).toBe(401)
  })
})

describe('HTTP Basic authentication', () => {
  it.each(['', 'anybody', 'ünï'])('accepts the password with the user name %j', async (user) => {
    const { code, files, contents } = await makeLocked()
    const headers = basic(password, user)
    for (const path of [code, `${code}/${files[1]?.id}`]) {
      const whole = await fetchBytes(app, path, headers)
      expect(whole.status).toBe(200)
      const part = await fetchBytes(app, path, { ...headers, range: 'bytes=5-9' })
      expect([part.status, part.body.equals(whole.body.subarray(5, 10))]).toEqual([206, true])
      const head = await fetchBytes(app, path, headers, 'HEAD')
      expect(head.headers.get('content-length')).toBe(`${whole.body.length}`)
    }
    const one = await fetchBytes(app, `${code}/${files[1]?.id}`, headers)
    expect(one.body.equals(contents[1] as Uint8Array)).toBe(true)
    const legacy = await makeClient(app).fetch(`/s/${code}`, { headers })
    expect(legacy.status).toBe(200)
  })

  const encoded = (text: string) => Buffer.from(text).toString('base64')
  it.each([
    ['no credentials', 'Basic', 'LINK_LOCKED'],
    ['empty credentials', 'Basic ', 'LINK_LOCKED'],
    ['no colon', `Basic ${encoded('open sesame')}`, 'LINK_LOCKED'],
    ['invalid Base64', 'Basic !!!!', 'LINK_LOCKED'],
    ['several credentials', `Basic ${encoded(`:${password}`)} x`, 'LINK_LOCKED'],
    ['another scheme', `Bearer ${encoded(`:${password}`)}`, 'LINK_LOCKED'],
    ['the scheme inside another', `xBasic ${encoded(`:${password}`)}`, 'LINK_LOCKED'],
    ['an empty password', `Basic ${encoded(':')}`, 'WRONG_PASSWORD'],
    ['a long password', `Basic ${encoded(`:${'x'.repeat(8000)}`)}`, 'WRONG_PASSWORD'],
    [
      'invalid UTF-8',
      `Basic ${Buffer.from([0x3a, 0xff, 0xfe]).toString('base64')}`,
      'WRONG_PASSWORD',
    ],
    ['a prefix', `Basic ${encoded(`:${password.slice(0, -1)}`)}`, 'WRONG_PASSWORD'],
    ['the password as user name', `Basic ${encoded(`${password}:`)}`, 'WRONG_PASSWORD'],
  ])('asks again for %s', async (_, authorization, code) => {
    const link = await makeLocked()
    const response = await makeClient(app).fetch(`/api/download/${link.code}`, {
      headers: { authorization },
    })
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm=/)
    await expectError(response, 401, code)
  })

  it('ignores it for a link without a password', async () => {
    const { code } = await makeLink(owner)
    expect((await fetchBytes(app, code, basic('anything'))).status).toBe(200)
  })
})
