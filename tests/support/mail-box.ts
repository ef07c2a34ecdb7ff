import { randomUUID } from 'node:crypto'
import type { EmailSchedule, MailQueue, MailRequest } from '../../src/server/email/mail-queue.ts'
import type { Email, Mailer } from '../../src/server/email/mailer.ts'
import { type SendMailDeps, sendMail } from '../../src/server/jobs/send-mail.ts'

export interface MailBox {
  queue: MailQueue
  /** Collects the emails that are sent without the queue. */
  mailer: Mailer
  /**
   * Sends the queued emails, and returns them together with those sent without the queue. A delayed
   * email is sent only once it is due by the server's clock. If `SMTP_URL` is set, all emails go to
   * that server instead and none are returned.
   */
  collect(deps: SendMailDeps): Promise<Email[]>
}

export function makeMailBox(): MailBox {
  let queuedEmails: { request: MailRequest; schedule: EmailSchedule | undefined }[] = []
  let sentEmails: Email[] = []
  const keys = new Set<string>()
  const mailer: Mailer = {
    async send(email) {
      sentEmails.push(email)
    },
    async check() {},
    close() {},
  }
  return {
    mailer,
    queue: {
      async add(request, _tx, schedule) {
        if (schedule && keys.has(schedule.key)) return
        if (schedule) keys.add(schedule.key)
        queuedEmails.push({ request, schedule })
      },
    },
    async collect(deps) {
      const now = deps.clock()
      const isDue = ({ schedule }: (typeof queuedEmails)[number]) =>
        schedule === undefined || schedule.at <= now
      const dueEmails = queuedEmails.filter(isDue)
      queuedEmails = queuedEmails.filter((item) => !isDue(item))
      for (const { request, schedule } of dueEmails)
        await sendMail(deps, { id: schedule?.key ?? randomUUID() }, request)
      const emails = sentEmails
      sentEmails = []
      return emails
    },
  }
}
