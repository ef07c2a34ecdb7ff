import { createTransport, type NodemailerError } from 'nodemailer'
import {
  type Mailer,
  MailRefused,
  mayGoInClear,
  messageOf,
  noReading,
  withoutTlsSetting,
} from './mailer.ts'

/** How long to wait for the mail server. After that, the try fails, and the email is sent later. */
interface SmtpTimeouts {
  /** The time for connecting, from the DNS lookup to the server's greeting. */
  connectionTimeoutMs: number
  /** The time from the open connection to the server's greeting. */
  greetingTimeoutMs: number
  /** The longest time without any bytes on the connection. */
  socketTimeoutMs: number
}

const defaultTimeouts: SmtpTimeouts = {
  connectionTimeoutMs: 10_000,
  greetingTimeoutMs: 10_000,
  socketTimeoutMs: 30_000,
}

/**
 * Sends mail through the server of an `smtp://` or `smtps://` URL, over at most three connections
 * that stay open. It sends nothing without TLS, unless the server is on this machine or the URL
 * allows it: see `mayGoInClear`.
 * @param from the sender of every email: `Name <address>` or an address.
 * @param timeouts replace those of `defaultTimeouts`. Only tests need this.
 */
export function smtpMailer(
  { url, from }: { url: string; from: string },
  timeouts: Partial<SmtpTimeouts> = {},
): Mailer {
  const { connectionTimeoutMs, greetingTimeoutMs, socketTimeoutMs } = {
    ...defaultTimeouts,
    ...timeouts,
  }
  const transport = createTransport({
    url: withoutTlsSetting(url),
    requireTLS: !mayGoInClear(url),
    pool: true,
    maxConnections: 3,
    // The job queue repeats failed emails and counts the tries. So the library must not repeat
    // them.
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
        // The library rejects with this type of error only.
        const failure = error as NodemailerError
        throw isRefusal(failure)
          ? new MailRefused(failure.response ?? failure.message, { cause: failure })
          : failure
      }
    },
    async check() {
      await transport.verify()
    },
    close: () => transport.close(),
  }
}

/**
 * Tells whether the mail server refused this email permanently with 5xx, because of its sender, its
 * recipient or its content. A 5xx to the login or the greeting means a wrong setting, which the
 * operator may correct before the next try.
 */
function isRefusal({ code, permanent }: NodemailerError): boolean {
  return permanent === true && (code === 'EENVELOPE' || code === 'EMESSAGE')
}
