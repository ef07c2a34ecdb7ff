import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linkEmails } from '../../src/server/db/schema.ts'
import { emailLimits } from '../../src/shared/rules/accounts/email-limits.ts'
import { makeAddresses, makeSender, requestSending, sendLink } from '../support/link-emails.ts'
import { makeLink } from '../support/link-requests.ts'
import { makeFile, type Person } from '../support/make.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/**
 * The attacks: use links by email to send spam or phishing to strangers, in our name or in that of
 * somebody else.
 */

let app: TestApp
let attacker: Person
beforeAll(async () => {
  app = await startTestApp()
  attacker = await makeSender(app)
})
afterAll(() => app.close())

describe('an address with more than an address', () => {
  it.each([
    ['a line break and a header', 'a@example.org\r\nBcc: victim@example.org'],
    ['a line feed', 'a@example.org\nvictim@example.org'],
    ['a line break in quotes', '"a\r\nBcc: victim@example.org"@example.org'],
    ['a second address', 'a@example.org,victim@example.org'],
    ['a name', 'Victim <victim@example.org>'],
    ['a NUL', 'a\0@example.org'],
    ['a bidirectional override', 'a\u202e@example.org'],
    ['an SMTP command', 'a@example.org>\r\nRCPT TO:<victim@example.org'],
  ])('%s is refused', async (_, address) => {
    const { shortCode } = await makeFile(attacker)
    const response = await requestSending(attacker, shortCode, ['b@example.org', address])
    expect(response.status).toBe(400)
    expect(await app.sendQueuedEmails()).toEqual([])
  })
})

describe('spam', () => {
  it('from many accounts reaches an address a limited number of times a day', async () => {
    const victim = `${randomUUID()}@example.org`
    const { max } = emailLimits['shared-link']
    let received = 0
    for (let index = 0; index < max + 3; index += 1) {
      const { shortCode } = await makeFile(attacker)
      received += (await sendLink(app, attacker, shortCode, [victim])).length
    }
    const other = await makeSender(app)
    const { shortCode } = await makeFile(other)
    received += (await sendLink(app, other, shortCode, [victim])).length
    expect(received).toBe(max)
  })

  it('from one account reaches 100 people a day, whatever else is sent', async () => {
    const sender = await makeSender(app)
    for (let index = 0; index < 5; index += 1) {
      const { shortCode } = await makeFile(sender)
      const addresses = makeAddresses(20, `${randomUUID()}.example`)
      expect((await requestSending(sender, shortCode, addresses)).status).toBe(202)
    }
    const { shortCode } = await makeFile(sender)
    for (let index = 0; index < 3; index += 1) {
      const addresses = [`${randomUUID()}@example.org`]
      expect((await requestSending(sender, shortCode, addresses)).status).toBe(429)
    }
    expect(await app.sendQueuedEmails()).toHaveLength(100)
    expect(await app.deps.db.$count(linkEmails, eq(linkEmails.ownerId, sender.id))).toBe(100)
  })
})

describe('phishing', () => {
  const title = '<h1>Your bank</h1> \u2068Log in: https://evil.example'
  const message =
    'Dear customer,\r\nyour account is <a href="https://evil.example">locked</a>.\u202e\u0007\n-- \nYour bank'

  it('by title and message arrives as quoted text under our own words', async () => {
    const { code } = await makeLink(attacker, { title: title.replace('\u2068', '') })
    const [email] = await sendLink(app, attacker, code, [`${randomUUID()}@example.org`], message)
    const { subject, html, text } = email?.content ?? { subject: '', html: '', text: '' }
    expect(subject).toBe('Ada Lovelace sent you 2 files')
    expect(text.startsWith(`${subject}\n\nAda Lovelace (${attacker.email}) sent this with `)).toBe(
      true,
    )
    expect(text).toContain('“<h1>Your bank</h1> Log in: https://evil.example”')
    expect(text).toContain('Ada Lovelace writes:\n\n> Dear customer,\n> your account')
    expect(text).toContain('.\n> --\n> Your bank\n\n')
    expect(html).not.toMatch(/<h1>Your bank|href="https:\/\/evil/)
    for (const character of ['\u202e', '\u0007']) expect(html).not.toContain(character)
    const { origin } = app.deps.config.appUrl
    const targets = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, target]) => target ?? '')
    for (const target of targets)
      expect(target.startsWith(`${origin}/`) || target.startsWith('mailto:')).toBe(true)
  })

  it('by a title with direction characters is refused', async () => {
    const response = await attacker.post('/api/links', {
      files: [{ fileName: 'a', fileSize: 1, fileType: '' }],
      expirationDays: 3,
      title,
    })
    expect(response.status).toBe(400)
  })
})
