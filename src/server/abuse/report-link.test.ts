import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { updateFiles } from '../../../tests/support/file-rows.ts'
import {
  type Client,
  json,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  sha256,
} from '../../../tests/support/make.ts'
import { listReports, reportLink, startTakedownSetup } from '../../../tests/support/takedowns.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { Report } from '../../shared/contract/abuse.ts'
import { maxReasonLength } from '../../shared/rules/links/report.ts'
import { auditLog, files, reports } from '../db/schema.ts'
import { computeDigests } from './compute-digests.ts'
import { deleteExpiredReports } from './report-queries.ts'

const day = 24 * 60 * 60_000

let app: TestApp
let admin: Person
let owner: Person
let visitor: Client
beforeAll(async () => {
  ;({ app, admin, owner, visitor } = await startTakedownSetup())
})
beforeEach(async () => {
  await app.deps.db.delete(reports)
})
afterAll(() => app.close())

function dismiss(client: Client, id: string) {
  return client.post(`/api/admin/reports/${id}/dismiss`)
}

describe('POST /api/links/{code}/report', () => {
  it('shows the administrator the text and the file', async () => {
    const file = await makeFile(owner, { name: 'invoice.pdf', type: 'application/pdf' })
    await computeDigests(app.deps)
    const response = await reportLink(visitor, file.shortCode, {
      reason: ' It came by mail.\r\nIt is a trap. ',
      email: ' ada@example.org ',
    })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ message: 'Thank you. The report has been sent.' })
    const now = app.clock().toISOString()
    expect(await listReports(admin)).toEqual([
      {
        id: expect.any(String),
        shortCode: file.shortCode,
        count: 1,
        firstReportedAt: now,
        lastReportedAt: now,
        statements: [
          {
            at: now,
            reason: 'It came by mail.\nIt is a trap.',
            email: 'ada@example.org',
            isSuspect: false,
          },
        ],
        file: {
          originalName: 'invoice.pdf',
          mimeType: 'application/pdf',
          size: 1000,
          sha256: sha256(file.bytes),
          owner: owner.email,
          openCode: file.shortCode,
          copies: 0,
        },
      },
    ])
  })

  it('collects all reports of a file, even across renewals', async () => {
    const file = await makeFile(owner)
    await reportLink(visitor, file.shortCode, { reason: 'first' })
    app.clock.advance(1000)
    const renewedFile = await json<{ shortCode: string }>(
      await owner.fetch(`/api/files/${file.id}/renew`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ expirationDays: 3 }),
      }),
    )
    await reportLink(visitor, renewedFile.shortCode, { reason: 'second' })
    const [listedReport, ...otherReports] = await listReports(admin)
    expect(otherReports).toEqual([])
    expect(listedReport).toMatchObject({ shortCode: renewedFile.shortCode, count: 2 })
    expect(listedReport?.file.openCode).toBe(renewedFile.shortCode)
    expect(listedReport?.statements.map(({ reason }) => reason)).toEqual(['first', 'second'])
  })

  it('keeps the first 50 and the last 50 texts of a file', async () => {
    const { shortCode } = await makeFile(owner)
    for (let n = 1; n <= 110; n += 1) await reportLink(visitor, shortCode, { reason: `${n}` })
    const [listedReport] = await listReports(admin)
    expect(listedReport?.count).toBe(110)
    const keptReasons = listedReport?.statements.map(({ reason }) => Number(reason))
    const createRange = (from: number) => Array.from({ length: 50 }, (_, n) => from + n)
    expect(keptReasons).toEqual([...createRange(1), ...createRange(61)])
  })

  it('removes bidirectional and control characters', async () => {
    const { shortCode } = await makeFile(owner)
    const reason = 'a\u202ecod.exe\u001b[31m\u2028 b\tc\u200f'
    expect((await reportLink(visitor, shortCode, { reason })).status).toBe(200)
    expect((await listReports(admin))[0]?.statements[0]?.reason).toBe('acod.exe[31m b\tc')
  })

  it('counts each of many parallel reports', async () => {
    const { shortCode } = await makeFile(owner)
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => reportLink(makeClient(app), shortCode)),
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await listReports(admin)).toMatchObject([{ count: 10 }])
  })

  it('stores suspected spam and marks it', async () => {
    const { shortCode } = await makeFile(owner)
    expect((await reportLink(visitor, shortCode, { website: 'https://example.net' })).status).toBe(
      200,
    )
    const [listedReport] = await listReports(admin)
    expect(listedReport?.statements).toMatchObject([{ isSuspect: true }])
  })

  it.each([undefined, null, '', '  '])('accepts a missing address: %j', async (email) => {
    const { shortCode } = await makeFile(owner)
    expect((await reportLink(visitor, shortCode, { email })).status).toBe(200)
    expect((await listReports(admin))[0]?.statements).toMatchObject([{ email: null }])
  })

  it.each([
    { reason: undefined },
    { reason: null },
    { reason: ' \n ' },
    { reason: '\u2800 \u202e' },
    { reason: 'x'.repeat(1001) },
    { reason: 'a\0b' },
    { reason: '\ud800' },
    { reason: ['x'] },
    { email: 'ada' },
    { email: 'ada@example.org\nBcc: eve@example.net' },
    { email: `${'x'.repeat(250)}@x.org` },
    { email: 1 },
    { website: 1 },
    { website: 'x'.repeat(501) },
  ])('rejects %j and stores nothing', async (changes) => {
    const { shortCode } = await makeFile(owner)
    const response = await reportLink(visitor, shortCode, changes)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'INVALID_INPUT' })
    expect(await listReports(admin)).toEqual([])
  })

  it('returns the same error for unknown, expired, private, deleted and taken-down links', async () => {
    const freeUser = await makePerson(app)
    const [expiredFile, privateFile, deletedFile, takenDownFile] = [
      await makeFile(freeUser),
      await makeFile(owner),
      await makeFile(owner),
      await makeFile(owner),
    ]
    await owner.fetch(`/api/files/${deletedFile.id}`, { method: 'DELETE' })
    await admin.post('/api/admin/takedown', { shortCode: takenDownFile.shortCode, reason: 'x' })
    const originalTime = app.clock()
    app.clock.set(new Date(expiredFile.expiresAt))
    const codes = [expiredFile, privateFile, deletedFile, takenDownFile].map(
      ({ shortCode }) => shortCode,
    )
    for (const code of [...codes, 'abcdefghij', 'x', "'--", '%00']) {
      const response = await reportLink(visitor, code)
      expect(response.status, code).toBe(404)
      expect(await response.json()).toEqual({
        code: 'LINK_NOT_FOUND',
        message: 'File not found or expired',
      })
    }
    app.clock.set(originalTime)
    expect(await listReports(admin)).toEqual([])
  })
})

