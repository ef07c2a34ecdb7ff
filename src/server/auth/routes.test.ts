import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, json, makePerson } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { sessions } from '../db/schema.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

async function fetchStatus(client: Client) {
  return (await client.fetch('/api/auth/user')).status
}

describe('the current user', () => {
  it('loses the trial at the exact time it ends', async () => {
    const trialEnd = new Date(app.clock().getTime() + 1000)
    const person = await makePerson(app, { tier: 'premium', premiumTrialEndsAt: trialEnd })
    expect(await json(await person.fetch('/api/auth/user'))).toMatchObject({ tier: 'premium' })
    app.clock.set(trialEnd)
    expect(await json(await person.fetch('/api/auth/user'))).toMatchObject({ tier: 'free' })
  })
})

describe('POST requests', () => {
  it.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
    ['another site without an Origin header', { 'sec-fetch-site': 'cross-site' }],
    ['another port', { origin: 'http://127.0.0.1:1' }],
  ])('are rejected from %s', async (_, headers) => {
    const person = await makePerson(app)
    const response = await person.fetch('/api/files/abort-upload', {
      method: 'POST',
      headers,
      body: '{"cloudKey":"x"}',
    })
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ code: 'FOREIGN_ORIGIN' })
  })

  it('are allowed from our own origin', async () => {
    const person = await makePerson(app)
    const response = await person.fetch('/api/files/abort-upload', {
      method: 'POST',
      headers: { origin: app.url, 'sec-fetch-site': 'same-origin' },
      body: '{"cloudKey":"x"}',
    })
    expect(response.status).toBe(404)
  })
})

describe('a logout', () => {
  it('also ends the session on the server', async () => {
    const person = await makePerson(app)
    const response = await person.fetch('/api/logout')
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe('/')
    expect(await fetchStatus(person)).toBe(401)
    const { db } = app.deps
    expect(await db.$count(sessions, eq(sessions.userId, person.id))).toBe(0)
  })

  it('by HEAD or from another site ends no session', async () => {
    const person = await makePerson(app)
    for (const site of ['cross-site', 'same-site']) {
      const response = await person.fetch('/api/logout', { headers: { 'sec-fetch-site': site } })
      expect(response.headers.getSetCookie()).toEqual([])
    }
    await person.fetch('/api/logout', { method: 'HEAD' })
    expect(await fetchStatus(person)).toBe(200)
  })
})
