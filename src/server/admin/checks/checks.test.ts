import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  findLine,
  getCheckLine,
  requestChecks,
  scheduleJobs,
} from '../../../../tests/support/check-lines.ts'
import {
  json,
  makeClient,
  makeFile,
  makePerson,
  type Person,
} from '../../../../tests/support/make.ts'
import { startSmtpServer, type TestSmtpServer } from '../../../../tests/support/smtp-server.ts'
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts'
import { minuteInMs } from '../../../shared/rules/format/units.ts'
import { jobNames } from '../../jobs/job-names.ts'

let app: TestApp
let smtp: TestSmtpServer
let admin: Person
beforeAll(async () => {
  smtp = await startSmtpServer()
  const env = { SMTP_URL: smtp.url, REQUIRE_EMAIL_VERIFICATION: 'off', AUTH_SECRET: 'x'.repeat(32) }
  app = await startTestApp({ env })
  await scheduleJobs(app)
  admin = await makePerson(app, { role: 'admin' })
})
afterAll(async () => {
  app.deps.mailer.close()
  await app.close()
  await smtp.close()
})

describe('GET /api/admin/checks', () => {
  it('rejects everyone but the administrator', async () => {
    const clients = [
      makeClient(app),
      await makePerson(app),
      await makePerson(app, { tier: 'premium' }),
    ]
    const statusPromises = clients.map(
      async (client) => (await client.fetch('/api/admin/checks')).status,
    )
    expect(await Promise.all(statusPromises)).toEqual([401, 403, 403])
    expect((await admin.fetch('/api/admin/checks')).status).toBe(200)
  })

  it('returns a line for everything the server depends on', async () => {
    const lines = await requestChecks(admin)
    expect(lines.map(({ name, status }) => `${name}: ${status}`)).toEqual([
      'Database: ok',
      'Storage: ok',
      'CORS: ok',
      'Clock: ok',
      'Mail: ok',
      'Mail: lost emails: ok',
      'Mail: waiting emails: ok',
      'Free space: ok',
      'Storage cap: ok',
      ...jobNames.map((name) => `Jobs: ${name}: ok`),
      'Jobs: bytes that should be gone: ok',
      'Jobs: files whose bytes are missing: ok',
      'Reports: ok',
      'Backups: ok',
      'Version: ok',
      'Address: ok',
      'Contact: ok',
      'Secrets: ok',
      // Test servers run without rate limits.
      'Rate limits: warning',
      'Proxy: ok',
    ])
    expect(findLine(lines, 'Database').message).toMatch(
      /^Postgres \d+\.\d+ responds in \d+ ms\. Mayfly uses \d+ of its \d+ connections;/,
    )
    expect(findLine(lines, 'CORS').message).toMatch(/this server itself.*no CORS rule/)
    expect(findLine(lines, 'Version').message).toContain(`Node ${process.versions.node}`)
  })

  it("has a remedy on every line that isn't ok, and on no other", async () => {
    for (const { name, status, message, cure } of await requestChecks(admin)) {
      expect(message, name).toMatch(/^[A-Z\d].*\.$/)
      if (status === 'ok') expect(cure, name).toBe('')
      else expect(cure, name).toMatch(/^[A-Z].{20,}\.$/s)
    }
  })

  it('counts failures for the page header, from a run at most ten minutes old', async () => {
    const clients = [makeClient(app), await makePerson(app, { tier: 'premium' })]
    const statusPromises = clients.map(
      async (client) => (await client.fetch('/api/admin/waiting')).status,
    )
    expect(await Promise.all(statusPromises)).toEqual([401, 403])

    const fetchWaiting = async () => json(await admin.fetch('/api/admin/waiting'))
    await requestChecks(admin)
    const now = app.clock()
    const connectionsBefore = smtp.connections()
    const { shortCode } = await makeFile(await makePerson(app))
    await makeClient(app).post(`/api/links/${shortCode}/report`, { reason: 'It is malware.' })
    app.clock.advance(10 * minuteInMs - 1)
    expect(await fetchWaiting()).toEqual({ failingChecks: 0, openReports: 1 })
    expect(smtp.connections() - connectionsBefore).toBe(0)

    // The server's clock is now ten minutes ahead of the database's, so the clock check fails.
    app.clock.advance(1)
    const polls = await Promise.all([fetchWaiting(), fetchWaiting()])
    for (const counts of polls) expect(counts).toEqual({ failingChecks: 1, openReports: 1 })
    expect(smtp.connections() - connectionsBefore).toBe(1)

    // A run from the future, before the clock was set back, doesn't count.
    app.clock.set(now)
    expect(await fetchWaiting()).toEqual({ failingChecks: 0, openReports: 1 })
  })

  it('reflects how the request reached the server', async () => {
    expect(findLine(await requestChecks(admin), 'Proxy').status).toBe('ok')
    const proxyLine = findLine(
      await requestChecks(admin, { 'x-forwarded-for': '203.0.113.7' }),
      'Proxy',
    )
    expect(proxyLine).toMatchObject({
      status: 'warning',
      cure: expect.stringContaining('TRUST_PROXY=on'),
    })
  })
})

describe('the storage', () => {
  it.each(['files', 'uploads'])('is failing while its folder %s is missing', async (name) => {
    const folder = join(app.deps.config.dataDir, name)
    await rename(folder, `${folder}-aside`)
    const lines = await requestChecks(admin)
    await rename(`${folder}-aside`, folder)
    const line = findLine(lines, 'Storage')
    expect(line).toMatchObject({ status: 'failing', message: expect.stringContaining('ENOENT') })
    expect(line.cure).toContain(folder)
    expect(findLine(lines, 'Database').status).toBe('ok')
    expect((await getCheckLine(admin, 'Storage')).status).toBe('ok')
  })
})

describe('the version', () => {
  it('is failing if the database lacks a migration or has one from a newer version', async () => {
    const table = 'drizzle.__drizzle_migrations'
    const { rows } = await app.pool.query(
      `delete from ${table} where created_at = (select max(created_at) from ${table}) returning *`,
    )
    const lineWithoutMigration = await getCheckLine(admin, 'Version')
    await app.pool.query(
      `insert into ${table} (hash, created_at) values ($1, $2::bigint), ('newer', $2::bigint + 1)`,
      [rows[0].hash, rows[0].created_at],
    )
    const lineWithNewerMigration = await getCheckLine(admin, 'Version')
    await app.pool.query(`delete from ${table} where hash = 'newer'`)
    expect(lineWithoutMigration).toMatchObject({
      status: 'failing',
      message: expect.stringContaining('lacks 1 of its migrations'),
      cure: expect.stringContaining('Restart'),
    })
    expect(lineWithNewerMigration).toMatchObject({
      status: 'failing',
      message: expect.stringContaining('a newer version'),
    })
    expect((await getCheckLine(admin, 'Version')).status).toBe('ok')
  })
})
