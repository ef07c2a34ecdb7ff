import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Mailer } from '../src/server/email/mailer.ts'
import { createSmtpMailer } from '../src/server/email/smtp.ts'
import { emailQueueName, type JobQueue, openJobQueue } from '../src/server/jobs/job-queue.ts'
import { startJobs } from '../src/server/jobs/jobs.ts'
import { logIn, makeClient } from './support/make.ts'
import { makeAddress, password, signUp, verifyEmail } from './support/signup.ts'
import { startSmtpServer, type TestSmtpServer } from './support/smtp-server.ts'
import { startTestApp, type TestApp } from './support/test-app.ts'

/** Tests signups with a real server, job queue, SMTP server and email client. */

let app: TestApp
let queue: JobQueue
let server: TestSmtpServer
let mailer: Mailer
beforeAll(async () => {
  server = await startSmtpServer()
  // Setting `SMTP_URL` also turns on email verification.
  app = await startTestApp({ env: { SMTP_URL: server.url } })
  queue = await openJobQueue(app.pool, app.deps.log)
  app.deps.mailQueue = queue.emails
  mailer = createSmtpMailer({ url: server.url, from: app.deps.config.mailFrom })
  await startJobs({ ...app.deps, mailer }, queue)
})
afterAll(async () => {
  await queue.stop()
  mailer.close()
  await server.close()
  await app.close()
})

function findEmailsTo(email: string) {
  return server.received.filter(({ to }) =>
    [to ?? []].flat().some(({ value }) => value.some(({ address }) => address === email)),
  )
}

it('a signup during a mail server outage succeeds, and its email arrives later', async () => {
  const email = makeAddress()
  server.setReaction({ recipient: 451 })
  const response = await signUp(makeClient(app), { email })
  expect(await response.json()).toMatchObject({ requiresVerification: true })
  await expect.poll(() => server.attemptedRecipients).toContain(email)
  server.setReaction('accept')
  await expect
    .poll(async () => {
      await app.pool.query("update pgboss.job set start_after = now() where state = 'retry'")
      return findEmailsTo(email).length
    })
    .toBe(1)
  const [mail] = findEmailsTo(email)
  expect(mail?.subject).toBe('Verify your email address for Mayfly')
  const linkPattern = new RegExp(`${app.url}/verify-email\\?token=([\\w-]{43})`)
  const [, inText] = linkPattern.exec(mail?.text ?? '') ?? []
  const [, htmlLink] = linkPattern.exec(String(mail?.html)) ?? []
  expect(htmlLink).toBe(inText)

  expect((await verifyEmail(app, inText)).status).toBe(200)
  await logIn(app, email, password)

  await signUp(makeClient(app), { email })
  await expect.poll(() => findEmailsTo(email).length).toBe(2)
  const [, notification] = findEmailsTo(email)
  expect(notification?.subject).toBe('Somebody signed up with your address')
  expect(String(notification?.html)).not.toContain('token')
})

it('a slow mail server delays no response and receives the email only once', async () => {
  const email = makeAddress()
  server.setReaction('hold')
  const response = await signUp(makeClient(app), { email })
  expect(await response.json()).toMatchObject({ requiresVerification: true })
  await expect.poll(() => server.attemptedRecipients).toContain(email)
  // Other people can still sign up while the mail server delays the first email.
  expect((await signUp(makeClient(app), { email: makeAddress() })).status).toBe(200)
  expect(findEmailsTo(email)).toEqual([])
  server.setReaction('accept')
  await expect.poll(() => findEmailsTo(email).length).toBe(1)
  await expect
    .poll(async () => {
      const { rows } = await app.pool.query(
        "select count(*)::int as open from pgboss.job where name = $1 and state <> 'completed'",
        [emailQueueName],
      )
      return rows[0].open
    })
    .toBe(0)
  expect(findEmailsTo(email)).toHaveLength(1)
})
