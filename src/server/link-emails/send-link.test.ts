import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { requestUserDeletion } from '../../../tests/support/admin-requests.ts'
import { readError, saveBrand } from '../../../tests/support/brands.ts'
import {
  makeAddresses,
  makeSender,
  requestSending,
  sendLink,
} from '../../../tests/support/link-emails.ts'
import {
  changeLink,
  deleteLink,
  makeLink,
  newFile,
  readStarted,
  requestLink,
} from '../../../tests/support/link-requests.ts'
import {
  json,
  makeFile,
  makePerson,
  type Person,
  requestRenewal,
} from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { maxSentMessageLength } from '../../shared/contract/link-emails.ts'
import { linkEmailRetentionMs, maxRecipients } from '../../shared/rules/links/link-emails.ts'
import { linkEmails, links, settings, users } from '../db/schema.ts'
import { removeOldLinkEmails } from './queries.ts'

const hour = 60 * 60_000

let app: TestApp
let sender: Person
let code: string
let to: string
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  sender = await makeSender(app)
  code = (await makeFile(sender, { name: 'report.pdf' })).shortCode
  // A new address each time, because emails to one address are limited.
  to = `${randomUUID()}@example.org`
})
afterAll(() => app.close())

async function countStored(): Promise<number> {
  return app.deps.db.$count(linkEmails, eq(linkEmails.ownerId, sender.id))
}

describe('an email that sends a link', () => {
  it('says who sends what and until when, and replies go to the sender', async () => {
    const [email, ...others] = await sendLink(app, sender, code, [to], 'Hello,\n\nas promised.')
    expect(others).toEqual([])
    expect(email?.to).toEqual({ name: '', address: to })
    expect(email?.replyTo).toEqual({ name: 'Ada Lovelace', address: sender.email })
    expect(email?.content.subject).toBe('Ada Lovelace sent you a file')
    const { origin, host } = app.deps.config.appUrl
    for (const text of [
      `Ada Lovelace (${sender.email}) sent this with ${host}.`,
      '“report.pdf”, 1000 Bytes\n',
      ' and works until ',
      'Ada Lovelace writes:\n\n> Hello,\n>\n> as promised.\n\n',
      `Open the link: ${origin}/s/${code}`,
      `report it: ${origin}/s/${code}/report`,
      `Stop these emails: ${email?.unsubscribeUrl}`,
    ]) {
      expect(email?.content.text).toContain(text)
    }
  })

  it("is sent to each recipient alone, in the owner's brand", async () => {
    await saveBrand(sender, { name: 'Lovelace & Co', accent: '#e11d48', message: '' })
    const recipients = makeAddresses(3, `${randomUUID()}.example`)
    const emails = await sendLink(app, sender, code, recipients)
    expect(emails.map((email) => email.to.address)).toEqual(recipients)
    for (const { content, replyTo } of emails) {
      expect(content.subject).toBe('Lovelace & Co sent you a file')
      expect(replyTo).toEqual({ name: 'Lovelace & Co', address: sender.email })
      expect(content.html).toContain('background:#e11d48')
      expect(content.html).toMatch(/<img src="http:[^"]*\/api\/branding\/logo\/\w+" width="160"/)
      expect(content.text).toContain(`Ada Lovelace (${sender.email})`)
      for (const other of recipients.filter((address) => !content.text.includes(address)))
        expect(content.html).not.toContain(other)
    }
  })

  it('of a link with a password says that it needs one, and nothing of the content', async () => {
    const options = { title: 'Salaries', message: 'Secret message', password: 'hunter2' }
    const link = await makeLink(sender, options, undefined, ['salaries.pdf', 'list.pdf'])
    const [email] = await sendLink(app, sender, link.code, [to])
    expect(email?.content.subject).toBe('Ada Lovelace sent you a link')
    expect(email?.content.text).toContain('The link needs a password.')
    for (const secret of ['hunter2', 'alaries', 'list.pdf', 'Secret message'])
      expect(JSON.stringify(email)).not.toContain(secret)
  })

  it('names several files by their title or first name', async () => {
    const { code: titled } = await makeLink(sender, { title: 'Plans' })
    const [email] = await sendLink(app, sender, titled, [to])
    expect(email?.content.subject).toBe('Ada Lovelace sent you 2 files')
    expect(email?.content.text).toContain('“Plans”, 300 Bytes\n')
  })

  it('can be sent while the files are on their way', async () => {
    const { link } = await readStarted(await requestLink(sender, [newFile()]))
    const [email] = await sendLink(app, sender, link.shortCode, [to])
    expect(email?.content.subject).toBe('Ada Lovelace sent you files')
    expect(email?.content.text).toContain('still being uploaded')
    expect(email?.content.text).not.toContain('until')
  })

  it.each<[string, () => Promise<unknown>]>([
    ['the link was deleted', () => deleteLink(sender, code)],
    ['the link has no downloads left', () => endDownloads()],
    ['the account was deleted', () => app.deps.db.delete(linkEmails)],
    ['the administrator turned such emails off', () => turnOff()],
  ])('is not sent if %s meanwhile', async (_, change) => {
    expect((await requestSending(sender, code, [to])).status).toBe(202)
    await change()
    expect(await app.sendQueuedEmails()).toEqual([])
    await app.deps.db.delete(settings)
    app.deps.settings.clearCache()
  })

  const endDownloads = () =>
    app.deps.db
      .update(links)
      .set({ maxDownloads: 1, downloadCount: 1 })
      .where(eq(links.shortCode, code))

  const turnOff = async () => {
    const updatedAt = app.clock()
    await app.deps.db.insert(settings).values({ key: 'send_by_email', value: 'off', updatedAt })
    app.deps.settings.clearCache()
  }

  it('leads to the new link if the link was renewed meanwhile', async () => {
    const file = await makeFile(sender)
    expect((await requestSending(sender, file.shortCode, [to])).status).toBe(202)
    const { shortCode } = await json<{ shortCode: string }>(await requestRenewal(sender, file.id))
    const [email] = await app.sendQueuedEmails()
    expect(email?.content.text).toContain(`/s/${shortCode}\n`)
    expect(await sendLink(app, sender, shortCode, [to])).toHaveLength(1)
  })
})

