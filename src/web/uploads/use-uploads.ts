import { hashKey, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useStore } from 'zustand'
import type { User } from '../../shared/contract/account.ts'
import { currentUserQuery } from '../api/use-current-user.ts'
import { refreshLinks } from '../files/use-links.ts'
import { confirm } from '../ui/confirm.tsx'
import { toast } from '../ui/toast.tsx'
import { createBrowserUploads, type Uploads } from './browser-uploads.ts'
import { isFinished } from './records/record-state.ts'
import { serverFullLink } from './upload-notices.ts'
import type { UploadsStore } from './uploads-state.ts'

const uploadsByClient = new WeakMap<QueryClient, Uploads>()

/**
 * Returns this page's uploads, creating them on the first call. They are kept outside React to
 * survive screen changes.
 */
function getUploads(client: QueryClient): Uploads {
  const existingUploads = uploadsByClient.get(client)
  if (existingUploads) return existingUploads
  const uploads = createBrowserUploads({
    onStored: () => refreshLinks(client),
    onNotice: ({ isServerFull, ...notice }) => {
      const isAdmin = client.getQueryData(currentUserQuery.queryKey)?.isAdmin === true
      const link = isServerFull && { link: serverFullLink(isAdmin) }
      toast({ ...notice, ...link, isNews: true })
    },
  })
  const { store, setOwner, handleTierChange } = uploads
  const userQueryHash = hashKey(currentUserQuery.queryKey)
  let lastUser: User | null = null
  const syncUser = () => {
    const user = client.getQueryData(currentUserQuery.queryKey)
    if (user === undefined) return
    const previousUser = lastUser
    lastUser = user
    setOwner(user?.id ?? null)
    if (user === null || previousUser?.id !== user.id || previousUser.tier === user.tier) return
    handleTierChange(previousUser.tier, user.tier)
  }
  client.getQueryCache().subscribe(({ query }) => {
    if (query.queryHash === userQueryHash) syncUser()
  })
  syncUser()
  store.subscribe(({ inlineError }, before) => {
    // The tier is full, possibly because of files added in another browser that this page doesn't
    // list yet.
    if (inlineError !== null && inlineError !== before.inlineError) refreshLinks(client)
  })
  uploadsByClient.set(client, uploads)
  return uploads
}

/** Returns the store for this browser's uploads, for use with `useStore`. */
export function useUploadsStore(): UploadsStore {
  return getUploads(useQueryClient()).store
}

/**
 * True while any of the user's uploads in this browser is unfinished or an outcome is shown. During
 * that time, the file list may not include the latest file yet.
 */
export function useHasOpenUploads(store: UploadsStore): boolean {
  return useStore(store, ({ records, outcome }) => outcome !== null || !records.every(isFinished))
}

/** True while there are uploads, an error or an outcome to show. */
export function useHasUploads(store: UploadsStore): boolean {
  return useStore(
    store,
    ({ records, inlineError, outcome }) =>
      records.length > 0 || inlineError !== null || outcome !== null,
  )
}

/** Removes the user's uploads from this browser. */
export function removeUploads(client: QueryClient): Promise<void> {
  return getUploads(client).signOut()
}

/**
 * Removes the user's uploads from this browser before a sign-out. Asks for confirmation if any are
 * unfinished. Returns false if the user declines.
 */
export async function discardUploads(client: QueryClient): Promise<boolean> {
  const { store } = getUploads(client)
  const isAllFinished = store.getState().records.every(isFinished)
  const confirmOptions = {
    title: 'Log out?',
    description: 'The uploads that are not finished will be discarded.',
    confirmLabel: 'Log out',
  }
  if (!isAllFinished && !(await confirm(confirmOptions))) return false
  await removeUploads(client)
  return true
}
