import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ListedUser } from '../../shared/contract/admin.ts'
import { tierTraits } from '../../shared/rules/tier-traits.ts'
import { call } from '../api/call.ts'
import { saysSignedOut } from '../api/query-client.ts'
import { currentUserQuery } from '../api/use-current-user.ts'
import { toast } from '../ui/toast.tsx'
import { faultText } from './fault-text.ts'
import { refreshAfterAct, usersKey } from './refresh.ts'
import { shownName } from './user-text.ts'

/**
 * The users that a search finds, or the newest ones without a search. The users of the search
 * before are returned while the next one runs. An answer that comes too late changes nothing,
 * because each search has its own query.
 */
export function useUsers(search: string) {
  return useQuery({
    queryKey: [usersKey, { search }],
    queryFn: ({ signal }) => call('listUsers', { query: search ? { search } : {}, signal }),
    placeholderData: keepPreviousData,
    // The administrator expects the current list, for a repeated search too.
    staleTime: 0,
  })
}

/** Switches the tier of a user to the other one than now. */
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
        description: faultText(error),
        tone: 'destructive',
      })
      // The list may be old: the user may be gone, or another window may have switched the tier.
      void client.invalidateQueries({ queryKey: [usersKey] })
    },
  })
}
