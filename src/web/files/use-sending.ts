import { errorTable } from '../../shared/contract/errors.ts'
import { type Tier, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { useFeatures, useSendsMail } from '../api/public-values.ts'
import { useCurrentUser } from '../api/use-current-user.ts'

/** How a list offers to send links by email. Null if it doesn't. */
export type Sending = { unavailable: string | undefined } | null

export function useSending(tier: Tier): Sending {
  const isOn = useFeatures().sendByEmail === 'on'
  const sendsMail = useSendsMail()
  const isUnverified = useCurrentUser().data?.emailVerified === false
  if (!tierTraits[tier].sendsLinks || !isOn) return null
  if (sendsMail === false) return { unavailable: 'This server sends no email.' }
  return { unavailable: isUnverified ? errorTable.EMAIL_NOT_VERIFIED.message : undefined }
}
