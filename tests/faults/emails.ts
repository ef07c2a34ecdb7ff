import { setTimeout as wait } from 'node:timers/promises'
import { hangMs } from '../support/hang.ts'
import type { TestSmtpServer } from '../support/smtp-server.ts'
import { Violation } from './expected-file.ts'
import type { FaultServer } from './fault-server.ts'
import type { Witness } from './witness.ts'

const pollMs = 50

/**
 * How many emails a person must have got at least, and may have got at most. The server sends one
 * email for each change of the password. If the answer to a change was lost, nobody knows whether
 * the change was carried out.
 */
export interface ExpectedLetters {
  least: number
  most: number
}

/** The Message-IDs that each address has got. An email that comes twice has the same one. */
export type Letterbox = Map<string, Set<string>>

/** Puts the emails that the mail server has accepted into the letterbox. */
export function collectLetters(letterbox: Letterbox, { received }: TestSmtpServer): void {
  for (const { to, messageId = '' } of received.splice(0)) {
    for (const { address = '' } of [to ?? []].flat().flatMap(({ value }) => value)) {
      const ids = letterbox.get(address) ?? new Set()
      letterbox.set(address, ids.add(messageId))
    }
  }
}

/**
 * Lets all mail that waits for a later try be sent now. The queue waits by the time of Postgres,
 * which no test can set.
 */
export async function hurryMail(witness: Witness): Promise<void> {
  await witness.query(
    `update pgboss.job set start_after = now() - interval '1 second'
     where name = 'send-mail' and state in ('created', 'retry')`,
  )
}

/**
 * Waits until no mail waits any more. Ends the tries of killed processes, for which the queue would
 * wait two minutes.
 * @throws {Violation} if mail still waits after two minutes, or was given up.
 */
export async function sendWaitingMail(server: FaultServer, witness: Witness): Promise<void> {
  const deadline = performance.now() + hangMs
  for (;;) {
    const { rows } = await witness.query<{ waiting: string; failed: string; lost: string }>(
      `select count(*) filter (where state in ('created', 'retry', 'active')) as waiting,
         count(*) filter (where state = 'active') as lost,
         count(*) filter (where state = 'failed') as failed
       from pgboss.job where name = 'send-mail'`,
    )
    const { waiting, failed, lost } = rows[0] ?? {}
    if (failed !== '0') throw new Violation(`${failed} emails were given up`)
    if (waiting === '0') return
    if (performance.now() > deadline) throw new Violation(`${waiting} emails are not sent`)
    if (lost !== '0') {
      await witness.query(
        `update pgboss.job set started_on = started_on - interval '1 hour'
         where name = 'send-mail' and state = 'active'`,
      )
      // The queue looks for such tries once a minute.
      await witness.query(
        `update pgboss.queue set monitor_claim_on = null, monitor_on = null
         where name = 'send-mail'`,
      )
      await server.order({ do: 'end-lost-tries' })
    }
    await hurryMail(witness)
    await wait(pollMs)
  }
}

/** @throws {Violation} if an email is missing, or there are more than were asked for. */
export function checkLetters(
  letterbox: Letterbox,
  { email, emails }: { email: string; emails: ExpectedLetters },
): void {
  const count = letterbox.get(email)?.size ?? 0
  if (count >= emails.least && count <= emails.most) return
  throw new Violation(`${email} got ${count} emails, not ${emails.least} to ${emails.most}`)
}
