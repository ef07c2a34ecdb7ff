import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  changeRequest,
  closeRequest,
  listReceived,
  listRequests,
  makeRequest,
  requestDelivery,
  requestRequest,
  sendDelivery,
  startDelivery,
} from '../../../tests/support/file-requests.ts'
import { json, makeClient, makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { expectError } from '../../../tests/support/upload-requests.ts'
import { dayInMs, hourInMs } from '../../shared/rules/format/units.ts'

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

const readDetails = (code: string) => makeClient(app).fetch(`/api/requests/${code}`)

describe('a request', () => {
  it('shows its owner what was chosen, and senders what they need', async () => {
    const request = await makeRequest(owner, {
      title: ' Tax papers ',
      message: 'All of 2024',
      openDays: 30,
      maxLinks: 3,
      maxFileSize: 5_000_000,
      password: 'sesame',
    })
    const { id, code } = request
    const now = app.clock()
    const closesAt = new Date(now.getTime() + 30 * dayInMs).toISOString()
    expect(request).toEqual({
      id,
      code,
      url: `${app.url}/r/${code}`,
      title: 'Tax papers',
      message: 'All of 2024',
      hasPassword: true,
      maxLinks: 3,
      maxFileSize: 5_000_000,
      createdAt: now.toISOString(),
      closesAt,
      closedAt: null,
      state: 'open',
      receivedCount: 0,
    })
    expect((await listRequests(owner))[0]).toEqual(request)
    await changeRequest(owner, id, { password: null })
    expect(await json(await readDetails(code))).toEqual({
      requester: 'Ada Lovelace',
      title: 'Tax papers',
      message: 'All of 2024',
      closesAt,
      maxFileSize: 5_000_000,
      maxFiles: 1000,
      branding: null,
    })
  })

  it('can be changed until it closes', async () => {
    const { id, code } = await makeRequest(owner, { message: 'Please' })
    app.clock.advance(dayInMs)
    const changes = { title: 'Other', message: null, openDays: 1, maxLinks: 2, maxFileSize: 10 }
    const changed = await json(await changeRequest(owner, id, changes))
    expect(changed).toMatchObject({
      title: 'Other',
      message: null,
      maxLinks: 2,
      maxFileSize: 10,
      closesAt: new Date(app.clock().getTime() + dayInMs).toISOString(),
    })
    app.clock.advance(dayInMs)
    await expectError(await changeRequest(owner, id, { title: 'Late' }), 409, 'REQUEST_CLOSED')
    await expectError(await readDetails(code), 404, 'REQUEST_NOT_FOUND')
  })

  it('is closed once and for all, with its deliveries kept', async () => {
    const request = await makeRequest(owner)
    await sendDelivery(app, request.code)
    for (const _ of [1, 2]) expect((await closeRequest(owner, request.id)).status).toBe(200)
    const [listed] = await listRequests(owner)
    expect(listed).toMatchObject({ id: request.id, state: 'closed', receivedCount: 1 })
    expect(listed?.closedAt).toBe(app.clock().toISOString())
    await expectError(
      await changeRequest(owner, request.id, { openDays: 3 }),
      409,
      'REQUEST_CLOSED',
    )
    expect(await listReceived(owner, request)).toHaveLength(1)
  })

  it('answers the same whether it is closed, over, unknown or turned off', async () => {
    const closedRequest = await makeRequest(owner)
    await closeRequest(owner, closedRequest.id)
    const overRequest = await makeRequest(owner, { openDays: 1 })
    app.clock.advance(dayInMs)
    const answers = new Set<string>()
    for (const code of [closedRequest.code, overRequest.code, 'abcdefghij', 'x', '../..'])
      for (const response of [
        await readDetails(encodeURIComponent(code)),
        await requestDelivery(makeClient(app), encodeURIComponent(code)),
        await makeClient(app).post(`/api/requests/${encodeURIComponent(code)}/unlock`, {
          password: 'x',
        }),
      ])
        answers.add(`${response.status} ${await response.text()}`)
    expect([...answers]).toEqual([
      '404 {"message":"Request not found or closed","code":"REQUEST_NOT_FOUND"}',
    ])
  })

  it.each([
    { title: ' ' },
    { title: 'Two\nlines' },
    { title: 'left \u202e right' },
    { title: 'x'.repeat(201) },
    { title: undefined },
    { message: '\0' },
    { openDays: 0 },
    { openDays: 31 },
    { openDays: 1.5 },
    { openDays: undefined },
    { maxLinks: 0 },
    { maxFileSize: 0 },
    { maxFileSize: 2 ** 60 },
    { password: '' },
  ])('is refused with %j', async (changes) => {
    await expectError(await requestRequest(owner, changes), 400, 'INVALID_INPUT')
  })

  it('is listed page by page, newest first', async () => {
    const lister = await makePerson(app, { tier: 'premium' })
    const ids: string[] = []
    for (let count = 0; count < 5; count += 1) {
      if (count % 2 === 0) app.clock.advance(1000)
      ids.push((await makeRequest(lister)).id)
    }
    const listedIds: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor && `&cursor=${cursor}`
      const response = await lister.fetch(`/api/requests?limit=2${query}`)
      listedIds.push(...(await json<{ id: string }[]>(response)).map(({ id }) => id))
      cursor = response.headers.get('x-next-cursor')
    }
    expect(listedIds.toSorted()).toEqual(ids.toSorted())
    expect(listedIds.slice(0, 1)).toEqual(ids.slice(4))
    expect((await lister.fetch('/api/requests?cursor=x')).status).toBe(400)
  })
})

