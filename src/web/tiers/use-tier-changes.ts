import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query'
import type { User } from '../../shared/contract/account.ts'
import { localMomentText } from '../../shared/rules/format/moment-text.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { tierTraits } from '../../shared/rules/tiers/tier-traits.ts'
import { call, publicMessage } from '../api/call.ts'
import { serverNow } from '../api/look-again.ts'
import { saysSignedOut } from '../api/query-client.ts'
import { currentUserQuery } from '../api/use-current-user.ts'
import { toast } from '../ui/toast.tsx'

const tierChange = ['change of tier']

export interface TierChanges {
  startTrial: () => void
  /** Switches the user's own tier to this one. */
  switchTo: (tier: Tier) => void
  /**
   * True while the server changes the tier, no matter which button of the page asked for it. The
   * buttons wait, because a second change at the same time could undo the first.
   */
  isPending: boolean
}

/**
 * Returns functions for the two changes that users can make to their own tier: to start the trial,
 * and to switch to another tier. After each change a toast says whether it succeeded.
 * @param onDone is called after a successful change, with the changed user.
 */
export function useTierChanges(onDone: (user: User) => void = () => {}): TierChanges {
  const client = useQueryClient()
  const settle = (user: User) => {
    client.setQueryData(currentUserQuery.queryKey, user)
    onDone(user)
  }
  // A failure can mean that this page knows an old tier: another tab has changed the tier, or the
  // change succeeded and only its answer was lost.
  const askAgain = () => void client.invalidateQueries(currentUserQuery)
  const trial = useMutation({
    mutationKey: tierChange,
    mutationFn: () => call('startTrial'),
    onSuccess({ user }) {
      settle(user)
      toast({ title: 'Your Premium trial has started', ...untilWhen(user) })
    },
    onError(error) {
      // The ended session has a toast of its own.
      if (saysSignedOut(error)) return
      const description = publicMessage(error) ?? 'Please try again.'
      toast({ title: 'Failed to start trial', description, tone: 'destructive' })
      askAgain()
    },
  })
  const change = useMutation({
    mutationKey: tierChange,
    mutationFn: (tier: Tier) => call('togglePremium', { body: { tier } }),
    onSuccess({ user }) {
      settle(user)
      toast({ title: `Your account is ${tierTraits[user.tier].name} now` })
    },
    onError(error) {
      // The ended session has a toast of its own.
      if (saysSignedOut(error)) return
      const description = 'Failed to change tier. Please try again.'
      toast({ title: 'Error', description, tone: 'destructive' })
      askAgain()
    },
  })
  return {
    startTrial: () => trial.mutate(),
    switchTo: (tier) => change.mutate(tier),
    isPending: useIsMutating({ mutationKey: tierChange }) > 0,
  }
}

function untilWhen({ premiumTrialEndsAt }: User): { description?: string } {
  if (premiumTrialEndsAt === null) return {}
  const end = new Date(premiumTrialEndsAt)
  return { description: `It ends on ${localMomentText(end, serverNow())}.` }
}
