import { useSignInWays, useSupportEmail } from '../api/public-values.ts'

/** Returns how an email reaches people here if the server sends no mail; null if it sends mail. */
export function useMailWaits(): string | null {
  const { sendsMail } = useSignInWays()
  const supportEmail = useSupportEmail()
  return mailWaits({ sendsMail, supportEmail })
}

/**
 * Says how an email reaches somebody where the server sends no mail. Returns null where it sends
 * mail.
 * @param supportEmail the mail address for help; null if the server has none, undefined until it is
 * known.
 */
export function mailWaits({
  sendsMail,
  supportEmail,
}: {
  sendsMail: boolean
  supportEmail: string | null | undefined
}): string | null {
  if (sendsMail) return null
  const ask = supportEmail ? `Write to ${supportEmail}` : 'Ask whoever runs it'
  return `This server sends no mail, so the email waits with its operator. ${ask} to get it.`
}
