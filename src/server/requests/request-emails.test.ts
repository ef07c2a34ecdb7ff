import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  changeRequest,
  closeRequest,
  listReceived,
  makeRequest,
  sendDelivery,
} from '../../../tests/support/file-requests.ts'
import { contentsOf } from '../../../tests/support/link-requests.ts'
import { makePerson, type Person } from '../../../tests/support/make.ts'
import { startSmtpServer } from '../../../tests/support/smtp-server.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { dayInMs, hourInMs, minuteInMs } from '../../shared/rules/format/units.ts'
import { sentEmails as sentEmailRows, users } from '../db/schema.ts'
import { createSmtpMailer } from '../email/smtp.ts'
import { queueRequestReminders } from './request-emails.ts'

let app: TestApp
let owner: Person
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())
beforeEach(async () => {
  owner = await makeRecipient()
})

async function makeRecipient(fields: { emailVerified?: boolean } = {}) {
  const person = await makePerson(app, { tier: 'premium' })
  const changes = { emailVerified: true, ...fields }
  await app.deps.db.update(users).set(changes).where(eq(users.id, person.id))
  return person
}

async function sentEmails(person: Person = owner) {
  const emails = await app.sendQueuedEmails()
  return emails.filter(({ to }) => to.address === person.email).map(({ content }) => content)
}

async function turnOff(person: Person) {
  await person.fetch('/api/preferences', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: '{"mailOnDelivery":false}',
  })
}

describe('the email about deliveries', () => {
  it('reports those of five minutes together, with their senders', async () => {
    const { code } = await makeRequest(owner, { title: 'Holiday photos' })
    await sendDelivery(app, code, { senderName: 'Grace' })
    app.clock.advance(4 * minuteInMs)
    await sendDelivery(app, code, {}, contentsOf(1000))
    expect(await sentEmails()).toEqual([])
    app.clock.advance(minuteInMs)
    const [email, ...others] = await sentEmails()
    expect(others).toEqual([])
    expect(email?.subject).toBe('Your request received 2 deliveries')
    expect(email?.text).toContain('your request “Holiday photos” received 2 deliveries.')
    expect(email?.text).toContain('Grace 2 files, 300 B')
    expect(email?.text).toContain('No name 1 file, 1000 B')
    expect(email?.text).toContain(`${app.url}/?tab=requests`)
    await sendDelivery(app, code, { senderName: 'Linus' })
    app.clock.advance(5 * minuteInMs)
    const [nextEmail] = await sentEmails()
    expect(nextEmail?.subject).toBe('Your request received files')
    expect(nextEmail?.text).not.toContain('Grace')
  })

  it('is sent once if parallel deliveries arrive', async () => {
    const { code } = await makeRequest(owner)
    await Promise.all([1, 2, 3, 4].map(() => sendDelivery(app, code, {}, contentsOf(10))))
    app.clock.advance(5 * minuteInMs)
    const emails = await sentEmails()
    expect(emails.map(({ subject }) => subject)).toEqual(['Your request received 4 deliveries'])
  })

  it('is not sent if the owner turned it off, or has deleted the delivery', async () => {
    const request = await makeRequest(owner)
    await sendDelivery(app, request.code)
    const [link] = await listReceived(owner, request)
    await owner.fetch(`/api/links/${link?.shortCode}`, { method: 'DELETE' })
    app.clock.advance(5 * minuteInMs)
    expect(await sentEmails()).toEqual([])
    await sendDelivery(app, request.code)
    await turnOff(owner)
    app.clock.advance(5 * minuteInMs)
    expect(await sentEmails()).toEqual([])
  })

  it('names nobody if the address is unverified, because it may be that of a stranger', async () => {
    const stranger = await makeRecipient({ emailVerified: false })
    const { code } = await makeRequest(stranger, { title: 'Pay at evil.example' })
    await sendDelivery(app, code, { senderName: 'Your bank' })
    app.clock.advance(5 * minuteInMs)
    const [email] = await sentEmails(stranger)
    expect(email?.subject).toBe('Your request received files')
    expect(`${email?.text} ${email?.html}`).not.toMatch(/evil|bank|Ada/)
  })

  it('is sent at most 24 times a day, however much arrives', async () => {
    const { code } = await makeRequest(owner)
    const sentAt = app.clock()
    const rows = Array.from({ length: 23 }, () => ({
      id: randomUUID(),
      email: owner.email,
      sentAt,
    }))
    await app.deps.db
      .insert(sentEmailRows)
      .values(rows.map((row) => ({ ...row, kind: 'deliveries' as const })))
    const counts = []
    for (const _ of [1, 2]) {
      await sendDelivery(app, code, {}, contentsOf(1))
      app.clock.advance(5 * minuteInMs)
      counts.push((await sentEmails()).length)
    }
    expect(counts).toEqual([1, 0])
  })
})

