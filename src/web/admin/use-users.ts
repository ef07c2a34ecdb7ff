import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ListedUser } from '../../shared/contract/admin.ts'
import { tierTraits } from '../../shared/rules/tiers/tier-traits.ts'
import { call } from '../api/call.ts'
import { saysSignedOut } from '../api/query-client.ts'
import { currentUserQuery } from '../api/use-current-user.ts'
import { toast } from '../ui/toast.tsx'
import { errorText } from './error-text.ts'
import { refreshAfterAct, usersKey } from './refresh.ts'
import { shownName } from './user-text.ts'

/**
 * Loads the users that a search finds, or the newest users if `search` is empty. While it loads, it
 * returns the users of the previous search. Each search has its own query, so a late answer to an
 * older search changes nothing.
 */
export function useUsers(search: string) {
  return useQuery({
    queryKey: [usersKey, { search }],
    queryFn: ({ signal }) => call('listUsers', { query: search ? { search } : {}, signal }),
    placeholderData: keepPreviousData,
    // The administrator expects the current users even if the same search ran before.
    staleTime: 0,
  })
}

/** Returns a mutation that sets the tier of a user. */
export function useSwitchTier({ id }: ListedUser) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (tier: ListedUser['tier']) =>
      call('toggleUserTier', { params: { id }, body: { tier } }),
    onSuccess: ({ user }) => {
      client.setQueriesData<ListedUser[]>({ queryKey: [usersKey] }, (users) =>
        users?.map((known) => (known.id === user.id ? { ...known, ...user } : known)),
      )
      client.setQueryData(currentUserQuery.queryKey, (known) =>
        known?.id === user.id ? user : known,
      )
      refreshAfterAct(client)
      toast({ title: `${shownName(user)} is ${tierTraits[user.tier].name} now` })
    },
    onError: (error) => {
      if (saysSignedOut(error)) return
      toast({
        title: 'Failed to change user tier',
        description: errorText(error),
        tone: 'destructive',
      })
      // The list may be out of date: the user may be deleted, or somebody may have changed the tier
      // in another window. So reload it.
      void client.invalidateQueries({ queryKey: [usersKey] })
    },
  })
}