describe('POST /api/links/{code}/send', () => {
  it('sends one email to an address, however often it is repeated', async () => {
    const response = await requestSending(sender, code, [to, to.toUpperCase(), ` ${to} `])
    expect(response.status).toBe(202)
    expect(await json(response)).toEqual({ message: '1 email is on the way.' })
    const again = await requestSending(sender, code, [to])
    expect(await json(again)).toEqual({ message: 'This link was already sent to everybody.' })
    const requests = Array.from({ length: 5 }, () => requestSending(sender, code, [to]))
    for (const { status } of await Promise.all(requests)) expect(status).toBe(202)
    expect(await app.sendQueuedEmails()).toHaveLength(1)
    expect(await countStored()).toBe(1)
  })

  it.each<[string, unknown, unknown?]>([
    ['no addresses', []],
    ['21 addresses', makeAddresses(maxRecipients + 1)],
    ['text in place of a list', 'a@example.org'],
    ['something else than an address', ['a@example.org', 'example.org']],
    ['an address with a line break', ['a@example.org\nbcc: b@example.org']],
    ['a message that is too long', ['a@example.org'], 'x'.repeat(maxSentMessageLength + 1)],
    ['an invisible message', ['a@example.org'], '\u200b'],
  ])('refuses %s and sends nothing', async (_, addresses, message) => {
    const response = await requestSending(sender, code, addresses, message)
    expect((await readError(response)).code).toBe('INVALID_INPUT')
    expect(response.status).toBe(400)
    expect(await countStored()).toBe(0)
  })

  it('is for premium users with a verified address', async () => {
    const free = await makePerson(app, { emailVerified: true })
    const file = await makeFile(free)
    expect(await readError(await requestSending(free, file.shortCode, [to]))).toEqual({
      status: 403,
      code: 'TIER_SEND_BY_EMAIL',
      message: 'The free tier cannot send links by email. Upgrade to Premium for links by email.',
    })
    const changes = { emailVerified: false }
    await app.deps.db.update(users).set(changes).where(eq(users.id, sender.id))
    const response = await requestSending(sender, code, [to])
    expect(await readError(response)).toMatchObject({ status: 403, code: 'EMAIL_NOT_VERIFIED' })
  })

  it('is refused where the administrator turned it off', async () => {
    const admin = await makePerson(app, { role: 'admin' })
    const setTo = (value: string) =>
      admin.post('/api/admin/settings', { key: 'send_by_email', value })
    expect((await setTo('off')).status).toBe(200)
    const response = await requestSending(sender, code, [to])
    expect(await readError(response)).toMatchObject({ status: 403, code: 'SENDING_OFF' })
    expect((await setTo('on')).status).toBe(200)
    expect((await requestSending(sender, code, [to])).status).toBe(202)
  })

  it('needs an active link that others can open', async () => {
    await app.deps.db.update(links).set({ shared: false }).where(eq(links.shortCode, code))
    const response = await requestSending(sender, code, [to])
    expect(await readError(response)).toMatchObject({ status: 409, code: 'LINK_NOT_SHARED' })
    await app.deps.db.update(links).set({ shared: true }).where(eq(links.shortCode, code))
    expect((await changeLink(sender, code, { maxDownloads: 1 })).status).toBe(200)
    await app.deps.db.update(links).set({ downloadCount: 1 }).where(eq(links.shortCode, code))
    for (const inactive of [code, 'unknown']) {
      const { status, code: error } = await readError(await requestSending(sender, inactive, [to]))
      expect([status, error]).toEqual([404, 'LINK_NOT_FOUND'])
    }
    expect(await countStored()).toBe(0)
  })

  it('sends links to 100 people within a day, also in parallel and after a deletion', async () => {
    const batches = Array.from({ length: 6 }, () => makeAddresses(20, `${randomUUID()}.example`))
    const responses = await Promise.all(
      batches.map((addresses) => requestSending(sender, code, addresses)),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([202, 202, 202, 202, 202, 429])
    await deleteLink(sender, code)
    const other = await makeFile(sender)
    app.clock.advance(hour)
    const response = await requestSending(sender, other.shortCode, [to])
    expect(response.headers.get('retry-after')).toBe(String((23 * hour) / 1000))
    expect(await readError(response)).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' })
    expect(await countStored()).toBe(100)
    app.clock.advance(23 * hour)
    expect((await requestSending(sender, other.shortCode, [to])).status).toBe(202)
  })
})

describe('what is kept of the emails', () => {
  it('is removed after its period, and with the account', async () => {
    await sendLink(app, sender, code, [to], 'Hello')
    app.clock.advance(linkEmailRetentionMs - 1)
    await removeOldLinkEmails(app.deps.db, app.clock())
    expect(await countStored()).toBe(1)
    app.clock.advance(1)
    await removeOldLinkEmails(app.deps.db, app.clock())
    expect(await countStored()).toBe(0)

    const person = await makeSender(app)
    await sendLink(app, person, (await makeFile(person)).shortCode, [to])
    const admin = await makePerson(app, { role: 'admin' })
    const response = await requestUserDeletion(admin, person.id)
    const count = await app.deps.db.$count(linkEmails, eq(linkEmails.ownerId, person.id))
    expect([response.status, count]).toEqual([200, 0])
  })
})
