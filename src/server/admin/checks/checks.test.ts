import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  askAnew,
  askForChecks,
  lineOf,
  linesKeptMs,
  named,
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
import type { CheckLine } from '../../../shared/contract/checks.ts'
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
  it('is for the administrator alone', async () => {
    const others = [
      makeClient(app),
      await makePerson(app),
      await makePerson(app, { tier: 'premium' }),
    ]
    const statuses = others.map(async (other) => (await other.fetch('/api/admin/checks')).status)
    expect(await Promise.all(statuses)).toEqual([401, 403, 403])
    expect((await admin.fetch('/api/admin/checks')).status).toBe(200)
  })

  it('has a line for each thing that the server needs', async () => {
    const lines = await askAnew(app, admin)
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
      // The servers of the tests run without rate limits.
      'Rate limits: warning',
      'Proxy: ok',
    ])
    expect(named(lines, 'Database').message).toMatch(
      /^Postgres \d+\.\d+ answers in \d+ ms\. Mayfly has \d+ of the \d+ connections that it allows;/,
    )
    expect(named(lines, 'CORS').message).toMatch(/this server itself.*no CORS rule/)
    expect(named(lines, 'Version').message).toContain(`Node ${process.versions.node}`)
  })

  it('says what to do exactly where something is to be done', async () => {
    for (const { name, status, message, cure } of await askAnew(app, admin)) {
      expect(message, name).toMatch(/^[A-Z\d].*\.$/)
      if (status === 'ok') expect(cure, name).toBe('')
      else expect(cure, name).toMatch(/^[A-Z].{20,}\.$/s)
    }
  })

  it('is made once for calls at the same time, and not anew for 5 seconds', async () => {
    const before = smtp.connections()
    app.clock.advance(linesKeptMs)
    await Promise.all([askForChecks(admin), askForChecks(admin), askForChecks(admin)])
    expect(smtp.connections() - before).toBe(1)
    app.clock.advance(linesKeptMs - 1)
    await askForChecks(admin)
    expect(smtp.connections() - before).toBe(1)
    app.clock.advance(1)
    await askForChecks(admin)
    expect(smtp.connections() - before).toBe(2)
    app.clock.advance(-minuteInMs)
    await askForChecks(admin)
    expect(smtp.connections() - before).toBe(3)
  })

  it('is made anew for who asks for that, however young the last lines are', async () => {
    const folder = join(app.deps.config.dataDir, 'files')
    await askAnew(app, admin)
    await rename(folder, `${folder}-aside`)
    const kept = await askForChecks(admin)
    const fresh = await json<CheckLine[]>(await admin.fetch('/api/admin/checks?fresh=true'))
    await rename(`${folder}-aside`, folder)
    expect(named(kept, 'Storage').status).toBe('ok')
    expect(named(fresh, 'Storage').status).toBe('failing')
    // Now all other calls get these lines too, also the call for the mark in the header.
    expect(await askForChecks(admin)).toEqual(fresh)
    const waiting = await json(await admin.fetch('/api/admin/waiting'))
    expect(waiting).toMatchObject({ failingChecks: 1 })
    const asked = ['?fresh=', '?fresh=1', '?fresh=true&fresh=no'].map((query) =>
      admin.fetch(`/api/admin/checks${query}`),
    )
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([400, 400, 200])
    const foreign = await (await makePerson(app)).fetch('/api/admin/checks?fresh=true')
    expect(foreign.status).toBe(403)
    expect(named(await askAnew(app, admin), 'Storage').status).toBe('ok')
  })

  it('is counted for the mark in the header, and made for it once in ten minutes', async () => {
    const others = [makeClient(app), await makePerson(app, { tier: 'premium' })]
    const statuses = others.map(async (other) => (await other.fetch('/api/admin/waiting')).status)
    expect(await Promise.all(statuses)).toEqual([401, 403])

    const waiting = async () => json(await admin.fetch('/api/admin/waiting'))
    await askAnew(app, admin)
    const now = app.clock()
    const before = smtp.connections()
    const { shortCode } = await makeFile(await makePerson(app))
    await makeClient(app).post(`/api/links/${shortCode}/report`, { reason: 'It is malware.' })
    app.clock.advance(10 * minuteInMs - 1)
    expect(await waiting()).toEqual({ failingChecks: 0, openReports: 1 })
    expect(smtp.connections() - before).toBe(0)

    // The clocks of the server and of the database are ten minutes apart by then.
    app.clock.advance(1)
    expect(await waiting()).toEqual({ failingChecks: 1, openReports: 1 })
    expect(smtp.connections() - before).toBe(1)
    app.clock.set(now)
  })

  it('is made for the mark once a minute while something is failing', async () => {
    const failing = async () => {
      const { failingChecks } = await json<{ failingChecks: number }>(
        await admin.fetch('/api/admin/waiting'),
      )
      return failingChecks
    }
    const now = app.clock()
    // In the minute of this test, the clocks of the server and of the database differ by half a
    // minute at most, which is not failing.
    app.clock.set(new Date(Date.now() - minuteInMs / 2))
    const folder = join(app.deps.config.dataDir, 'files')
    await rename(folder, `${folder}-aside`)
    await askAnew(app, admin)
    await rename(`${folder}-aside`, folder)

    const before = smtp.connections()
    app.clock.advance(minuteInMs - 1)
    expect(await failing()).toBeGreaterThan(0)
    expect(smtp.connections() - before).toBe(0)
    app.clock.advance(1)
    expect(await failing()).toBe(0)
    expect(smtp.connections() - before).toBe(1)
    app.clock.set(now)
  })

  it('is made anew after an act of the administrator', async () => {
    await askAnew(app, admin)
    const before = smtp.connections()
    await askForChecks(admin)
    expect(smtp.connections()).toBe(before)
    await admin.post('/api/admin/cleanup-expired')
    await askForChecks(admin)
    expect(smtp.connections()).toBe(before + 1)
  })

  it('is made anew for who comes in another way', async () => {
    expect(named(await askAnew(app, admin), 'Proxy').status).toBe('ok')
    const proxied = named(await askForChecks(admin, { 'x-forwarded-for': '203.0.113.7' }), 'Proxy')
    expect(proxied).toMatchObject({
      status: 'warning',
      cure: expect.stringContaining('TRUST_PROXY=on'),
    })
  })
})

