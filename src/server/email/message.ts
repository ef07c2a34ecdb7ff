import type { Mail } from './mailer.ts'

/**
 * Keeps the mail library from reading files and URLs for the content of an email. Our emails do not
 * need that, and an attacker could misuse it to read files of the server.
 */
export const noReading = { disableFileAccess: true, disableUrlAccess: true } as const

/** Returns an email in the form that the mail library takes. */
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
      // This header asks programs not to answer the email (RFC 3834).
      'Auto-Submitted': 'auto-generated',
    },
  }
}
