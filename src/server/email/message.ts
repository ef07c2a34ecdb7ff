import type { Mail } from './mailer.ts'

/** No mail of ours names a file or a URL, so whatever asks to read one comes from outside. */
export const noReading = { disableFileAccess: true, disableUrlAccess: true } as const

/** A mail in the shape that the mail library takes. */
export function messageOf({ to, letter, messageId }: Mail, from: string) {
  return {
    from,
    to,
    subject: letter.subject,
    text: letter.text,
    html: letter.html,
    messageId: `<${messageId}>`,
    headers: {
      // No machine shall answer this letter (RFC 3834).
      'Auto-Submitted': 'auto-generated',
    },
  }
}
