import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSilentServer, startSmtpServer } from '../../../../tests/support/smtp-server.ts'
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts'
import { readConfig } from '../../config/config.ts'
import { createMailer } from '../../email/create-mailer.ts'
import { createSmtpMailer } from '../../email/smtp.ts'
import { openJobQueue } from '../../jobs/job-queue.ts'
import type { Finding } from './check.ts'
import { checkMail } from './mail.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  const queue = await openJobQueue(app.pool, app.deps.log)
  await queue.stop()
})
afterAll(() => app.close())

function createDeps(env: Record<string, string>) {
  const { dataDir, databaseUrl } = app.deps.config
  const config = readConfig({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '', ...env })
  return { ...app.deps, config }
}

describe('email without a mail server', () => {
  const runCheck = async (env: Record<string, string>): Promise<Finding | undefined> => {
    const deps = createDeps(env)
    return (await checkMail({ ...deps, mailer: createMailer(deps.config, deps) }))[0]
  }

  it('is ok on this machine and a warning on a public server', async () => {
    expect(await runCheck({})).toMatchObject({ status: 'ok' })
    const publicFinding = await runCheck({ APP_URL: 'https://files.example.org' })
    expect(publicFinding).toMatchObject({
      status: 'warning',
      cure: expect.stringContaining('SMTP_URL=smtp://'),
    })
    expect(publicFinding?.message).toContain('Nobody can reset a password.')
    const verifyingFinding = await runCheck({
      APP_URL: 'https://files.example.org',
      REQUIRE_EMAIL_VERIFICATION: 'on',
    })
    expect(verifyingFinding?.message).toContain('Nobody can verify an address')
  })

  it("is failing if the outbox folder can't be created", async () => {
    const outboxFolder = join(app.deps.config.dataDir, 'outbox')
    await rm(outboxFolder, { recursive: true, force: true })
    await writeFile(outboxFolder, '')
    const finding = await runCheck({})
    await rm(outboxFolder)
    expect(finding).toMatchObject({ status: 'failing', message: expect.stringContaining('EEXIST') })
  })
})

describe('a mail server', () => {
  it('that rejects the login is reported with its response but without secrets', async () => {
    const server = await startSmtpServer()
    const url = server.url.replace('://', '://ada:hunter2hunter2@')
    const deps = createDeps({ SMTP_URL: url })
    const mailer = createMailer(deps.config, deps)
    const finding = (await checkMail({ ...deps, mailer }))[0]
    mailer.close()
    await server.close()
    expect(finding).toMatchObject({
      status: 'failing',
      message: expect.stringMatching(/^127\.0\.0\.1:\d+ refused the login \(/),
      cure: expect.stringContaining('user and password in SMTP_URL'),
    })
    expect(JSON.stringify(finding)).not.toContain('hunter2')
  })

  it('on another machine is failing without TLS, and a warning if TLS is optional', async () => {
    const server = await startSmtpServer()
    const runCheck = async (SMTP_URL: string) => {
      const deps = createDeps({ SMTP_URL })
      const mailer = createMailer(deps.config, deps)
      const finding = (await checkMail({ ...deps, mailer }))[0]
      mailer.close()
      return finding
    }
    expect(await runCheck(server.url)).toMatchObject({ status: 'ok' })
    // 0.0.0.0 also reaches this machine, but the check treats it as remote.
    const remoteUrl = server.url.replace('127.0.0.1', '0.0.0.0')
    expect(await runCheck(remoteUrl)).toMatchObject({
      status: 'failing',
      message: expect.stringContaining('offers no trusted TLS'),
      cure: expect.stringContaining('?requireTLS=false'),
    })
    expect(await runCheck(`${remoteUrl}?requireTLS=false`)).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('without TLS'),
      cure: expect.stringContaining('requireTLS=false'),
    })
    await server.close()
  })

  it('that never responds is failing', async () => {
    const server = await startSilentServer()
    const url = `smtp://127.0.0.1:${server.port}`
    const mailer = createSmtpMailer({ url, from: 'x@example.org' }, { greetingTimeoutMs: 50 })
    const finding = (await checkMail({ ...createDeps({ SMTP_URL: url }), mailer }))[0]
    mailer.close()
    await server.close()
    expect(finding).toMatchObject({
      status: 'failing',
      message: expect.stringContaining('Greeting'),
    })
  })
})
