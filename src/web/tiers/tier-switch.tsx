import { ArrowLeftRight } from 'lucide-react'
import type { User } from '../../shared/contract/account.ts'
import { defaultTier, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { Button } from '../ui/button.tsx'
import { useTierChanges } from './use-tier-changes.ts'

/** Lets the administrator switch their own tier (spec §2). */
export function TierSwitch({ user }: { user: User }) {
  const { switchTo, isPending } = useTierChanges()
  const otherTier = tierTraits[user.tier].upgradesTo ?? defaultTier
  return (
    <Button
      size="small"
      icon={<ArrowLeftRight />}
      pending={isPending}
      onClick={() => switchTo(otherTier)}
    >
      Switch to {tierTraits[otherTier].name}
    </Button>
  )
}
