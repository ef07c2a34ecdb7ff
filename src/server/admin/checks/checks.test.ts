import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  askForDeletion,
  json,
  makeClient,
  makeFile,
  makePerson,
  type Person,
} from '../../../../tests/support/make.ts'
import { startSmtpServer, type TestSmtpServer } from '../../../../tests/support/smtp-server.ts'
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts'
import type { CheckLine } from '../../../shared/contract/checks.ts'
import { jobRuns } from '../../db/schema.ts'
import { expireFiles } from '../../files/expire-files.ts'
import { type JobQueue, mailQueueName, openJobQueue } from '../../jobs/job-queue.ts'
import { jobNames, startJobs } from '../../jobs/jobs.ts'
import { noteFailedRun, noteRun } from '../../jobs/queries.ts'
import { createStores } from '../../storage/stores.ts'
import { checkClock } from './clock.ts'

const second = 1000
const minute = 60 * second

let app: TestApp
let smtp: TestSmtpServer
let queue: JobQueue
let admin: Person
beforeAll(async () => {
  smtp = await startSmtpServer()
  const env = { SMTP_URL: smtp.url, REQUIRE_EMAIL_VERIFICATION: 'off', AUTH_SECRET: 'x'.repeat(32) }
  app = await startTestApp({ env })
  queue = await openJobQueue(app.pool, app.deps.log)
  // This records the schedules of the jobs and stops them again. So no job runs during the tests.
  await whileJobsRun(async () => {})
  await forgetRuns()
  admin = await makePerson(app, { role: 'admin' })
})
afterEach(forgetRuns)
afterAll(async () => {
  await queue.stop()
  app.deps.mailer.close()
  await app.close()
  await smtp.close()
})

async function whileJobsRun(work: () => Promise<void>, deps = app.deps): Promise<void> {
  const running = await openJobQueue(app.pool, app.deps.log)
  try {
    await startJobs(deps, running)
    await work()
  } finally {
    await running.stop()
  }
}

async function forgetRuns(): Promise<void> {
  await app.pool.query('delete from pgboss.job')
  await app.deps.db.delete(jobRuns)
}

async function ask(headers: Record<string, string> = {}): Promise<CheckLine[]> {
  const response = await admin.fetch('/api/admin/checks', { headers })
  expect(response.status).toBe(200)
  return json(response)
}

/** Asks for the checks at a time when the server no longer reuses the lines of the last call. */
function askAnew(): Promise<CheckLine[]> {
  app.clock.advance(5 * second)
  return ask()
}

function named(lines: CheckLine[], name: string): CheckLine {
  const found = lines.find((line) => line.name === name)
  if (!found) throw new Error(`no line ${name}`)
  return found
}

