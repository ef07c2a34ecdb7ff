import { type Tier, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { useFeatures, useSendsMail } from '../api/public-values.ts'

/** How a list offers to send links by email. Null if it doesn't. */
export type Sending = { unavailable: string | undefined } | null

export function useSending(tier: Tier): Sending {
  const isOn = useFeatures().sendByEmail === 'on'
  const sendsMail = useSendsMail()
  if (!tierTraits[tier].sendsLinks || !isOn) return null
  return { unavailable: sendsMail === false ? 'This server sends no email.' : undefined }
}
