import { hashKey, type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { User } from '../../shared/contract/account.ts'
import { defaultLimits, largestFileCount } from '../../shared/rules/tiers/tier-limits.ts'
import { limitsQuery } from '../api/public-values.ts'
import { currentUserQuery } from '../api/use-current-user.ts'
import { refreshFiles } from '../files/use-files.ts'
import { toast } from '../ui/toast.tsx'
import { createBrowserUploads } from './browser-uploads.ts'
import type { UploadsStore } from './uploads-state.ts'

let stores: WeakMap<QueryClient, UploadsStore> | undefined

/**
 * Returns the store of this page's uploads, and creates it at the first call. The store is kept
 * outside React, so the uploads survive a change of the screen.
 */
function storeOf(client: QueryClient): UploadsStore {
  stores ??= new WeakMap()
  const known = stores.get(client)
  if (known) return known
  const { store, setUser, followTier } = createBrowserUploads({
    onStored: () => refreshFiles(client),
    onNotice: ({ title, description, link, failed }) =>
      toast({
        title,
        ...(description !== undefined && { description }),
        ...(link !== undefined && { link }),
        tone: failed ? 'destructive' : 'plain',
        isNews: true,
      }),
    mostSlots: () => largestFileCount(client.getQueryData(limitsQuery.queryKey) ?? defaultLimits),
    isAdmin: () => client.getQueryData(currentUserQuery.queryKey)?.isAdmin === true,
  })
  const userHash = hashKey(currentUserQuery.queryKey)
  let last: User | null = null
  const tellUser = () => {
    const user = client.getQueryData(currentUserQuery.queryKey)
    if (user === undefined) return
    const before = last
    last = user
    setUser(user?.id ?? null)
    if (user === null || before?.id !== user.id || before.tier === user.tier) return
    followTier(before.tier, user.tier)
  }
  client.getQueryCache().subscribe(({ query }) => {
    if (query.queryHash === userHash) tellUser()
  })
  tellUser()
  store.subscribe(({ inlineError }, before) => {
    // The tier has no room for more files. So another browser of the user may have added some, of
    // which this page does not know yet.
    if (inlineError !== null && inlineError !== before.inlineError) refreshFiles(client)
  })
  stores.set(client, store)
  return store
}

/** Returns the store of this browser's uploads. Components read it with `useStore`. */
export function useUploadsStore(): UploadsStore {
  return storeOf(useQueryClient())
}
