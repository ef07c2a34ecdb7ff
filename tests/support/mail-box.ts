import { randomUUID } from 'node:crypto'
import type { LaterMail, MailQueue, MailRequest } from '../../src/server/email/mail-queue.ts'
import type { Mail, Mailer } from '../../src/server/email/mailer.ts'
import { type SendMailDeps, sendMail } from '../../src/server/jobs/send-mail.ts'

/** Collects the mail that the server asks for, and sends it when a test says so. */
export interface MailBox {
  queue: MailQueue
  /** Keeps what the server sends past the queue. */
  mailer: Mailer
  /**
   * Sends the mail that was asked for since the last call, and returns it with what went past the
   * queue. Mail that is for later waits until the clock of the server is there.
   */
  collect(deps: Omit<SendMailDeps, 'mailer'>): Promise<Mail[]>
}

/** Makes a queue in memory, for tests that are not about the queue. */
export function makeMailBox(): MailBox {
  let asked: { request: MailRequest; later: LaterMail | undefined }[] = []
  let sent: Mail[] = []
  const keys = new Set<string>()
  const mailer: Mailer = {
    async send(mail) {
      sent.push(mail)
    },
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
    },
    async collect(deps) {
      const now = deps.clock()
      const isDue = ({ later }: (typeof asked)[number]) => later === undefined || later.at <= now
      const due = asked.filter(isDue)
      asked = asked.filter((one) => !isDue(one))
      for (const { request } of due)
        await sendMail({ ...deps, mailer }, { id: randomUUID(), retryCount: 0 }, request)
      const collected = sent
      sent = []
      return collected
    },
  }
}
