import { randomUUID } from 'node:crypto'
import type { MailQueue, MailRequest } from '../../src/server/email/mail-queue.ts'
import type { Mail, Mailer } from '../../src/server/email/mailer.ts'
import { type SendMailDeps, sendMail } from '../../src/server/jobs/send-mail.ts'

/** Collects the mail that the server asks for, and sends it when a test says so. */
export interface MailBox {
  queue: MailQueue
  /** Sends the mail that was asked for since the last call, and returns it. */
  collect(deps: Omit<SendMailDeps, 'mailer'>): Promise<Mail[]>
}

/** Makes a queue in memory, for tests that are not about the queue. */
export function makeMailBox(): MailBox {
  const asked: MailRequest[] = []
  return {
    queue: {
      async add(request) {
        asked.push(request)
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
      for (const request of asked.splice(0))
        await sendMail({ ...deps, mailer }, { id: randomUUID(), retryCount: 0 }, request)
      return sent
    },
  }
}
