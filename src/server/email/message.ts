import type { Mail } from './mailer.ts'

/**
 * Keeps the mail library from reading the files and URLs that a mail names. Our mails name none, so
 * only an attacker's could.
 */
export const noReading = { disableFileAccess: true, disableUrlAccess: true } as const

/** Returns a mail in the form that the mail library takes. */
export function messageOf({ to, replyTo, letter, messageId }: Mail, from: string) {
  return {
    from,
    to,
    ...(replyTo && { replyTo }),
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
