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
  /**
   * Sends the mail that was requested since the last call, and returns it. Mail for a later time
   * waits until the server's clock has reached that time.
   */
  collect(deps: Omit<SendMailDeps, 'mailer'>): Promise<Mail[]>
}

/** Makes a queue in memory, for tests that do not test the queue. */
export function makeMailBox(): MailBox {
  let asked: { request: MailRequest; later: LaterMail | undefined }[] = []
  const keys = new Set<string>()
  return {
    queue: {
      async add(request, _tx, later) {
        if (later && keys.has(later.key)) return
        if (later) keys.add(later.key)
        asked.push({ request, later })
      },
    },
    async collect(deps) {
      const sent: Mail[] = []
      const mailer: Mailer = {
        async send(mail) {
          sent.push(mail)
        },
        close() {},
      }
      const now = deps.clock()
      const isDue = ({ later }: (typeof asked)[number]) => later === undefined || later.at <= now
      const due = asked.filter(isDue)
      asked = asked.filter((one) => !isDue(one))
      for (const { request } of due)
        await sendMail({ ...deps, mailer }, { id: randomUUID(), retryCount: 0 }, request)
      return sent
    },
  }
}
