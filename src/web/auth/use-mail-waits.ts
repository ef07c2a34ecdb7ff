import { useSignInWays, useSupportEmail } from '../api/public-values.ts'
import { mailWaits } from './mail-waits.ts'

/** Returns how an email reaches people here if the server sends no mail; null if it sends mail. */
export function useMailWaits(): string | null {
  const { sendsMail } = useSignInWays()
  const supportEmail = useSupportEmail()
  return mailWaits({ sendsMail, supportEmail })
}