describe('the longest reason', () => {
  const longestReason = `One\n\n${'x'.repeat(maxReasonLength - 6)}y`

  it.each(['\n', '\r\n', '\r'])('is accepted with line endings of %j', async (lineEnding) => {
    expect(longestReason).toHaveLength(maxReasonLength)
    const { shortCode } = await makeFile(owner)
    const reason = longestReason.replaceAll('\n', lineEnding)
    expect((await reportLink(visitor, shortCode, { reason })).status).toBe(200)
    expect((await listReports(admin))[0]?.statements[0]?.reason).toBe(longestReason)
    expect((await reportLink(visitor, shortCode, { reason: `${reason}!` })).status).toBe(400)
  })
})

describe('the rate limit for reports', () => {
  let limitedApp: TestApp
  let person: Person
  let limitedAdmin: Person
  beforeAll(async () => {
    limitedApp = await startTestApp({ env: { RATE_LIMITS: 'on', TRUST_PROXY: 'on' } })
    person = await makePerson(limitedApp, { tier: 'premium' })
    limitedAdmin = await makePerson(limitedApp, { role: 'admin' })
  })
  afterAll(() => limitedApp.close())

  const reportFrom = (address: string, code: string, reason = 'x') =>
    makeClient(limitedApp).fetch(`/api/links/${code}/report`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ reason }),
    })

  it('is ten an hour per IP address, for all links together', async () => {
    const { shortCode } = await makeFile(person)
    const codes = Array.from({ length: 11 }, (_, n) => (n === 0 ? shortCode : 'abcdefghij'))
    const responses = await Promise.all(codes.map((code) => reportFrom('203.0.113.7', code)))
    const rejectedResponses = responses.filter(({ status }) => status === 429)
    expect(rejectedResponses).toHaveLength(1)
    expect(Number(rejectedResponses[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await reportFrom('203.0.113.8', shortCode)).status).toBe(200)
    limitedApp.clock.advance(60 * 60_000)
    expect((await reportFrom('203.0.113.7', shortCode)).status).toBe(200)
  })

  it('is two an hour per file and IP address, so nobody can crowd out other reporters', async () => {
    const { shortCode } = await makeFile(person)
    const reportFromAddresses = (n: number) =>
      Promise.all(
        Array.from({ length: n }, (_, index) => reportFrom(`198.51.100.${index}`, shortCode)),
      )
    const firstReports = await Promise.all(
      Array.from({ length: 20 }, (_, n) => reportFrom(`203.0.113.${n % 10}`, shortCode)),
    )
    expect(firstReports.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect((await reportFrom('203.0.113.3', shortCode)).status).toBe(429)
    expect((await reportFrom('192.0.2.1', shortCode, 'It is a trap')).status).toBe(200)
    await reportFromAddresses(10)
    await reportFromAddresses(10)
    expect((await reportFrom('192.0.2.2', shortCode)).status).toBe(200)
    const listedReport = (await listReports(limitedAdmin)).find(
      (reportRow) => reportRow.shortCode === shortCode,
    )
    expect(listedReport?.count).toBe(42)
    expect(listedReport?.statements.map(({ reason }) => reason)).toContain('It is a trap')
  })
})

