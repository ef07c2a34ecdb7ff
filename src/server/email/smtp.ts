import { createTransport, type NodemailerError } from 'nodemailer'
import {
  allowsPlaintext,
  type Mailer,
  MailRejectedError,
  noFileAccess,
  removeTlsSetting,
  toMessage,
} from './mailer.ts'

/** Timeouts for the mail server. After a timeout the attempt fails, and the queue retries later. */
interface SmtpTimeouts {
  /** Measured from the DNS lookup to the server's greeting. */
  connectionTimeoutMs: number
  /** Measured from opening the connection to the server's greeting. */
  greetingTimeoutMs: number
  /** Maximum time without any bytes on the connection. */
  socketTimeoutMs: number
}

const defaultTimeouts: SmtpTimeouts = {
  connectionTimeoutMs: 10_000,
  greetingTimeoutMs: 10_000,
  socketTimeoutMs: 30_000,
}

/**
 * Sends email through the server at an `smtp://` or `smtps://` URL, over up to three persistent
 * connections. Requires TLS, unless the server is on this machine or the URL allows plaintext
 * (`allowsPlaintext`).
 * @param from the sender of every email: `Name <address>` or an address.
 * @param timeouts override `defaultTimeouts`. Only tests need this.
 */
export function createSmtpMailer(
  { url, from }: { url: string; from: string },
  timeouts: Partial<SmtpTimeouts> = {},
): Mailer {
  const { connectionTimeoutMs, greetingTimeoutMs, socketTimeoutMs } = {
    ...defaultTimeouts,
    ...timeouts,
  }
  const transport = createTransport({
    url: removeTlsSetting(url),
    requireTLS: !allowsPlaintext(url),
    pool: true,
    maxConnections: 3,
    // The job queue retries failed emails and counts the attempts, so nodemailer must not.
    maxRequeues: 0,
    connectionTimeout: connectionTimeoutMs,
    greetingTimeout: greetingTimeoutMs,
    socketTimeout: socketTimeoutMs,
    ...noFileAccess,
  })
  return {
    async send(email) {
      try {
        await transport.sendMail(toMessage(email, from))
      } catch (error) {
        // nodemailer rejects only with errors of this type.
        const failure = error as NodemailerError
        throw isPermanentRejection(failure)
          ? new MailRejectedError(failure.response ?? failure.message, { cause: failure })
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
 * Reports whether the mail server permanently rejected (5xx) this email because of its sender,
 * recipient or content. A 5xx in the greeting or login reply indicates a misconfiguration, which
 * the operator may fix before the next attempt.
 */
function isPermanentRejection({ code, permanent }: NodemailerError): boolean {
  return permanent === true && (code === 'EENVELOPE' || code === 'EMESSAGE')
}