describe('the storage', () => {
  it.each(['files', 'uploads'])('is failing while its folder %s is away', async (name) => {
    const folder = join(app.deps.config.dataDir, name)
    await rename(folder, `${folder}-aside`)
    const lines = await askAnew(app, admin)
    await rename(`${folder}-aside`, folder)
    const line = named(lines, 'Storage')
    expect(line).toMatchObject({ status: 'failing', message: expect.stringContaining('ENOENT') })
    expect(line.cure).toContain(folder)
    expect(named(lines, 'Database').status).toBe('ok')
    expect((await lineOf(app, admin, 'Storage')).status).toBe('ok')
  })
})

describe('the version', () => {
  it('is failing where the database lacks a migration, or has one of a newer version', async () => {
    const table = 'drizzle.__drizzle_migrations'
    const { rows } = await app.pool.query(
      `delete from ${table} where created_at = (select max(created_at) from ${table}) returning *`,
    )
    const lacking = await lineOf(app, admin, 'Version')
    await app.pool.query(
      `insert into ${table} (hash, created_at) values ($1, $2::bigint), ('newer', $2::bigint + 1)`,
      [rows[0].hash, rows[0].created_at],
    )
    const newer = await lineOf(app, admin, 'Version')
    await app.pool.query(`delete from ${table} where hash = 'newer'`)
    expect(lacking).toMatchObject({
      status: 'failing',
      message: expect.stringContaining('lacks 1 of its changes'),
      cure: expect.stringContaining('Restart'),
    })
    expect(newer).toMatchObject({
      status: 'failing',
      message: expect.stringContaining('a newer version'),
    })
    expect((await lineOf(app, admin, 'Version')).status).toBe('ok')
  })
})
