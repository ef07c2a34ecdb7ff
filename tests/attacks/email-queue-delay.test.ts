import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type JobQueue, openJobQueue } from '../../src/server/jobs/job-queue.ts'
import { startJobs } from '../../src/server/jobs/jobs.ts'
import { makePerson } from '../support/make.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/**
 * The attack: from many IP addresses, request emails for accounts that don't exist, so that
 * legitimate emails have to wait in the queue behind jobs that send nothing.
 */

let app: TestApp
let queue: JobQueue
const recipients: string[] = []
beforeAll(async () => {
  app = await startTestApp()
  queue = await openJobQueue(app.pool, app.deps.log)
})
afterAll(async () => {
  await queue.stop()
  await app.close()
})

function queueResetEmail(email: string): Promise<void> {
  return queue.emails.add({ kind: 'forgot-password', email, askedAt: app.clock().toISOString() })
}

/** Makes the polling interval longer than the test. */
function lengthenPolling() {
  const { boss } = queue
  const originalWork = boss.work.bind(boss)
  vi.spyOn(boss, 'work').mockImplementation((name, options, handler) =>
    originalWork(name, { ...options, pollingIntervalSeconds: 60 * 60 }, handler),
  )
}

it('an email queued behind 60 jobs for unknown email addresses is sent without a polling delay', async () => {
  lengthenPolling()
  const { email } = await makePerson(app)
  for (let emailNumber = 0; emailNumber < 60; emailNumber += 1)
    await queueResetEmail(`nobody-${emailNumber}@example.org`)
  await queueResetEmail(email)
  const mailer = {
    send: async ({ to }: { to: { address: string } }) => void recipients.push(to.address),
  }
  await startJobs(
    { ...app.deps, mailer: { ...mailer, check: async () => undefined, close: () => undefined } },
    queue,
  )
  await expect.poll(() => recipients).toEqual([email])
})
