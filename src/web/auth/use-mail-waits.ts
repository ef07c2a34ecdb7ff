import { useSignInWays } from '../api/use-sign-in-ways.ts'
import { useSupportEmail } from '../api/use-support-email.ts'
import { mailWaits } from './mail-waits.ts'

/** Returns how an email reaches people here if the server sends no mail; null if it sends mail. */
export function useMailWaits(): string | null {
  const { sendsMail } = useSignInWays()
  const supportEmail = useSupportEmail()
  return mailWaits({ sendsMail, supportEmail })
}
