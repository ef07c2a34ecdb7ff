import { afterAll, beforeAll, expect, it } from 'vitest'
import { saveBrand } from '../../../tests/support/brands.ts'
import { closeRequest, makeRequest, sendDelivery } from '../../../tests/support/file-requests.ts'
import { makeClient, makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'

let app: TestApp
let owner: Person
beforeAll(async () => {
  app = await startTestApp()
  owner = await makePerson(app, { tier: 'premium' })
})
afterAll(() => app.close())

async function openPage(code: string) {
  const response = await makeClient(app).fetch(`/r/${code}`)
  return { response, html: await response.text() }
}

it('shows who asks for files and what for, but not the address', async () => {
  const changes = { title: '<b>Plans</b>', message: 'Please & thank you', maxFileSize: 5_242_880 }
  const { code } = await makeRequest(owner, changes)
  const { response, html } = await openPage(code)
  expect(response.status).toBe(200)
  expect(response.headers.get('x-robots-tag')).toBe('noindex')
  for (const text of [
    '&lt;b&gt;Plans&lt;/b&gt;',
    'Please &amp; thank you',
    'Ada Lovelace',
    'Up to 5MB for each file, at most 1,000 files.',
    'data-max-file-size="5242880"',
    `href="/feedback?request=${code}"`,
    'Sending files needs JavaScript.',
  ]) {
    expect(html).toContain(text)
  }
  expect(html).not.toContain(owner.email)
})

it('shows the brand of its owner', async () => {
  const person = await makePerson(app, { tier: 'premium' })
  await saveBrand(person, { name: 'Harbour & Pine', accent: '#ffd400', message: 'Thank you' })
  const { code } = await makeRequest(person)
  const { html } = await openPage(code)
  expect(html).toContain('<b dir="auto">Harbour &amp; Pine</b>')
  expect(html).toContain('--accent:')
})

it('reveals nothing about a request with a password', async () => {
  const { code } = await makeRequest(owner, { title: 'Secret plans', password: 'sesame' })
  const { response, html } = await openPage(code)
  expect(response.status).toBe(200)
  expect(html).toContain('Protected request')
  expect(html).not.toMatch(/Secret plans|Ada Lovelace/)
})

it('says so when the request can’t take more files', async () => {
  const { code } = await makeRequest(owner, { maxLinks: 1 })
  await sendDelivery(app, code)
  const { html } = await openPage(code)
  expect(html).toContain('can’t receive more files right now')
  expect(html).toContain('data-max-files="0"')
  // The delivery that is on its way can still be resumed.
  expect(html).toContain('send-files')
})

it('is the same page for closed and unknown requests', async () => {
  const { id, code } = await makeRequest(owner)
  await closeRequest(owner, id)
  const closed = await openPage(code)
  expect(closed.response.status).toBe(404)
  expect(closed.html).toContain('This request is closed')
  // What has begun can still be resumed.
  expect(closed.html).toContain('send-files')
  expect((await openPage('abcdefghjk')).html).toBe(closed.html)
})
