import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accounts, accountTokens, sessions } from '../../src/server/db/schema.ts'
import type { Mailer } from '../../src/server/email/mailer.ts'
import { createOutboxMailer } from '../../src/server/email/outbox.ts'
import { createSmtpMailer } from '../../src/server/email/smtp.ts'
import { openJobQueue } from '../../src/server/jobs/job-queue.ts'
import { startJobs } from '../../src/server/jobs/jobs.ts'
import type { File } from '../../src/shared/contract/files.ts'
import {
  json,
  logIn,
  makeClient,
  makePerson,
  type Person,
  putBytes,
  startUpload,
} from '../support/make.ts'
import { send } from '../support/send.ts'
import { startSmtpServer } from '../support/smtp-server.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { requestConfirm } from '../support/upload-requests.ts'

/** The tables that the account endpoints use. */
const tables = ['users', 'accounts', 'sessions', 'account_tokens']

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

/** Makes every statement on this table fail while `work` runs. */
async function withTableRenamed(table: string, work: () => Promise<void>) {
  await app.deps.db.execute(`alter table ${table} rename to away`)
  try {
    await work()
  } finally {
    await app.deps.db.execute(`alter table away rename to ${table}`)
  }
}

describe('the email log', () => {
  /** Sends an email with this mailer. Returns the log up to the line with `message`. */
  const logUntil = async (mailer: Mailer, { email }: Person, message: string): Promise<string> => {
    const queue = await openJobQueue(app.pool, app.deps.log)
    const lineCountBefore = app.logLines.length
    try {
      await startJobs({ ...app.deps, mailer }, queue)
      const askedAt = app.clock().toISOString()
      await queue.emails.add({ kind: 'forgot-password', email, askedAt })
      const getNewMessages = () => app.logLines.slice(lineCountBefore).map(({ msg }) => msg)
      await expect.poll(getNewMessages).toContain(message)
    } finally {
      await queue.stop()
    }
    return JSON.stringify(app.logLines.slice(lineCountBefore))
  }

  it.each([
    ['permanently', 550, 'email was rejected'],
    ['temporarily', 451, 'email could not be sent; it will be retried'],
  ])('contains no email address that a mail server rejects %s', async (_, code, outcome) => {
    const person = await makePerson(app)
    const server = await startSmtpServer()
    const mailer = createSmtpMailer({ url: server.url, from: 'support@mayfly.example' })
    try {
      server.setReaction({ recipient: code })
      const logText = await logUntil(mailer, person, outcome)
      expect(server.attemptedRecipients).toEqual([person.email])
      expect(logText).toContain(`${code} Refused`)
      expect(logText).not.toContain(person.email)
    } finally {
      mailer.close()
      await server.close()
    }
  })

  it('contains no recipient of an email in the outbox', async () => {
    const person = await makePerson(app)
    const folder = join(app.deps.config.dataDir, 'outbox')
    const sender = 'support@mayfly.example'
    const logText = await logUntil(
      createOutboxMailer({ ...app.deps, folder, from: sender }),
      person,
      'email sent',
    )
    expect(await readdir(folder)).toEqual([expect.stringContaining(person.email)])
    expect(logText).toContain(JSON.stringify(folder))
    expect(logText).not.toContain(person.email)
  })
})

describe('the log of failed queries', () => {
  it('contains no email address, password, hash or token', async () => {
    const { db } = app.deps
    const person = await makePerson(app)
    const { email, password } = person
    const visitor = makeClient(app)
    await visitor.post('/api/auth/forgot-password', { email })
    const emails = await app.sendQueuedEmails()
    const token = /token=([\w-]+)/.exec(emails.at(-1)?.content.text ?? '')?.[1] ?? ''
    expect(token).not.toBe('')
    const newUserEmail = 'newcomer@example.org'
    const newPassword = 'another battery staple'
    const signup = { firstName: 'Ada', lastName: 'L', email: newUserEmail, password: newPassword }

    const lineCountBefore = app.logLines.length
    for (const table of tables) {
      const errorCountBefore = app.logLines.filter(({ err }) => err).length
      await withTableRenamed(table, async () => {
        await person.fetch('/api/auth/user')
        await visitor.post('/api/auth/login', { email, password })
        await visitor.post('/api/auth/signup', { ...signup, confirmPassword: newPassword })
        await visitor.post('/api/auth/reset-password', { token, newPassword })
        await person.post('/api/auth/change-password', { currentPassword: password, newPassword })
        await person.fetch('/api/auth/user', {
          method: 'PATCH',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ firstName: 'Augusta' }),
        })
      })
      expect(app.logLines.filter(({ err }) => err).length, table).toBeGreaterThan(errorCountBefore)
    }

    const logText = JSON.stringify(app.logLines.slice(lineCountBefore))
    expect(logText).toContain('Failed query: ')
    const secrets = [
      email,
      newUserEmail,
      password,
      newPassword,
      'Augusta',
      token,
      ...(await db.select().from(sessions)).map((row) => row.token),
      ...(await db.select().from(accounts)).map((row) => row.password ?? ''),
      ...(await db.select().from(accountTokens)).map((row) => row.hash),
    ]
    expect(secrets.length).toBeGreaterThan(8)
    for (const secret of secrets) {
      expect(secret).not.toBe('')
      expect(logText).not.toContain(secret)
    }
  })
})

