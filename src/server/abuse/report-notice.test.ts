import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type Client,
  json,
  makeClient,
  makeFile,
  makePerson,
  type Person,
} from '../../../tests/support/make.ts'
import { listReports, reportLink } from '../../../tests/support/takedowns.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { CheckResult } from '../../shared/contract/checks.ts'
import { timestampText } from '../../shared/rules/format/timestamp-text.ts'
import { reports } from '../db/schema.ts'

/**
 * Tests how support learns of a reported file: by email, and from the report check in the Admin
 * Center.
 */

const day = 24 * 60 * 60_000

let app: TestApp
let admin: Person
let owner: Person
let visitor: Client
beforeAll(async () => {
  app = await startTestApp()
  admin = await makePerson(app, { role: 'admin' })
  visitor = makeClient(app)
})
beforeEach(async () => {
  owner = await makePerson(app, { tier: 'premium' })
  await app.sendQueuedEmails()
  await app.deps.db.delete(reports)
})
afterAll(() => app.close())

async function dismissLatest(): Promise<void> {
  const [latestReport] = await listReports(admin)
  expect((await admin.post(`/api/admin/reports/${latestReport?.id}/dismiss`)).status).toBe(200)
}

describe('support', () => {
  it('gets an email about a report with its text and instructions', async () => {
    const file = await makeFile(owner, { name: '<b>invoice</b>.pdf' })
    await reportLink(visitor, file.shortCode, {
      reason: 'It is a <trap>.\nTwo scanners say so.',
      email: 'ada@example.org',
    })
    const [email, ...otherEmails] = await app.sendQueuedEmails()
    expect(otherEmails).toEqual([])
    expect(email?.to.address).toBe(app.deps.config.supportEmail)
    expect(email?.content.subject).toBe('A file was reported')
    const { origin } = app.deps.config.appUrl
    for (const text of [
      `${origin}/s/${file.shortCode}. It was reported once.`,
      'It is a <trap>.\n\nTwo scanners say so.',
      'Sent by ada@example.org',
      `${origin}/admin`,
    ]) {
      expect(email?.content.text).toContain(text)
    }
    expect(email?.content.html).toContain('It is a &lt;trap&gt;.')
    expect(email?.content.html).not.toContain('<b>invoice')
  })

  it('gets one email per file and day, even for parallel reports', async () => {
    const [file, otherFile] = [await makeFile(owner), await makeFile(owner)]
    await Promise.all(
      Array.from({ length: 12 }, () =>
        reportLink(makeClient(app), file.shortCode, { reason: 'same' }),
      ),
    )
    await reportLink(visitor, otherFile.shortCode, { reason: 'another' })
    const emailTexts = (await app.sendQueuedEmails()).map(({ content }) => content.text)
    expect(emailTexts).toHaveLength(2)
    expect(emailTexts.filter((text) => text.includes('reported 12 times'))).toHaveLength(1)

    // Even after the report is dismissed, no second email is sent on the same day.
    app.clock.advance(1)
    await reportLink(visitor, file.shortCode)
    await dismissLatest()
    await reportLink(visitor, file.shortCode)
    expect(await app.sendQueuedEmails()).toEqual([])
    app.clock.advance(day)
    await reportLink(visitor, file.shortCode)
    expect(await app.sendQueuedEmails()).toHaveLength(1)
  })

  it('gets no email about suspected spam, but gets one about a later genuine report', async () => {
    const { shortCode } = await makeFile(owner)
    await reportLink(visitor, shortCode, { reason: 'Buy now', website: 'https://example.net' })
    expect(await app.sendQueuedEmails()).toEqual([])
    await reportLink(visitor, shortCode, { reason: 'It is a trap.' })
    await reportLink(visitor, shortCode, { reason: 'Buy now', website: 'https://example.net' })
    const [email] = await app.sendQueuedEmails()
    expect(email?.content.text).toContain('It is a trap.')
    expect(email?.content.text).not.toContain('Buy now')
  })

  it('gets no email about reports that were rejected or were closed before the email was sent', async () => {
    const { shortCode } = await makeFile(owner)
    await reportLink(visitor, shortCode)
    await dismissLatest()
    expect(await app.sendQueuedEmails()).toEqual([])
    expect((await reportLink(visitor, 'abcdefghij')).status).toBe(404)
    expect((await reportLink(visitor, shortCode, { reason: ' ' })).status).toBe(400)
    expect(await app.sendQueuedEmails()).toEqual([])
  })

  it('gets an email if and only if the report is stored', async () => {
    const { shortCode } = await makeFile(owner)
    const add = vi.spyOn(app.deps.mailQueue, 'add').mockRejectedValueOnce(new Error('no queue'))
    expect((await reportLink(visitor, shortCode)).status).toBe(500)
    add.mockRestore()
    expect(await listReports(admin)).toEqual([])
  })
})

describe('the report check', () => {
  const readCheckLine = async (): Promise<CheckResult | undefined> => {
    // Check results are cached for 5 seconds.
    app.clock.advance(5000)
    const lines = await json<CheckResult[]>(await admin.fetch('/api/admin/checks'))
    return lines.find(({ name }) => name === 'Reports')
  }

  it('counts open reports and warns after two days', async () => {
    expect(await readCheckLine()).toMatchObject({ status: 'ok', message: 'None is open.' })
    const firstReportedAt = app.clock()
    await reportLink(visitor, (await makeFile(owner)).shortCode)
    app.clock.advance(60_000)
    await reportLink(visitor, (await makeFile(owner)).shortCode)
    const afterTwoDays = new Date(firstReportedAt.getTime() + 2 * day)
    const message = `2 open, the oldest since ${timestampText(firstReportedAt, afterTwoDays)}.`
    app.clock.set(new Date(firstReportedAt.getTime() + 2 * day - 5001))
    expect(await readCheckLine()).toMatchObject({ status: 'ok', message, cure: '' })
    const warningLine = await readCheckLine()
    expect(warningLine).toMatchObject({ status: 'warning', message })
    expect(warningLine?.cure).toContain('take the file down, or dismiss the report')
    app.clock.set(firstReportedAt)
    await dismissLatest()
    await dismissLatest()
    expect(await readCheckLine()).toMatchObject({ status: 'ok', message: 'None is open.' })
  })
})
