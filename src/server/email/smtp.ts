import { createTransport, type NodemailerError } from 'nodemailer'
import { type Mailer, MailRefused } from './mailer.ts'
import { messageOf, noReading } from './message.ts'

/** A server that is silent for this long counts as away, and the mail is tried again later. */
const connectionTimeoutMs = 10_000
const greetingTimeoutMs = 10_000
const socketTimeoutMs = 30_000

/**
 * Sends mail through the server of an `smtp://` or `smtps://` URL, over a few connections that stay
 * open. It uses STARTTLS where the server offers it.
 * @param from the sender of every mail: `Name <address>` or an address.
 */
export function smtpMailer({ url, from }: { url: string; from: string }): Mailer {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: 3,
    // The job queue repeats a mail and counts the tries, so the library does not.
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
        // The library rejects with no other type of error.
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
 * Whether the server refused this very mail for good with 5xx: its sender, its recipient or its
 * content. A 5xx to the login or the greeting means a wrong setting, which the operator may correct
 * before the next try.
 */
function isRefusal({ code, permanent }: NodemailerError): boolean {
  return permanent === true && (code === 'EENVELOPE' || code === 'EMESSAGE')
}
