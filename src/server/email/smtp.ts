import { createTransport, type NodemailerError } from 'nodemailer'
import { type Mailer, MailRefused } from './mailer.ts'
import { messageOf, noReading } from './message.ts'

/** A server that is silent for this long is away; the mail is tried again later. */
const connectionTimeoutMs = 10_000
const greetingTimeoutMs = 10_000
const socketTimeoutMs = 30_000

/**
 * Sends through the server of an `smtp://` or `smtps://` URL, over a few connections that are kept.
 * STARTTLS is used wherever the server offers it.
 * @param from who every mail comes from: `Name <address>` or an address.
 */
export function smtpMailer({ url, from }: { url: string; from: string }): Mailer {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: 3,
    // The job queue tries again, and knows how often it did.
    maxRequeues: 0,
    connectionTimeout: connectionTimeoutMs,
    greetingTimeout: greetingTimeoutMs,
    socketTimeout: socketTimeoutMs,
    ...noReading,
  })
  return {
    async send(mail) {
      try {
        await transport.sendMail(messageOf(mail, from))
      } catch (error) {
        // The library rejects with nothing else.
        const fault = error as NodemailerError
        throw isRefusal(fault)
          ? new MailRefused(fault.response ?? fault.message, { cause: fault })
          : fault
      }
    },
    close: () => transport.close(),
  }
}

/**
 * Whether the server refused this very mail for good: its sender, its recipient or its content, with
 * 5xx. A 5xx to the login or the greeting is a wrong setting, which somebody may mend meanwhile.
 */
function isRefusal({ code, permanent }: NodemailerError): boolean {
  return permanent === true && (code === 'EENVELOPE' || code === 'EMESSAGE')
}
