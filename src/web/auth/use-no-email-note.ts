import { useSignInWays, useSupportEmail } from '../api/public-values.ts'

/** Explains how to get an email if this server sends none. Returns null if it sends email. */
export function useNoEmailNote(): string | null {
  const { sendsMail } = useSignInWays()
  const supportEmail = useSupportEmail()
  return noEmailNote({ sendsMail, supportEmail })
}

/**
 * Explains how to get an email from a server that sends none. Returns null if the server sends
 * email.
 * @param supportEmail the support address; null if the server has none, undefined until known.
 */
export function noEmailNote({
  sendsMail,
  supportEmail,
}: {
  sendsMail: boolean
  supportEmail: string | null | undefined
}): string | null {
  if (sendsMail) return null
  const contactText = supportEmail ? `Write to ${supportEmail}` : 'Ask its operator'
  return `This server doesn't send email. ${contactText} for it.`
}