describe('GET /api/admin/reports', () => {
  it('pages through all open reports without gaps, last reported first', async () => {
    const codes: string[] = []
    for (let n = 0; n < 5; n += 1) {
      const { shortCode } = await makeFile(owner)
      await reportLink(visitor, shortCode)
      // Two of the reports have the same timestamp.
      if (n !== 1) app.clock.advance(1)
      codes.push(shortCode)
    }
    await reportLink(visitor, codes[0] ?? '')
    const seenIds: string[] = []
    let nextCursor: string | null = ''
    while (nextCursor !== null) {
      const pageResponse = await admin.fetch(
        `/api/admin/reports?limit=2${nextCursor === '' ? '' : `&cursor=${nextCursor}`}`,
      )
      seenIds.push(...(await json<Report[]>(pageResponse)).map(({ shortCode }) => shortCode))
      nextCursor = pageResponse.headers.get('x-next-cursor')
    }
    expect(seenIds.toSorted()).toEqual(codes.toSorted())
    expect(seenIds.slice(0, 3)).toEqual([codes[0], codes[4], codes[3]])
  })

  it('includes a file that its owner has since deleted', async () => {
    const file = await makeFile(owner, { name: 'gone.zip' })
    await computeDigests(app.deps)
    await reportLink(visitor, file.shortCode)
    await owner.fetch(`/api/files/${file.id}`, { method: 'DELETE' })
    expect(await listReports(admin)).toMatchObject([
      { file: { originalName: 'gone.zip', openCode: null, sha256: sha256(file.bytes) } },
    ])
  })

  it.each(['?limit=0', '?limit=101', '?limit=x', '?cursor=x', '?cursor=W10', '?cursor='])(
    'rejects %s',
    async (query) => {
      expect((await admin.fetch(`/api/admin/reports${query}`)).status).toBe(400)
    },
  )

  it('is open only to the administrator', async () => {
    expect((await visitor.fetch('/api/admin/reports')).status).toBe(401)
    expect((await owner.fetch('/api/admin/reports')).status).toBe(403)
  })
})

