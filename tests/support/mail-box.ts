import { randomUUID } from 'node:crypto'
import type { LaterMail, MailQueue, MailRequest } from '../../src/server/email/mail-queue.ts'
import type { Mail, Mailer } from '../../src/server/email/mailer.ts'
import { type SendMailDeps, sendMail } from '../../src/server/jobs/send-mail.ts'

/**
 * Collects the requests for mail that the server makes. It sends the mail only when a test asks for
 * it.
 */
export interface MailBox {
  queue: MailQueue
  /** Collects the emails that the server sends without the queue. */
  mailer: Mailer
  /**
   * Sends the mail that was requested since the last call. Returns it, and the emails that were
   * sent without the queue. Mail for a later time waits until the server's clock has reached that
   * time. A server with `SMTP_URL` sends all mail to that mail server, so nothing is returned.
   */
  collect(deps: SendMailDeps): Promise<Mail[]>
}

/** Makes a queue in memory, for tests that do not test the queue. */
export function makeMailBox(): MailBox {
  let asked: { request: MailRequest; later: LaterMail | undefined }[] = []
  let sent: Mail[] = []
  const keys = new Set<string>()
  const mailer: Mailer = {
    async send(mail) {
      sent.push(mail)
    },
    async check() {},
    close() {},
  }
  return {
    mailer,
    queue: {
      async add(request, _tx, later) {
        if (later && keys.has(later.key)) return
        if (later) keys.add(later.key)
        asked.push({ request, later })
      },
      async withdraw({ userId, email, signupIds }) {
        const named = [userId, email, ...signupIds]
        const before = asked.length
        asked = asked.filter(
          ({ request }) => !Object.values(request).some((value) => named.includes(String(value))),
        )
        return before - asked.length
      },
    },
    async collect(deps) {
      const now = deps.clock()
      const isDue = ({ later }: (typeof asked)[number]) => later === undefined || later.at <= now
      const due = asked.filter(isDue)
      asked = asked.filter((one) => !isDue(one))
      for (const { request } of due) await sendMail(deps, { id: randomUUID() }, request)
      const collected = sent
      sent = []
      return collected
    },
  }
}