describe('creating requests', () => {
  it('is limited to 60 an hour, because every code is kept forever', async () => {
    const limitedApp = await startTestApp({ env: { RATE_LIMITS: 'on' } })
    const person = await makePerson(limitedApp, { tier: 'premium' })
    for (let count = 0; count < 60; count += 1) await makeRequest(person)
    await expectError(await requestRequest(person), 429, 'TOO_MANY_REQUESTS')
    limitedApp.clock.advance(hourInMs)
    await makeRequest(person)
    await limitedApp.close()
  })
})

describe('the free tier', () => {
  it('has one open request, also when two are created at once', async () => {
    const person = await makePerson(app)
    const responses = await Promise.all([1, 2, 3].map(() => requestRequest(person)))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 403, 403])
    const [request] = await listRequests(person)
    await closeRequest(person, request?.id ?? '')
    const secondRequest = await makeRequest(person, { openDays: 1 })
    await changeRequest(person, secondRequest.id, { openDays: 2 })
    app.clock.advance(2 * dayInMs)
    await makeRequest(person)
    await expectError(await requestRequest(person), 403, 'TIER_REQUEST_COUNT')
  })

  it('keeps what was opened with Premium until it closes', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const [first] = [await makeRequest(person), await makeRequest(person)]
    await person.post('/api/auth/toggle-premium')
    await sendDelivery(app, first?.code ?? '')
    const response = await changeRequest(person, first?.id ?? '', { openDays: 30 })
    await expectError(response, 403, 'TIER_REQUEST_COUNT')
    expect((await changeRequest(person, first?.id ?? '', { title: 'New' })).status).toBe(200)
  })
})

describe('a request with a password', () => {
  it('shows and takes nothing before it is unlocked', async () => {
    const { code } = await makeRequest(owner, { title: 'Secret', password: 'sesame' })
    const locked = await json<object>(await readDetails(code))
    expect(locked).toMatchObject({ needsPassword: true })
    expect(JSON.stringify(locked)).not.toContain('Secret')
    await expectError(await requestDelivery(makeClient(app), code), 401, 'LINK_LOCKED')
    const unlock = (password: string) =>
      makeClient(app).post(`/api/requests/${code}/unlock`, { password })
    await expectError(await unlock('wrong'), 401, 'WRONG_PASSWORD')
    const response = await unlock('sesame')
    expect(response.status).toBe(204)
    const [cookie = ''] = response.headers.getSetCookie()
    expect(cookie).toContain('HttpOnly')
    const visitor = makeClient(app, cookie.split(';', 1)[0])
    expect(await json(await visitor.fetch(`/api/requests/${code}`))).toMatchObject({
      title: 'Secret',
    })
    await startDelivery(visitor, code)
  })
})

describe('the administrator', () => {
  it("lists everybody's requests and closes one", async () => {
    const administrator = await makePerson(app, { role: 'admin' })
    app.clock.advance(1000)
    const request = await makeRequest(owner, { title: 'Your bank password' })
    const [listed] = await json<object[]>(await administrator.fetch('/api/admin/requests?limit=1'))
    expect(listed).toMatchObject({ ...request, owner: owner.email })
    for (const _ of [1, 2]) {
      const response = await administrator.post(`/api/admin/requests/${request.id}/close`)
      expect(response.status).toBe(200)
    }
    await expectError(await readDetails(request.code), 404, 'REQUEST_NOT_FOUND')
    const [entry] = await json<object[]>(
      await administrator.fetch('/api/admin/audit?action=close-request'),
    )
    expect(entry).toMatchObject({ details: { code: request.code, title: 'Your bank password' } })
    for (const id of [randomUUID(), 'x']) {
      const response = await administrator.post(`/api/admin/requests/${id}/close`)
      await expectError(response, 404, 'REQUEST_NOT_FOUND')
    }
  })

  it('turns requests off, for everybody or the free tier', async () => {
    const administrator = await makePerson(app, { role: 'admin' })
    const person = await makePerson(app)
    const [freeRequest, premiumRequest] = [await makeRequest(person), await makeRequest(owner)]
    const set = async (value: string) => {
      await administrator.post('/api/admin/settings', { key: 'requests', value })
      const features = await json(await makeClient(app).fetch('/api/settings/features'))
      expect(features).toEqual({ requests: value, sendByEmail: 'on' })
    }
    await set('premium')
    await expectError(await requestRequest(person), 403, 'TIER_REQUESTS')
    await expectError(await readDetails(freeRequest.code), 404, 'REQUEST_NOT_FOUND')
    await startDelivery(makeClient(app), premiumRequest.code)
    await set('off')
    await expectError(await requestRequest(owner), 403, 'REQUESTS_OFF')
    const response = await requestDelivery(makeClient(app), premiumRequest.code)
    await expectError(response, 404, 'REQUEST_NOT_FOUND')
    await set('on')
    await startDelivery(makeClient(app), freeRequest.code)
  })
})