async function lineOf(name: string): Promise<CheckLine> {
  return named(await askAnew(), name)
}

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
    const lines = await askAnew()
    expect(lines.map(({ name, status }) => `${name}: ${status}`)).toEqual([
      'Database: ok',
      'Storage: ok',
      'Clock: ok',
      'Mail: ok',
      'Mail: lost letters: ok',
      'Mail: waiting letters: ok',
      'Free space: ok',
      'Storage cap: ok',
      ...jobNames.map((name) => `Jobs: ${name}: ok`),
      'Jobs: bytes that should be gone: ok',
      'Jobs: files whose bytes are missing: ok',
      'Reports: ok',
      'Backups: ok',
      'Version: ok',
      'Address: ok',
      'Secrets: ok',
      // The servers of the tests run without rate limits.
      'Rate limits: warning',
      'Proxy: ok',
    ])
    expect(named(lines, 'Database').message).toMatch(
      /^Postgres \d+\.\d+ answers in \d+ ms\. This server has \d+ connections open and takes 10 at most/,
    )
    expect(named(lines, 'Version').message).toContain(`Node ${process.versions.node}`)
  })

  it('says what to do exactly where something is to be done', async () => {
    for (const { name, status, message, cure } of await askAnew()) {
      expect(message, name).toMatch(/^[A-Z\d].*\.$/)
      if (status === 'ok') expect(cure, name).toBe('')
      else expect(cure, name).toMatch(/^[A-Z].{20,}\.$/s)
    }
  })

  it('is made once for calls at the same time, and not anew for 5 seconds', async () => {
    const before = smtp.connections()
    app.clock.advance(5 * second)
    await Promise.all([ask(), ask(), ask()])
    expect(smtp.connections() - before).toBe(1)
    app.clock.advance(5 * second - 1)
    await ask()
    expect(smtp.connections() - before).toBe(1)
    app.clock.advance(1)
    await ask()
    expect(smtp.connections() - before).toBe(2)
    app.clock.advance(-minute)
    await ask()
    expect(smtp.connections() - before).toBe(3)
  })

  it('is made anew for who comes in another way', async () => {
    expect(named(await askAnew(), 'Proxy').status).toBe('ok')
    const proxied = named(await ask({ 'x-forwarded-for': '203.0.113.7' }), 'Proxy')
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
    const lines = await askAnew()
    await rename(`${folder}-aside`, folder)
    const line = named(lines, 'Storage')
    expect(line).toMatchObject({ status: 'failing', message: expect.stringContaining('ENOENT') })
    expect(line.cure).toContain(folder)
    expect(named(lines, 'Database').status).toBe('ok')
    expect((await lineOf('Storage')).status).toBe('ok')
  })
})

describe('the clock', () => {
  it.each([
    [40 * second, 'warning'],
    [-40 * second, 'warning'],
    [3 * minute, 'failing'],
    [-3 * minute, 'failing'],
  ])('is compared with that of the database: %d ms apart', async (apart, status) => {
    const now = app.clock()
    app.clock.set(new Date(Date.now() + apart))
    const found = await checkClock(app.deps)
    app.clock.set(now)
    expect(found).toMatchObject([{ status, cure: expect.stringContaining('time server') }])
    expect(found[0]?.message).toMatch(/ are (3|4)\d seconds apart| are (2|3) minutes apart/)
  })
})

