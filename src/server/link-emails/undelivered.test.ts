import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { makeSender, requestSending } from '../../../tests/support/link-emails.ts'
import { findListed } from '../../../tests/support/link-requests.ts'
import { json, makeClient, makeFile, type Person } from '../../../tests/support/make.ts'
import { startSmtpServer, type TestSmtpServer } from '../../../tests/support/smtp-server.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { openJobQueue } from '../jobs/job-queue.ts'
import { startEmailWorkers } from '../jobs/jobs.ts'

let server: TestSmtpServer
let app: TestApp
let sender: Person
let code: string
let to: string
beforeAll(async () => {
  server = await startSmtpServer()
  const env = { SMTP_URL: server.url, REQUIRE_EMAIL_VERIFICATION: 'off' }
  app = await startTestApp({ env, openQueue: openJobQueue })
  if (!app.jobQueue) throw new Error('Expected a job queue.')
  await startEmailWorkers(app.deps, app.jobQueue)
  sender = await makeSender(app)
})
beforeEach(async () => {
  code = (await makeFile(sender)).shortCode
  to = `${randomUUID()}@example.org`
})
afterEach(() => server.setReaction('accept'))
afterAll(async () => {
  app.deps.mailer.close()
  await app.close()
  await server.close()
})

async function readUndelivered() {
  return (await findListed(sender, code))?.undelivered
}

/** Returns the state of the job that was queued last. */
async function readJobState(): Promise<string> {
  const { rows } = await app.pool.query(
    `select state from pgboss.job where data->>'kind' = 'shared-link'
     order by created_on desc, id limit 1`,
  )
  return rows[0]?.state
}

/** Makes the queue try again now. With `isLast`, this is the last attempt. */
function retryNow({ isLast = false } = {}) {
  return app.pool.query(
    `update pgboss.job set start_after = now(),
       retry_limit = case when $1 then retry_count + 1 else retry_limit end
     where state = 'retry'`,
    [isLast],
  )
}

it('an email names the sender in Reply-To only, and how to unsubscribe with one click', async () => {
  await requestSending(sender, code, [to], 'Hello')
  await expect.poll(() => server.received.length).toBe(1)
  const [email] = server.received
  expect(email?.from?.value).toEqual([{ name: 'Mayfly', address: app.deps.config.supportEmail }])
  expect(email?.to).toMatchObject({ value: [{ address: to }] })
  expect(email?.replyTo?.value).toEqual([{ name: 'Ada Lovelace', address: sender.email }])
  expect(email?.headers.get('list')).toMatchObject({
    unsubscribe: { url: expect.stringContaining(`${app.deps.config.appUrl.origin}/opt-out/`) },
    'unsubscribe-post': { name: 'List-Unsubscribe=One-Click' },
  })
  expect(await readUndelivered()).toEqual([])
})

it('an address that the mail server rejects is shown to the owner alone', async () => {
  server.setReaction({ recipient: 550 })
  await requestSending(sender, code, [to])
  await expect.poll(readUndelivered).toEqual([to])
  const visitor = makeClient(app)
  const page = await visitor.fetch(`/s/${code}`, { headers: { accept: 'text/html' } })
  const details = await json(await visitor.fetch(`/api/links/${code}`))
  for (const text of [await page.text(), JSON.stringify(details)]) expect(text).not.toContain(to)
})

it('an email waits while the mail server is away', async () => {
  server.setReaction({ recipient: 451 })
  await requestSending(sender, code, [to])
  await expect.poll(readJobState).toBe('retry')
  expect(await readUndelivered()).toEqual([])
  server.setReaction('accept')
  await retryNow()
  await expect.poll(readJobState).toBe('completed')
  expect(server.attemptedRecipients.filter((address) => address === to)).toHaveLength(2)
  expect(await readUndelivered()).toEqual([])
})

it('an address is shown as undelivered once the queue gives up', async () => {
  server.setReaction({ recipient: 451 })
  await requestSending(sender, code, [to])
  await expect.poll(readJobState).toBe('retry')
  await retryNow({ isLast: true })
  await expect.poll(readUndelivered).toEqual([to])
  await expect.poll(readJobState).toBe('failed')
})
