import { setTimeout as wait } from 'node:timers/promises'
import { hangTimeoutMs } from '../support/hang-timeout.ts'
import type { TestSmtpServer } from '../support/smtp-server.ts'
import type { DirectDb } from './direct-db.ts'
import { Violation } from './expected-file.ts'
import type { FaultServer } from './fault-server.ts'

const pollMs = 50

/**
 * How many emails a user should have received. Each password change sends one. If the response to a
 * change was lost, it may or may not have sent one.
 */
export interface EmailRange {
  min: number
  max: number
}

/**
 * The Message-IDs of the emails received at each address. An email sent twice has the same
 * Message-ID both times.
 */
export type Mailbox = Map<string, Set<string>>

/**
 * Moves the emails accepted by the mail server into the mailbox, except those about requests: one
 * reports all deliveries of five minutes, so their number depends on the time.
 */
export function collectEmails(mailbox: Mailbox, { received }: TestSmtpServer): void {
  for (const { to, subject, messageId = '' } of received.splice(0)) {
    if (subject?.startsWith('Your request ')) continue
    for (const { address = '' } of [to ?? []].flat().flatMap(({ value }) => value)) {
      const ids = mailbox.get(address) ?? new Set()
      mailbox.set(address, ids.add(messageId))
    }
  }
}

/** Makes delayed emails due now. The queue uses Postgres's own clock, which tests can't set. */
export async function makeEmailsDue(directDb: DirectDb): Promise<void> {
  await directDb.query(
    `update pgboss.job set start_after = now() - interval '1 second'
     where name = 'send-mail' and state in ('created', 'retry')`,
  )
}

/**
 * Waits until the email queue is empty. Meanwhile, an attempt whose process was killed times out at
 * once, instead of after two minutes.
 * @throws {Violation} if an email has failed, or is still queued after two minutes.
 */
export async function drainEmailQueue(server: FaultServer, directDb: DirectDb): Promise<void> {
  const deadline = performance.now() + hangTimeoutMs
  for (;;) {
    const { rows } = await directDb.query<{ waiting: string; failed: string; active: string }>(
      `select count(*) filter (where state in ('created', 'retry', 'active')) as waiting,
         count(*) filter (where state = 'active') as active,
         count(*) filter (where state = 'failed') as failed
       from pgboss.job where name = 'send-mail'`,
    )
    const { waiting, failed, active } = rows[0] ?? {}
    if (failed !== '0') throw new Violation(`${failed} emails were given up`)
    if (waiting === '0') return
    if (performance.now() > deadline) throw new Violation(`${waiting} emails are not sent`)
    if (active !== '0') {
      await directDb.query(
        `update pgboss.job set started_on = started_on - interval '1 hour'
         where name = 'send-mail' and state = 'active'`,
      )
      // Make the queue look for abandoned attempts now. It normally does so only once a minute.
      await directDb.query(
        `update pgboss.queue set monitor_claim_on = null, monitor_on = null
         where name = 'send-mail'`,
      )
      await server.run({ type: 'release-stale-emails' })
    }
    await makeEmailsDue(directDb)
    await wait(pollMs)
  }
}

/** @throws {Violation} if the user received too few or too many emails. */
export function checkEmails(
  mailbox: Mailbox,
  { email, expectedEmails }: { email: string; expectedEmails: EmailRange },
): void {
  const emailCount = mailbox.get(email)?.size ?? 0
  if (emailCount >= expectedEmails.min && emailCount <= expectedEmails.max) return
  throw new Violation(
    `${email} got ${emailCount} emails, not ${expectedEmails.min} to ${expectedEmails.max}`,
  )
}