describe('the request log', () => {
  it('contains no password, session, token, code, signature or email address', async () => {
    const lineCountBefore = app.logLines.length
    const person = await makePerson(app)
    const { email, password } = person
    const cookie = await logIn(app, email, password)
    const visitor = makeClient(app)

    const startedUpload = await startUpload(person, { name: 'salary of Ada.txt', size: 5 })
    await fetch(`${startedUpload.uploadUrl}x`, { method: 'PUT', body: 'hello' })
    await fetch(startedUpload.uploadUrl, { method: 'PUT', body: 'hello' })
    const bytes = new TextEncoder().encode('hello')
    expect((await putBytes(startedUpload, bytes)).status).toBe(200)
    const file = await json<File>(await requestConfirm(person, startedUpload.cloudKey))
    await visitor.fetch(`/s/${file.shortCode}`, { headers: { accept: 'text/html' } })
    await visitor.fetch(`/api/links/${file.shortCode}`)
    await visitor.fetch(`/api/download/${file.shortCode}?from=${file.shortCode}`)
    await visitor.fetch(`/s/${file.shortCode}/report`, { headers: { accept: 'text/html' } })
    await visitor.post(`/api/links/${file.shortCode}/report`, { reason: 'x', email })

    await visitor.post('/api/auth/login', { email, password: `${password}!` })
    await visitor.post('/api/auth/forgot-password', { email })
    const emails = await app.sendQueuedEmails()
    const token = /token=([\w-]+)/.exec(emails.at(-1)?.content.text ?? '')?.[1] ?? ''
    await visitor.fetch(`/reset-password?token=${token}`, { headers: { accept: 'text/html' } })
    const newPassword = 'a new battery staple'
    await visitor.post('/api/auth/reset-password', { token, newPassword })
    const wrongMetricsToken = 'the token of somebody else'
    await visitor.fetch('/metrics', { headers: { authorization: `Bearer ${wrongMetricsToken}` } })
    await visitor.fetch(`/api/login?next=/s/${file.shortCode}`)

    const logText = JSON.stringify(app.logLines.slice(lineCountBefore))
    for (const path of ['/api/links/{code}', '/s/{code}', '/reset-password'])
      expect(logText).toContain(path)
    const [, sessionToken = ''] = /session_token=([^;.]+)/.exec(cookie) ?? []
    const [, signature = ''] = /signature=([\w-]+)/.exec(startedUpload.uploadUrl) ?? []
    const secrets = {
      email,
      password,
      newPassword,
      session: sessionToken,
      signature,
      token,
      metricsToken: wrongMetricsToken,
    }
    for (const [name, secret] of Object.entries({ ...secrets, code: file.shortCode })) {
      expect(secret.length, name).toBeGreaterThan(8)
      expect(logText, name).not.toContain(secret)
    }
    expect(logText).not.toContain('salary')
  })

  it.each([
    ['/s%2FCODE', 'undeclared'],
    ['//s/CODE', 'undeclared'],
    ['/S/CODE', 'undeclared'],
    ['/CODE', 'undeclared'],
    ['/s/CODE', '/s/{code}'],
    ['/s/CODE/', 'undeclared'],
    ['/s/CODE/report/x', 'undeclared'],
    ['/s/x/../CODE', '/s/{code}'],
    ['/download/CODE', '/download/{code}'],
    ['/login/s/CODE', 'undeclared'],
    ['/assets/CODE.js', 'undeclared'],
    ['/api/Links/CODE', 'undeclared'],
    ['/api/CODE', 'undeclared'],
    ['/api/files/CODE', '/api/files/{id}'],
    ['/robots.txt', '/robots.txt'],
    ['/share', '/share'],
  ])('redacts %s as %s for any method', async (path, redactedPath) => {
    const code = 'Wq7TnXk3Rb'
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      for (const acceptHeader of ['text/html', '*/*']) {
        const lineCountBefore = app.logLines.length
        await send(app.url, {
          method,
          path: path.replace('CODE', code),
          headers: { accept: acceptHeader },
        })
        const lines = app.logLines.slice(lineCountBefore)
        expect(JSON.stringify(lines)).not.toContain(code)
        expect(lines.filter(({ msg }) => msg === 'request')).toEqual([
          expect.objectContaining({
            method,
            path: expect.stringMatching(/^(undeclared|\/[\w./{}]*)$/),
          }),
        ])
        if (method === 'GET' && acceptHeader === 'text/html')
          expect(lines.at(-1)?.path).toBe(redactedPath)
      }
    }
  })

  it('names the route of a request rejected early', async () => {
    const lineCountBefore = app.logLines.length
    const headers = { origin: 'https://evil.example' }
    await send(app.url, { method: 'POST', path: '/api/auth/login', headers })
    expect(app.logLines.slice(lineCountBefore)).toContainEqual(
      expect.objectContaining({ msg: 'request', path: '/api/auth/login', status: 403 }),
    )
  })
})
