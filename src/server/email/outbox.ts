import { access, constants, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { type Mailer, noFileAccess, toMessage } from './mailer.ts'

/**
 * Longer addresses are truncated, so that the file name stays below the usual limit of 255 bytes.
 */
const maxAddressLength = 100

/**
 * Writes each email to a file `<time>-<to>.eml` in a folder, for servers without SMTP. The
 * administrator reads the emails there. The log names the folder and the Message-ID but not the
 * file, whose name contains an address. A file appears only when it is complete, and only the
 * server's system user can read it, because the links in emails open accounts.
 */
export function createOutboxMailer(options: {
  folder: string
  from: string
  clock: Clock
  log: Pick<Logger, 'info'>
}): Mailer {
  const { folder, from, clock, log } = options
  let lastMs = 0
  /**
   * Returns a strictly increasing time, so that two emails to one address in the same millisecond
   * get different file names.
   */
  const nextTime = () => {
    lastMs = Math.max(clock().getTime(), lastMs + 1)
    return new Date(lastMs)
  }
  const transport = createTransport({ streamTransport: true, buffer: true, ...noFileAccess })
  return {
    async send(email) {
      const { message } = await transport.sendMail(toMessage(email, from))
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const file = join(folder, fileName(email.to.address, nextTime()))
      const temporaryFile = `${file}.${email.messageId.replaceAll(/[^\w-]/g, '_')}.tmp`
      await writeFile(temporaryFile, message as Buffer, { mode: 0o600 })
      await rename(temporaryFile, file)
      const { messageId } = email
      log.info({ folder, messageId }, 'SMTP_URL is not set, so this email was written to a file')
    },
    async check() {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await access(folder, constants.W_OK | constants.X_OK)
    },
    close() {},
  }
}

function fileName(address: string, now: Date): string {
  const timestamp = now.toISOString().replaceAll(/[:.]/g, '-')
  const safeAddress = address.replaceAll(/[^\w@.+-]/g, '_').slice(0, maxAddressLength)
  return `${timestamp}-${safeAddress}.eml`
}
