import { access, constants, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { type Mailer, messageOf, noReading } from './mailer.ts'

/**
 * Longer addresses are truncated, so that the file name stays below the usual limit of 255 bytes.
 */
const maxAddressLength = 100

/**
 * Writes each email to a file `<time>-<to>.eml` in a folder, for servers without SMTP. The
 * administrator reads the emails there. The log names the folder and the Message-ID but not the
 * file, whose name contains an address. Files appear only when complete, and only the server's user
 * can read them, because the links in emails open accounts.
 */
export function outboxMailer(options: {
  folder: string
  from: string
  clock: Clock
  log: Pick<Logger, 'info'>
}): Mailer {
  const { folder, from, clock, log } = options
  let last = 0
  /**
   * Returns a strictly increasing time, so that two emails to one address in the same millisecond
   * get different file names.
   */
  const nextTime = () => {
    last = Math.max(clock().getTime(), last + 1)
    return new Date(last)
  }
  const transport = createTransport({ streamTransport: true, buffer: true, ...noReading })
  return {
    async send(mail) {
      const { message } = await transport.sendMail(messageOf(mail, from))
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const file = join(folder, fileName(mail.to.address, nextTime()))
      const unfinished = `${file}.${mail.messageId.replaceAll(/[^\w-]/g, '_')}.tmp`
      await writeFile(unfinished, message as Buffer, { mode: 0o600 })
      await rename(unfinished, file)
      const { messageId } = mail
      log.info({ folder, messageId }, 'SMTP_URL is not set, so this mail was written to a file')
    },
    async check() {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await access(folder, constants.W_OK | constants.X_OK)
    },
    close() {},
  }
}

function fileName(address: string, now: Date): string {
  const time = now.toISOString().replaceAll(/[:.]/g, '-')
  const to = address.replaceAll(/[^\w@.+-]/g, '_').slice(0, maxAddressLength)
  return `${time}-${to}.eml`
}
