import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parsePage, textOf } from '../../../tests/support/html.ts'
import { makeClient, makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { signedInHintCookie } from '../../shared/signed-in-hint.ts'

const browser = { accept: 'text/html' }

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await startTestApp()
  person = await makePerson(app)
})
afterAll(() => app.close())

function open(path: string, client: Pick<Person, 'fetch'> = makeClient(app)) {
  return client.fetch(path, { headers: browser })
}

async function readMain(response: Response): Promise<string> {
  return textOf(parsePage(await response.text()).findOne('main')).replaceAll(/\s+/g, ' ')
}

describe.each(['/login', '/signup'])('%s', (path) => {
  it('is sent to visitors, with the headers of every page', async () => {
    const response = await open(path)
    expect(response.status).toBe(200)
    const { headers } = response
    expect(headers.get('cache-control')).toBe('no-cache')
    expect(headers.get('vary')).toBe('Cookie, Accept-Encoding')
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('x-robots-tag')).toBeNull()
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe-')
    const html = await response.text()
    expect(html).not.toMatch(/\{\{|undefined|noindex/)
    const page = parsePage(html)
    expect(page.findAll('h1')).toHaveLength(1)
  })

  it.each([
    ['', '/'],
    ['?next=%2Fs%2FabcDEF2345%3Fa%3D1', '/s/abcDEF2345?a=1'],
    ['?next=//evil.example', '/'],
    ['?next=https%3A%2F%2Fevil.example', '/'],
    ['?next=/login', '/'],
  ])('with the query %j sends signed-in people to %s', async (query, location) => {
    const response = await open(path + query, person)
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe(location)
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it('is sent to people whose session has ended', async () => {
    expect((await open(path, makeClient(app, `${signedInHintCookie}=abc`))).status).toBe(200)
  })
})

describe('after a failed sign-in with Google', () => {
  it('the login says why, also to people who are signed in', async () => {
    for (const client of [makeClient(app), person]) {
      const response = await open('/login?fault=google-denied', client)
      expect(response.status).toBe(200)
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(await readMain(response)).toContain('Google did not let you in')
    }
  })

  it.each(['nonsense', '<b>', ''])('an unknown reason is ignored: %j', async (reason) => {
    const response = await open(`/login?fault=${encodeURIComponent(reason)}`)
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(await response.text()).toContain('data-text=""')
  })
})

describe('the signup', () => {
  it('says what an account includes, and what the trial does', async () => {
    expect(await readMain(await open('/signup'))).toContain(
      'Free: 3 files at a time, up to 500MB each, for 3 days. To try Premium free for 30 days, press Start trial on your dashboard.',
    )
    expect(await readMain(await open('/signup?next=%2F%3Ftrial%3Doffer'))).toContain(
      'Premium, free for 30 days: unlimited files, 1GB each, for 3, 5 or 7 days. Once you are signed in, press Start trial.',
    )
  })
})
