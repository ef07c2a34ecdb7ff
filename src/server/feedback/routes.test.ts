import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parsePage, textOf } from '../../../tests/support/html.ts'
import {
  type Client,
  json,
  makeClient,
  makePerson,
  type Person,
} from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { type Feedback, maxFeedbackLengths } from '../../shared/contract/feedback.ts'
import { feedbackRetentionMs } from '../../shared/rules/files/retention.ts'
import { auditLog, feedback } from '../db/schema.ts'
import { removeOldFeedback } from './queries.ts'

let app: TestApp
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
  admin = await makePerson(app, { role: 'admin' })
})
beforeEach(async () => {
  await app.deps.db.delete(feedback)
  await app.sendQueuedEmails()
})
afterAll(() => app.close())

const form = { name: 'Ada', email: 'ada@example.org', category: 'bug', message: 'It rattles.' }

function sendFeedback(changes: object = {}) {
  return makeClient(app).post('/api/feedback', { ...form, ...changes })
}

async function listFeedback(query = ''): Promise<Feedback[]> {
  return json(await admin.fetch(`/api/admin/feedback${query}`))
}

describe('POST /api/feedback', () => {
  it('stores the feedback and emails it to support, with a reply address', async () => {
    const response = await sendFeedback({ message: ' It rattles.\r\nAlways. ' })
    expect(response.status).toBe(200)
    expect(await json(response)).toEqual({ message: 'Thank you for your feedback.' })
    expect(await listFeedback()).toEqual([
      {
        ...form,
        message: 'It rattles.\nAlways.',
        id: expect.any(String),
        createdAt: app.clock().toISOString(),
        isSuspect: false,
      },
    ])
    const [sentEmail] = await app.sendQueuedEmails()
    expect(sentEmail).toMatchObject({
      to: { address: app.deps.config.supportEmail },
      replyTo: { name: 'Ada', address: 'ada@example.org' },
      content: { subject: 'Bug Report from Ada' },
    })
    expect(sentEmail?.content.text).toContain('It rattles.\n\nAlways.')
    expect(sentEmail?.content.text).toContain('Sent by Ada, ada@example.org')
  })

  it.each([undefined, ''])('accepts no category: %j', async (category) => {
    expect((await sendFeedback({ category })).status).toBe(200)
    expect(await listFeedback()).toMatchObject([{ category: null }])
    expect((await app.sendQueuedEmails())[0]?.content.subject).toBe('Feedback from Ada')
  })

  it('escapes the input in the email, and sets no reply address if it is invalid', async () => {
    await sendFeedback({ name: '<b>Ada</b>', email: 'ada@', message: '<script>alert(1)</script>' })
    const [sentEmail] = await app.sendQueuedEmails()
    expect(sentEmail?.replyTo).toBeUndefined()
    expect(sentEmail?.content.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(sentEmail?.content.html).not.toContain('<b>Ada')
  })

  it('stores probable bot messages as suspect, without an email', async () => {
    expect((await sendFeedback({ website: 'https://example.net' })).status).toBe(200)
    expect(await listFeedback()).toMatchObject([{ isSuspect: true }])
    expect(await app.sendQueuedEmails()).toEqual([])
  })

  it.each([
    { name: ' ' },
    { name: undefined },
    { name: 'x'.repeat(101) },
    { name: 'Ada\r\nBcc: eve@example.net' },
    { name: 'Ada\u202e' },
    { name: '\u2800' },
    { email: '' },
    { email: 'ada' },
    { email: `${'x'.repeat(250)}@x.org` },
    { email: 'ada@example.org\nBcc: eve@example.net' },
    { category: 'praise' },
    { category: null },
    { message: '\n' },
    { message: '\u2800\u202e\u001b' },
    { message: 'x'.repeat(5001) },
    { message: 'a\0b' },
    { message: '\ud800' },
    { message: ['x'] },
    { website: 1 },
  ])('rejects %j and stores nothing', async (changes) => {
    expect((await sendFeedback(changes)).status).toBe(400)
    expect(await listFeedback()).toEqual([])
    expect(await app.sendQueuedEmails()).toEqual([])
  })
})

describe('a message of the maximum length', () => {
  const longestMessage = `One\n\n${'x'.repeat(maxFeedbackLengths.message - 5)}`
  const sendByForm = (message: string) =>
    makeClient(app).fetch('/api/feedback/form', {
      method: 'POST',
      body: new URLSearchParams({ ...form, message }),
    })

  it.each([
    ['JSON', '\n', sendFeedback],
    ['JSON', '\r\n', sendFeedback],
    ['a form', '\r\n', ({ message }: { message: string }) => sendByForm(message)],
  ] as const)('is accepted as %s, with lines ending in %j', async (_, lineEnd, sendMessage) => {
    expect(longestMessage).toHaveLength(maxFeedbackLengths.message)
    const message = longestMessage.replaceAll('\n', lineEnd)
    expect((await sendMessage({ message })).status).toBe(200)
    expect((await listFeedback())[0]?.message).toBe(longestMessage)
    expect((await sendMessage({ message: `${message}!` })).status).toBe(400)
    expect(await listFeedback()).toHaveLength(1)
  })

  it('plus one character is rejected as too long rather than missing', async () => {
    const rejectedResponse = await sendByForm(`${longestMessage}!`)
    const pageText = textOf(parsePage(await rejectedResponse.text()).findOne('main'))
    expect(pageText).toContain('The message is too long. Please use at most 5,000 characters.')
    expect(pageText).not.toContain('required')
  })
})

describe('POST /api/feedback/form', () => {
  const sendForm = (fields: Record<string, string>, headers = {}, targetApp = app) =>
    makeClient(targetApp).fetch('/api/feedback/form', {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers,
    })
  const readMainText = async (response: Response) =>
    textOf(parsePage(await response.text()).findOne('main'))

  it('stores and emails a form sent without JavaScript, and responds with a page', async () => {
    const response = await sendForm({ ...form, message: 'It rattles.\r\nAlways & everywhere.' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('text/html')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await readMainText(response)).toContain('Feedback sent successfully!')
    expect(await listFeedback()).toMatchObject([
      { ...form, message: 'It rattles.\nAlways & everywhere.' },
    ])
    expect((await app.sendQueuedEmails())[0]?.content.subject).toBe('Bug Report from Ada')
  })

  it('accepts an empty category, and marks bot messages as suspect', async () => {
    expect((await sendForm({ ...form, category: '', website: '' })).status).toBe(200)
    expect((await sendForm({ ...form, website: 'https://example.net' })).status).toBe(200)
    expect((await listFeedback()).map(({ isSuspect }) => isSuspect).toSorted()).toEqual([
      false,
      true,
    ])
    expect(await app.sendQueuedEmails()).toHaveLength(1)
  })

  it.each([{}, { ...form, name: ' ' }, { ...form, email: 'ada' }, { ...form, category: 'praise' }])(
    'rejects %j with an error page, and stores nothing',
    async (fields) => {
      const rejectedResponse = await sendForm(fields)
      expect(rejectedResponse.status).toBe(400)
      const pageText = await readMainText(rejectedResponse)
      expect(pageText).toContain('Failed to send feedback')
      expect(pageText).toContain('Please fill in all required fields')
      expect(await listFeedback()).toEqual([])
    },
  )

  it('rejects forms from other sites, and bodies that are too long', async () => {
    expect((await sendForm(form, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await sendForm({ ...form, message: 'x'.repeat(70_000) })).status).toBe(413)
    expect(await listFeedback()).toEqual([])
  })

  it('shares its rate limit with the JSON endpoint, and shows how long to wait', async () => {
    const limitedApp = await startTestApp({ env: { RATE_LIMITS: 'on' } })
    try {
      for (let index = 0; index < 10; index += 1)
        await makeClient(limitedApp).post('/api/feedback', form)
      const rejectedResponse = await sendForm(form, {}, limitedApp)
      expect(rejectedResponse.status).toBe(429)
      expect(Number(rejectedResponse.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await readMainText(rejectedResponse)).toContain(
        'Too many attempts. Please wait 60 minutes',
      )
    } finally {
      await limitedApp.close()
    }
  })
})

it('accepts ten messages an hour from one IP address', async () => {
  const limitedApp = await startTestApp({ env: { RATE_LIMITS: 'on' } })
  try {
    const post = () => makeClient(limitedApp).post('/api/feedback', form)
    const responses = await Promise.all(Array.from({ length: 11 }, post))
    const rejectedResponses = responses.filter(({ status }) => status === 429)
    expect(rejectedResponses).toHaveLength(1)
    expect(Number(rejectedResponses[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await limitedApp.deps.db.select().from(feedback)).toHaveLength(10)
    limitedApp.clock.advance(60 * 60_000)
    expect((await post()).status).toBe(200)
  } finally {
    await limitedApp.close()
  }
})

describe('DELETE /api/admin/feedback/{id}', () => {
  const deleteFeedback = (id: string, client: Client = admin) =>
    client.fetch(`/api/admin/feedback/${id}`, { method: 'DELETE' })

  it('deletes a message exactly once, and leaves none of its content in the audit log', async () => {
    await sendFeedback({ name: 'Bob' })
    await sendFeedback()
    await app.sendQueuedEmails()
    const [{ id } = { id: '' }] = (await listFeedback()).filter(({ name }) => name === 'Ada')
    const responses = await Promise.all([1, 2, 3].map(() => deleteFeedback(id)))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 404, 404])
    expect((await listFeedback()).map(({ name }) => name)).toEqual(['Bob'])
    const lines = (await app.deps.db.select().from(auditLog)).filter(
      ({ action }) => action === 'delete-feedback',
    )
    const createdAt = app.clock().toISOString()
    expect(lines).toMatchObject([
      { actor: admin.id, subject: null, details: { feedbackId: id, createdAt, isSuspect: false } },
    ])
    expect(JSON.stringify(lines)).not.toMatch(/Ada|ada@|rattles/)
  })

  it('cancels the queued email', async () => {
    await sendFeedback()
    await deleteFeedback((await listFeedback())[0]?.id ?? '')
    expect(await app.sendQueuedEmails()).toEqual([])
  })

  it.each([randomUUID(), 'x', "'", '%00'])('returns 404 for the id %s', async (id) => {
    const response = await deleteFeedback(id)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: 'FEEDBACK_NOT_FOUND' })
  })

  it('rejects everyone but the administrator', async () => {
    await sendFeedback()
    const [{ id } = { id: '' }] = await listFeedback()
    expect((await deleteFeedback(id, makeClient(app))).status).toBe(401)
    expect((await deleteFeedback(id, await makePerson(app, { tier: 'premium' }))).status).toBe(403)
    expect(await listFeedback()).toHaveLength(1)
  })
})

it('feedback is deleted after a year', async () => {
  await sendFeedback()
  const timeAfter = (ms: number) => new Date(app.clock().getTime() + ms)
  expect(await removeOldFeedback(app.deps.db, timeAfter(feedbackRetentionMs))).toBe(0)
  expect(await removeOldFeedback(app.deps.db, timeAfter(feedbackRetentionMs + 1))).toBe(1)
  expect(await listFeedback()).toEqual([])
})

describe('GET /api/admin/feedback', () => {
  it('lists all feedback, newest first, page by page', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await sendFeedback({ name })
      // Two of the messages arrive in the same millisecond.
      if (name !== 'b') app.clock.advance(1)
    }
    const names: string[] = []
    let nextCursor: string | null = ''
    while (nextCursor !== null) {
      const pageResponse = await admin.fetch(
        `/api/admin/feedback?limit=2${nextCursor === '' ? '' : `&cursor=${nextCursor}`}`,
      )
      names.push(...(await json<Feedback[]>(pageResponse)).map(({ name }) => name))
      nextCursor = pageResponse.headers.get('x-next-cursor')
    }
    expect([...names].sort()).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(names.slice(0, 2)).toEqual(['e', 'd'])
    expect(names[4]).toBe('a')
  })

  it.each(['?limit=0', '?limit=101', '?limit=x', '?cursor=x', '?cursor=W10', '?cursor='])(
    'rejects %s',
    async (query) => {
      expect((await admin.fetch(`/api/admin/feedback${query}`)).status).toBe(400)
    },
  )

  it('rejects everyone but the administrator', async () => {
    expect((await makeClient(app).fetch('/api/admin/feedback')).status).toBe(401)
    const user = await makePerson(app, { tier: 'premium' })
    expect((await user.fetch('/api/admin/feedback')).status).toBe(403)
  })
})
