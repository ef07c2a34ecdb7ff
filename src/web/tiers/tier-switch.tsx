import { ArrowLeftRight } from 'lucide-react'
import type { User } from '../../shared/contract/account.ts'
import { defaultTier } from '../../shared/rules/tier.ts'
import { tierTraits } from '../../shared/rules/tier-traits.ts'
import { Button } from '../ui/button.tsx'
import { useTierChanges } from './use-tier-changes.ts'

/** Spec §6: the administrator sees a button that switches their own tier. */
export function TierSwitch({ user, onDone }: { user: User; onDone: (user: User) => void }) {
  const { switchTo, isPending } = useTierChanges(onDone)
  const other = tierTraits[user.tier].upgradesTo ?? defaultTier
  return (
    <Button
      size="small"
      icon={<ArrowLeftRight />}
      pending={isPending}
      onClick={() => switchTo(other)}
    >
      Switch to {tierTraits[other].name}
    </Button>
  )
}
