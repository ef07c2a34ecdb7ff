import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query'
import type { User } from '../../shared/contract/account.ts'
import { localTimestampText } from '../../shared/rules/format/timestamp-text.ts'
import { type Tier, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { call, publicMessage } from '../api/call.ts'
import { isSignedOutError } from '../api/query-client.ts'
import { serverNow } from '../api/server-clock.ts'
import { showFailure } from '../api/show-failure.ts'
import { currentUserQuery } from '../api/use-current-user.ts'
import { toast } from '../ui/toast.tsx'

const tierChangeMutationKey = ['change of tier']

/**
 * Returns functions that start the user's trial and switch the user's tier. A toast shows the
 * result.
 * @param onDone called with the updated user on success.
 */
export function useTierChanges(onDone: (user: User) => void = () => {}) {
  const client = useQueryClient()
  const applyUser = (user: User) => {
    client.setQueryData(currentUserQuery.queryKey, user)
    onDone(user)
  }
  const showError = (error: Error, title: string, description: string) => {
    if (isSignedOutError(error)) return
    showFailure(error, title, description)
    // The call may have failed because another tab had already changed the tier, or only its
    // response may have been lost.
    void client.invalidateQueries(currentUserQuery)
  }
  const startTrialMutation = useMutation({
    mutationKey: tierChangeMutationKey,
    mutationFn: () => call('POST /api/auth/start-trial'),
    onSuccess({ user }) {
      applyUser(user)
      toast({ title: 'Your Premium trial has started', ...describeTrialEnd(user) })
    },
    onError: (error) =>
      showError(error, 'Failed to start trial', publicMessage(error) ?? 'Please try again.'),
  })
  const switchTierMutation = useMutation({
    mutationKey: tierChangeMutationKey,
    mutationFn: (tier: Tier) => call('POST /api/auth/toggle-premium', { body: { tier } }),
    onSuccess({ user }) {
      applyUser(user)
      toast({ title: `Your account is ${tierTraits[user.tier].name} now` })
    },
    onError: (error) => showError(error, 'Error', 'Failed to change tier. Please try again.'),
  })
  return {
    startTrial: () => startTrialMutation.mutate(),
    switchTo: (tier: Tier) => switchTierMutation.mutate(tier),
    /** True while any button on the page is changing the tier. */
    isPending: useIsMutating({ mutationKey: tierChangeMutationKey }) > 0,
  }
}

function describeTrialEnd({ premiumTrialEndsAt }: User): { description?: string } {
  if (premiumTrialEndsAt === null) return {}
  const trialEndsAt = new Date(premiumTrialEndsAt)
  return { description: `It ends on ${localTimestampText(trialEndsAt, serverNow())}.` }
}
