import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { attributeOf, parsePage, textOf } from '../../../tests/support/html.ts'
import {
  findOptOutPath,
  makeSender,
  requestSending,
  sendLink,
} from '../../../tests/support/link-emails.ts'
import { json, makeClient, makeFile, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { emailOptOuts } from '../db/schema.ts'

/** These tests submit the page's form the way a browser without JavaScript does. */

let app: TestApp
let sender: Person
let recipient: string
let path: string
beforeAll(async () => {
  app = await startTestApp()
  sender = await makeSender(app)
})
beforeEach(async () => {
  recipient = `${randomUUID()}@example.org`
  const { shortCode } = await makeFile(sender)
  const [email] = await sendLink(app, sender, shortCode, [recipient])
  path = findOptOutPath(email)
})
afterAll(() => app.close())

function submit(optOutPath: string, body: string | FormData, headers: Record<string, string> = {}) {
  return makeClient(app).fetch(optOutPath, { method: 'POST', headers, body })
}

const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' }

/** Sends another link to the recipient and somebody else. Returns who gets it. */
async function sendAgain(): Promise<string[]> {
  const { shortCode } = await makeFile(sender)
  const other = `${randomUUID()}@example.org`
  const emails = await sendLink(app, sender, shortCode, [recipient, other])
  return emails.map(({ to }) => (to.address === other ? 'other' : 'recipient'))
}

it('has one button, and opening it stops nothing', async () => {
  const response = await makeClient(app).fetch(path)
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('x-robots-tag')).toBe('noindex')
  expect(response.headers.get('content-security-policy')).not.toContain('unsafe-')
  const page = parsePage(await response.text())
  expect(textOf(page.findOne('h1'))).toBe('Stop links by email?')
  const form = page.findOne('form')
  expect([attributeOf(form, 'method'), attributeOf(form, 'action')]).toEqual(['post', undefined])
  expect(page.findAll('button').filter(isSubmit)).toHaveLength(1)
  expect(await sendAgain()).toEqual(['recipient', 'other'])
})

function isSubmit(button: Parameters<typeof attributeOf>[0]): boolean {
  return attributeOf(button, 'type') === 'submit'
}

it('stops the emails of everybody, and no sender learns of it', async () => {
  const response = await submit(path, '', { ...formHeaders, origin: app.url })
  expect(response.status).toBe(200)
  expect(textOf(parsePage(await response.text()).findOne('h1'))).toBe('Emails stopped')
  expect((await submit(path, '', formHeaders)).status).toBe(200)
  expect(await sendAgain()).toEqual(['other'])
  sender = await makeSender(app)
  const { shortCode } = await makeFile(sender)
  const answer = await json(await requestSending(sender, shortCode, [recipient.toUpperCase()]))
  expect(answer).toEqual({ message: '1 email is on the way.' })
  expect(await app.sendQueuedEmails()).toEqual([])
  const links = await json<{ undelivered: string[] }[]>(await sender.fetch('/api/links'))
  expect(links.flatMap(({ undelivered }) => undelivered)).toEqual([])
})

it('stops an email that is already queued', async () => {
  const { shortCode } = await makeFile(sender)
  expect((await requestSending(sender, shortCode, [recipient])).status).toBe(202)
  await submit(path, '', formHeaders)
  expect(await app.sendQueuedEmails()).toEqual([])
})

it.each<[string, () => ReturnType<typeof submit>]>([
  ['a form', () => submit(path, 'List-Unsubscribe=One-Click', formHeaders)],
  [
    'a form with parts',
    () => {
      const form = new FormData()
      form.set('List-Unsubscribe', 'One-Click')
      return submit(path, form)
    },
  ],
])('takes the one-click request of a mail program as %s', async (_, request) => {
  expect((await request()).status).toBe(200)
  expect(await sendAgain()).toEqual(['other'])
})

it('keeps no address, and refuses made-up tokens', async () => {
  await app.deps.db.delete(emailOptOuts)
  const wrongEnd = path.endsWith('0') ? '1' : '0'
  for (const token of [
    'x',
    `${path.slice(-87, -1)}${wrongEnd}`,
    `${'a'.repeat(43)}.${'b'.repeat(43)}`,
  ]) {
    for (const method of ['GET', 'POST']) {
      const response = await makeClient(app).fetch(`/opt-out/${token}`, { method })
      expect(response.status).toBe(404)
      expect(textOf(parsePage(await response.text()).findOne('h1'))).toBe('Invalid address')
    }
  }
  expect(await app.deps.db.$count(emailOptOuts)).toBe(0)
  await submit(path, '', formHeaders)
  const rows = await app.deps.db.select().from(emailOptOuts)
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain(recipient.split('@')[0])
})

it("can't be submitted by another site", async () => {
  const response = await submit(path, '', { ...formHeaders, origin: 'https://evil.example' })
  expect(response.status).toBe(403)
  expect(await sendAgain()).toEqual(['recipient', 'other'])
})