describe('POST /api/admin/reports/{id}/dismiss', () => {
  it('closes the report once, keeps the file and writes an audit log entry', async () => {
    const file = await makeFile(owner)
    await reportLink(visitor, file.shortCode)
    const [listedReport] = await listReports(admin)
    const id = listedReport?.id ?? ''
    const responses = await Promise.all([1, 2, 3].map(() => dismiss(admin, id)))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 404, 404])
    const bodies = await Promise.all(
      responses.map((response) => json<{ message: string }>(response)),
    )
    expect(new Set(bodies.map(({ message }) => message))).toEqual(
      new Set(['Report dismissed, none is open', 'This report is not open.']),
    )
    expect(await listReports(admin)).toEqual([])
    expect((await visitor.fetch(`/api/download/${file.shortCode}`)).status).toBe(200)
    const lines = await app.deps.db.select().from(auditLog)
    expect(lines.filter(({ action }) => action === 'dismiss-report')).toMatchObject([
      {
        actor: admin.id,
        subject: owner.id,
        ipAddress: '127.0.0.1',
        details: { reportId: id, shortCode: file.shortCode, count: 1 },
      },
    ])

    await reportLink(visitor, file.shortCode)
    expect(await listReports(admin)).toMatchObject([{ count: 1 }])
  })

  it('returns the number of open reports', async () => {
    for (const file of [await makeFile(owner), await makeFile(owner)])
      await reportLink(visitor, file.shortCode)
    const messages: unknown[] = []
    for (const { id } of await listReports(admin))
      messages.push(await json(await dismiss(admin, id)))
    expect(messages).toEqual([
      { message: 'Report dismissed, 1 still open' },
      { message: 'Report dismissed, none is open' },
    ])
  })

  it.each([randomUUID(), 'x', "'", '%00'])('returns 404 for the unknown id %s', async (id) => {
    const response = await dismiss(admin, id)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: 'REPORT_NOT_FOUND' })
  })

  it('is open only to the administrator', async () => {
    const { shortCode } = await makeFile(owner)
    await reportLink(visitor, shortCode)
    const [listedReport] = await listReports(admin)
    expect((await dismiss(visitor, listedReport?.id ?? '')).status).toBe(401)
    expect((await dismiss(owner, listedReport?.id ?? '')).status).toBe(403)
    expect(await listReports(admin)).toHaveLength(1)
  })
})

describe('the email address of a reporter', () => {
  it('is removed with the report 30 days after it is closed', async () => {
    const { shortCode } = await makeFile(owner)
    await reportLink(visitor, shortCode, { email: 'ada@example.org' })
    const [listedReport] = await listReports(admin)
    const originalTime = app.clock()
    await dismiss(admin, listedReport?.id ?? '')
    const countReports = () => app.deps.db.$count(reports)
    const afterMs = (ms: number) => new Date(originalTime.getTime() + ms)
    expect(await deleteExpiredReports(app.deps.db, afterMs(30 * day))).toBe(0)
    expect(await countReports()).toBe(1)
    expect(await deleteExpiredReports(app.deps.db, afterMs(30 * day + 1))).toBe(1)
    expect(await countReports()).toBe(0)
  })

  it('is removed after 180 days if the report stays open and the bytes are gone', async () => {
    const { id, shortCode } = await makeFile(owner)
    await reportLink(visitor, shortCode)
    const afterMs = (ms: number) => new Date(app.clock().getTime() + ms)
    // The report is kept because the bytes may still be stored: a file's maximum lifetime can be up
    // to 365 days.
    expect(await deleteExpiredReports(app.deps.db, afterMs(181 * day))).toBe(0)
    await updateFiles(app.deps.db, eq(files.id, id), { purgingAt: app.clock() })
    expect(await deleteExpiredReports(app.deps.db, afterMs(180 * day))).toBe(0)
    expect(await deleteExpiredReports(app.deps.db, afterMs(180 * day + 1))).toBe(1)
  })

  it('is kept for 30 days after closing, even if the report is old', async () => {
    const { shortCode } = await makeFile(owner)
    await reportLink(visitor, shortCode)
    const longAgo = new Date(app.clock().getTime() - 300 * day)
    await app.deps.db.update(reports).set({ lastReportedAt: longAgo })
    const [listedReport] = await listReports(admin)
    await dismiss(admin, listedReport?.id ?? '')
    expect(await deleteExpiredReports(app.deps.db, app.clock())).toBe(0)
  })
})