describe('mail', () => {
  it('is failing while the mail server is away', async () => {
    await smtp.close()
    const line = await lineOf('Mail')
    smtp = await startSmtpServer(Number(new URL(smtp.url).port))
    expect(line).toMatchObject({
      status: 'failing',
      message: expect.stringContaining('ECONNREFUSED'),
    })
    expect(line.cure).toContain('SMTP_URL')
    expect((await lineOf('Mail')).status).toBe('ok')
  })

  it('tells which letter was refused, to whom it went, and what the mail server said', async () => {
    const { email } = await makePerson(app)
    smtp.react({ recipient: 550 })
    await whileJobsRun(async () => {
      const askedAt = app.clock().toISOString()
      await queue.mail.add({ kind: 'forgot-password', email, askedAt })
      await expect.poll(() => countJobs('failed')).toBe(1)
    })
    smtp.react('accept')
    const line = await lineOf('Mail: lost letters')
    expect(line.status).toBe('warning')
    expect(line.message).toMatch(/^A letter was lost in the last 7 days\. /)
    expect(line.message).toContain(`To ${email} (forgot-password, `)
    expect(line.message).toContain('550 Refused')
  })

  it('finds the addresses of accounts, counts all lost letters, and tells of the newest', async () => {
    const { id, email } = await makePerson(app)
    await addMail({
      state: 'failed',
      data: { kind: 'password-changed', userId: id },
      minutesAgo: 1,
    })
    await addMail({ state: 'failed', data: { kind: 'trial', userId: 'nobody' }, minutesAgo: 2 })
    await addMail({ state: 'failed', data: { kind: 'feedback' }, minutesAgo: 3 })
    await addMail({ state: 'failed', data: { kind: 'report', fileId: 'x' }, minutesAgo: 4 })
    const signup = { kind: 'signup', email: 'x@x.org' }
    for (const days of [1, 2, 5, 6]) {
      await addMail({
        state: 'failed',
        data: signup,
        minutesAgo: days * 24 * 60,
        reason: `Day ${days}.`,
      })
    }
    await addMail({
      state: 'failed',
      data: { kind: 'signup', email: 'old@x.org' },
      minutesAgo: 8 * 24 * 60,
    })
    const { message } = await lineOf('Mail: lost letters')
    expect(message).toMatch(/^8 letters were lost/)
    expect(message).toContain(`To ${email} (password-changed`)
    expect(message).toContain('To an account that is gone (trial')
    expect(message).toContain(`To ${app.deps.config.supportEmail} (feedback`)
    expect(message).toContain(`To ${app.deps.config.supportEmail} (report`)
    expect(message).toMatch(/To x@x\.org \(signup, [^)]+\): Day 1\. And 3 more,/)
    expect(message).not.toContain('old@x.org')
    expect(message).not.toContain('Day 5')
  })

  it('warns of letters that were tried often in vain, and not of those tried a few times', async () => {
    const data = { kind: 'signup' }
    await addMail({ state: 'retry', data, tries: 3 })
    expect((await lineOf('Mail: waiting letters')).status).toBe('ok')
    await addMail({ state: 'retry', data, tries: 4, minutesAgo: 3, reason: '451 Busy' })
    await addMail({ state: 'retry', data, tries: 9, minutesAgo: 2, reason: '452 No room' })
    const { status, message } = await lineOf('Mail: waiting letters')
    expect(status).toBe('warning')
    expect(message).toMatch(/^2 letters wait after up to 9 tries\./)
    expect(message).toContain('452 No room')
  })

  it('is failing where nobody sends what is due', async () => {
    const data = { kind: 'signup' }
    await addMail({ state: 'created', data, minutesAgo: -60 })
    await addMail({ state: 'created', data, minutesAgo: 4 })
    expect((await lineOf('Mail: waiting letters')).status).toBe('ok')
    await addMail({ state: 'created', data, minutesAgo: 6 })
    expect(await lineOf('Mail: waiting letters')).toMatchObject({
      status: 'failing',
      message: expect.stringMatching(/^A letter waits since more than 5 minutes/),
    })
  })

  async function countJobs(state: string): Promise<number> {
    const { rows } = await app.pool.query<{ count: number }>(
      'select count(*)::int as count from pgboss.job where name = $1 and state = $2',
      [mailQueueName, state],
    )
    return rows[0]?.count ?? 0
  }

  /**
   * Puts a letter into the queue in this state. Letters need up to a day to get into such a state
   * by themselves.
   */
  function addMail(mail: {
    state: string
    data: object
    tries?: number
    minutesAgo?: number
    reason?: string
  }) {
    const { state, data, tries = 0, minutesAgo = 0, reason = '550 No such user' } = mail
    return app.pool.query(
      `insert into pgboss.job
          (name, state, data, retry_count, output, start_after, started_on, completed_on)
        select $1, $2::pgboss.job_state, $3::jsonb, $4::int, $5::jsonb, at, at, at
        from (select now() - $6::float8 * interval '1 minute' as at) t`,
      [mailQueueName, state, data, tries, { reason }, minutesAgo],
    )
  }
})

