import type { Mail } from './mailer.ts'

/**
 * Our mails never ask the library to read a file or a URL. Only an attacker's mail would, so
 * reading is off.
 */
export const noReading = { disableFileAccess: true, disableUrlAccess: true } as const

/** Returns a mail in the shape of the mail library. */
export function messageOf({ to, letter, messageId }: Mail, from: string) {
  return {
    from,
    to,
    subject: letter.subject,
    text: letter.text,
    html: letter.html,
    messageId: `<${messageId}>`,
    headers: {
      // This header asks programs not to answer the mail (RFC 3834).
      'Auto-Submitted': 'auto-generated',
    },
  }
}
