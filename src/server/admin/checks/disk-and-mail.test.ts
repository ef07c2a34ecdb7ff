import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSilentServer, startSmtpServer } from '../../../../tests/support/smtp-server.ts'
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts'
import { dayInMs } from '../../../shared/rules/time-units.ts'
import { noteOtherBackup } from '../../backup/note-other-backup.ts'
import { noteBackup } from '../../backup/queries.ts'
import { readConfig } from '../../config.ts'
import { createMailer } from '../../email/create-mailer.ts'
import { smtpMailer } from '../../email/smtp.ts'
import { openJobQueue } from '../../jobs/job-queue.ts'
import { readInstallation } from '../../settings/queries.ts'
import { checkBackups } from './backups.ts'
import type { Finding } from './check.ts'
import { checkMail } from './mail.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  const queue = await openJobQueue(app.pool, app.deps.log)
  await queue.stop()
})
afterAll(() => app.close())

/** Returns the dependencies of the checks for a server with these settings. */
function depsWith(env: Record<string, string>) {
  const { dataDir, databaseUrl } = app.deps.config
  const config = readConfig({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '', ...env })
  return { ...app.deps, config }
}

describe('backups', () => {
  it('are a hint on a new server, and a warning after 7 days without any', async () => {
    const { dataDir } = app.deps.config
    const find = async (deps = depsWith({})) => (await checkBackups(deps))[0]
    const command = expect.stringContaining('npm run backup FOLDER')
    expect(await find()).toMatchObject({ status: 'ok', cure: '', message: command })
    await readInstallation(app.deps.db, app.clock())
    app.clock.advance(7 * dayInMs)
    expect(await find()).toMatchObject({ status: 'ok', cure: '', message: command })
    app.clock.advance(1)
    for (const deps of [depsWith({ DATABASE_URL: '' }), depsWith({})]) {
      expect(await find(deps)).toMatchObject({
        status: 'warning',
        message: 'No backup is known. This server has been in use for 7 days.',
        cure: command,
      })
      expect((await find(deps))?.cure).toContain(dataDir)
    }
  })

  it('of another program count when it has them noted', async () => {
    const find = async () => (await checkBackups(depsWith({})))[0]
    expect((await find())?.cure).toContain('"npm run backup -- --made-otherwise" after each')
    const { config, log } = app.deps
    await noteOtherBackup({ config, clock: app.clock, log })
    expect(await find()).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('Last backup 1 second ago, made by another program.'),
    })
    app.clock.advance(7 * dayInMs + 1)
    expect((await find())?.status).toBe('warning')
  })

  it('are told by their age and number of files, and warned of after 7 days', async () => {
    const madeAt = app.clock().toISOString()
    const find = async () => (await checkBackups(depsWith({})))[0]
    await noteBackup(app.pool, { madeAt, objects: 1204, faults: 0 })
    app.clock.advance(7 * dayInMs)
    expect(await find()).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(/^Last backup 7 days ago, 1,204 files\./),
    })
    app.clock.advance(1)
    expect(await find()).toMatchObject({
      status: 'warning',
      message: 'Last backup 7 days ago, 1,204 files.',
      cure: expect.stringMatching(
        /npm run backup FOLDER.*a replica .* is not noted.*-- --made-other/,
      ),
    })
    // A backup that began earlier and took longer says nothing about the newest one.
    const earlier = new Date(app.clock().getTime() - 30 * dayInMs).toISOString()
    await noteBackup(app.pool, { madeAt: earlier, objects: 1, faults: 0 })
    expect((await find())?.message).toContain('Last backup 7 days ago')

    await noteBackup(app.pool, { madeAt: app.clock().toISOString(), objects: 1, faults: 2 })
    expect(await find()).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(/^Last backup 1 second ago, 1 file\. It lacks 2 files/),
    })
  })
})

describe('mail without a mail server', () => {
  const find = async (env: Record<string, string>): Promise<Finding | undefined> => {
    const deps = depsWith(env)
    return (await checkMail({ ...deps, mailer: createMailer(deps.config, deps) }))[0]
  }

  it('is fine on this machine, and warns where others come', async () => {
    expect(await find({})).toMatchObject({ status: 'ok' })
    const seen = await find({ APP_URL: 'https://files.example.org' })
    expect(seen).toMatchObject({
      status: 'warning',
      cure: expect.stringContaining('SMTP_URL=smtp://'),
    })
    expect(seen?.message).toContain('forgot a password')
    const verified = await find({
      APP_URL: 'https://files.example.org',
      REQUIRE_EMAIL_VERIFICATION: 'on',
    })
    expect(verified?.message).toContain('a new account')
  })

  it('is failing where the folder of letters cannot be one', async () => {
    const outbox = join(app.deps.config.dataDir, 'outbox')
    await rm(outbox, { recursive: true, force: true })
    await writeFile(outbox, '')
    const found = await find({})
    await rm(outbox)
    expect(found).toMatchObject({ status: 'failing', message: expect.stringContaining('EEXIST') })
  })
})

describe('a mail server', () => {
  it('that refuses the login is told of by its answer, and no secret is', async () => {
    const server = await startSmtpServer()
    const url = server.url.replace('://', '://ada:hunter2hunter2@')
    const deps = depsWith({ SMTP_URL: url })
    const mailer = createMailer(deps.config, deps)
    const found = (await checkMail({ ...deps, mailer }))[0]
    mailer.close()
    await server.close()
    expect(found).toMatchObject({
      status: 'failing',
      message: expect.stringMatching(/^127\.0\.0\.1:\d+ refused the login \(/),
      cure: expect.stringContaining('user and password into SMTP_URL'),
    })
    expect(JSON.stringify(found)).not.toContain('hunter2')
  })

  it('on another machine is failing without TLS, and warned of where it may do without', async () => {
    const server = await startSmtpServer()
    const find = async (SMTP_URL: string) => {
      const deps = depsWith({ SMTP_URL })
      const mailer = createMailer(deps.config, deps)
      const found = (await checkMail({ ...deps, mailer }))[0]
      mailer.close()
      return found
    }
    expect(await find(server.url)).toMatchObject({ status: 'ok' })
    // Another spelling of this machine, which the check does not take for it.
    const elsewhere = server.url.replace('127.0.0.1', '0.0.0.0')
    expect(await find(elsewhere)).toMatchObject({
      status: 'failing',
      message: expect.stringContaining('speaks no TLS'),
      cure: expect.stringContaining('?requireTLS=false'),
    })
    expect(await find(`${elsewhere}?requireTLS=false`)).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('without TLS'),
      cure: expect.stringContaining('requireTLS=false'),
    })
    await server.close()
  })

  it('that never says a word is failing', async () => {
    const server = await startSilentServer()
    const url = `smtp://127.0.0.1:${server.port}`
    const mailer = smtpMailer({ url, from: 'x@example.org' }, { greetingTimeoutMs: 50 })
    const found = (await checkMail({ ...depsWith({ SMTP_URL: url }), mailer }))[0]
    mailer.close()
    await server.close()
    expect(found).toMatchObject({ status: 'failing', message: expect.stringContaining('Greeting') })
  })
})