describe('the jobs', () => {
  it('tell of a job that really failed, with its reason', async () => {
    const list = () => {
      throw new Error('the store is away')
    }
    const deps = { ...app.deps, stores: createStores({ ...app.storage, list }) }
    await queue.boss.send('compare-storage')
    await whileJobsRun(async () => {
      await expect.poll(() => app.deps.db.$count(jobRuns, sql`failures > 0`)).toBe(1)
    }, deps)
    const line = await lineOf('Jobs: compare-storage')
    expect(line).toMatchObject({ cure: expect.stringContaining('job failed') })
    // The queue may have run the job a second time before the check.
    expect(line.message).toMatch(/^The last (run|2 runs) failed, .* UTC: the store is away\./)
  })

  it('count failures in a row: three are failing, and a success ends them', async () => {
    const job = 'expire-files'
    const fail = (failure: string) =>
      noteFailedRun(app.deps.db, { job, failedAt: app.clock(), failure })
    const succeed = () => {
      const now = app.clock()
      const result = { purged: 12, failed: 0 }
      return noteRun(app.deps.db, { job, startedAt: now, endedAt: now, result })
    }
    const statusOf = async () => (await lineOf(`Jobs: ${job}`)).status
    await succeed()
    await fail('first')
    await fail('second')
    expect(await statusOf()).toBe('warning')
    await fail('third')
    const line = await lineOf(`Jobs: ${job}`)
    expect(line.status).toBe('failing')
    expect(line.message).toMatch(
      /^The last 3 runs failed, .*: third\. Last success: .*: 0 failed, 12 purged\./,
    )
    await succeed()
    expect(await statusOf()).toBe('ok')
    await fail('again')
    expect((await lineOf(`Jobs: ${job}`)).message).toMatch(/^The last run failed/)
  })

  it('are failing where one does not run, and say which one', async () => {
    const now = app.clock()
    app.clock.advance(18 * minute)
    const [ran] = [app.clock()]
    await noteRun(app.deps.db, { job: 'sweep-uploads', startedAt: ran, endedAt: ran, result: {} })
    const lines = await askAnew()
    app.clock.set(now)
    expect(named(lines, 'Jobs: expire-files')).toMatchObject({
      status: 'failing',
      message: expect.stringMatching(/^It should run every 60 seconds and does not\./),
    })
    expect(named(lines, 'Jobs: sweep-uploads').status).toBe('ok')
    expect(named(lines, 'Jobs: compare-storage').status).toBe('ok')
  })

  it('are failing where one is not scheduled', async () => {
    const { rows } = await app.pool.query(
      "select * from pgboss.schedule where name = 'expire-trials'",
    )
    await queue.boss.unschedule('expire-trials')
    const line = await lineOf('Jobs: expire-trials')
    await queue.boss.schedule('expire-trials', rows[0].cron)
    expect(line).toMatchObject({
      status: 'failing',
      message: expect.stringContaining('not scheduled'),
    })
  })

  it('are failing while bytes are left that should be gone for 15 minutes', async () => {
    const name = 'Jobs: bytes that should be gone'
    const file = await makeFile(admin)
    await askForDeletion(admin, [file.id])
    app.clock.advance(14 * minute)
    expect((await lineOf(name)).status).toBe('ok')
    app.clock.advance(minute)
    expect(await lineOf(name)).toMatchObject({
      status: 'failing',
      message: expect.stringMatching(/^The bytes of 1 file and 0 uploads are still in storage, /),
    })
    await expireFiles(app.deps)
    expect((await lineOf(name)).status).toBe('ok')
  })

  it('are failing where the last comparison missed bytes of files', async () => {
    const now = app.clock()
    const result = { objects: 5, removed: 0, failed: 0, missing: 2 }
    await noteRun(app.deps.db, { job: 'compare-storage', startedAt: now, endedAt: now, result })
    expect(await lineOf('Jobs: files whose bytes are missing')).toMatchObject({
      status: 'failing',
      message: expect.stringMatching(/^2 files have no bytes/),
    })
  })
})

describe('the version', () => {
  it('is failing where the database lacks a migration, or has one of a newer version', async () => {
    const table = 'drizzle.__drizzle_migrations'
    const { rows } = await app.pool.query(
      `delete from ${table} where created_at = (select max(created_at) from ${table}) returning *`,
    )
    const lacking = await lineOf('Version')
    await app.pool.query(
      `insert into ${table} (hash, created_at) values ($1, $2::bigint), ('newer', $2::bigint + 1)`,
      [rows[0].hash, rows[0].created_at],
    )
    const newer = await lineOf('Version')
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
    expect((await lineOf('Version')).status).toBe('ok')
  })
})
