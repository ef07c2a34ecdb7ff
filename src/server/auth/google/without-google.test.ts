import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeClient } from '../../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

describe('without an issuer', () => {
  it('/api/auth/ways reports that Google is unavailable', async () => {
    const response = await makeClient(app).fetch('/api/auth/ways')
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ google: false, signup: 'open', sendsMail: false })
  })

  it.each([
    ['', '/login'],
    ['?next=/', '/login'],
    ['?next=/s/abc?a=1%26b=2', '/login?next=%2Fs%2Fabc%3Fa%3D1%26b%3D2'],
    ['?next=//evil.example', '/login'],
    ['?next=/api/logout', '/login'],
    ['?next=/s/abc&next=//evil.example', '/login?next=%2Fs%2Fabc'],
    ['?next[]=/s/abc', '/login'],
  ])('/api/login%s redirects to %s', async (query, location) => {
    const response = await makeClient(app).fetch(`/api/login${query}`)
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe(location)
    expect(response.headers.getSetCookie()).toEqual([])
  })
})