it('emails about requests keep any text through SMTP', async () => {
  const server = await startSmtpServer()
  const mailer = createSmtpMailer({ url: server.url, from: app.deps.config.mailFrom })
  const title = 'Größe <b>&amp;</b> – تقرير 📷'
  const senderName = `Grace "<${'x'.repeat(78)}@example.org>"`
  const { code } = await makeRequest(owner, { title })
  await sendDelivery(app, code, { senderName })
  await makeRequest(owner, { title, openDays: 2 })
  app.clock.advance(dayInMs)
  await queueRequestReminders(app.deps)
  for (const email of await app.sendQueuedEmails()) await mailer.send(email)
  mailer.close()
  await server.close()
  expect(server.received.map(({ subject }) => subject)).toEqual([
    'Your request received files',
    'Your request closes within a day',
  ])
  expect(server.attemptedRecipients).toEqual([owner.email, owner.email])
  for (const { text } of server.received) expect(text).toContain(`your request “${title}”`)
  expect(server.received[0]?.text).toContain(`${senderName} 2 files, 300 B`)
})

describe('the reminder', () => {
  const reminders = async () => {
    await queueRequestReminders(app.deps)
    return sentEmails()
  }

  it('comes once, a day before a request closes that has received nothing', async () => {
    const request = await makeRequest(owner, { title: 'Tax papers', openDays: 2 })
    app.clock.advance(dayInMs - 1)
    expect(await reminders()).toEqual([])
    app.clock.advance(1)
    const [email, ...others] = await reminders()
    expect(others).toEqual([])
    expect(email?.subject).toBe('Your request closes within a day')
    expect(email?.text).toContain('your request “Tax papers” closes on')
    app.clock.advance(hourInMs)
    expect(await reminders()).toEqual([])
    await changeRequest(owner, request.id, { openDays: 3 })
    app.clock.advance(2 * dayInMs)
    expect(await reminders()).toHaveLength(1)
  })

  it('does not come if something arrived, or for a request of one day', async () => {
    const received = await makeRequest(owner, { openDays: 2 })
    await sendDelivery(app, received.code)
    const closed = await makeRequest(owner, { openDays: 2 })
    await closeRequest(owner, closed.id)
    app.clock.advance(5 * minuteInMs)
    await sentEmails()
    await makeRequest(owner, { openDays: 1 })
    app.clock.advance(dayInMs - 10 * minuteInMs)
    expect(await reminders()).toEqual([])
    app.clock.advance(10 * minuteInMs)
    expect(await reminders()).toEqual([])
  })

  it('is written only if it is still true', async () => {
    const requests = []
    for (const _ of [1, 2, 3]) requests.push(await makeRequest(owner, { openDays: 2 }))
    app.clock.advance(dayInMs)
    await queueRequestReminders(app.deps)
    const [extended, closed, received] = requests
    await changeRequest(owner, extended?.id ?? '', { openDays: 5 })
    await closeRequest(owner, closed?.id ?? '')
    await sendDelivery(app, received?.code ?? '')
    expect(await sentEmails()).toEqual([])
  })
})
