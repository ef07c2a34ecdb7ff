import { randomUUID } from 'node:crypto'
import type { EmailSchedule, MailQueue, MailRequest } from '../../src/server/email/mail-queue.ts'
import type { Email, Mailer } from '../../src/server/email/mailer.ts'
import { type SendMailDeps, sendMail } from '../../src/server/jobs/send-mail.ts'

/** Keeps queued emails in memory until a test sends them. */
export interface MailBox {
  queue: MailQueue
  /** Collects emails that bypass the queue. */
  mailer: Mailer
  /**
   * Sends the queued emails and returns them, together with those that bypassed the queue. Delayed
   * emails are sent once the server's clock allows. With `SMTP_URL` everything goes to that server
   * and nothing is returned.
   */
  collect(deps: SendMailDeps): Promise<Email[]>
}

export function makeMailBox(): MailBox {
  let queued: { request: MailRequest; later: EmailSchedule | undefined }[] = []
  let sent: Email[] = []
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
        queued.push({ request, later })
      },
    },
    async collect(deps) {
      const now = deps.clock()
      const isDue = ({ later }: (typeof queued)[number]) => later === undefined || later.at <= now
      const due = queued.filter(isDue)
      queued = queued.filter((one) => !isDue(one))
      for (const { request } of due) await sendMail(deps, { id: randomUUID() }, request)
      const collected = sent
      sent = []
      return collected
    },
  }
}
