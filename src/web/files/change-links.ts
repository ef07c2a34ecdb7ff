import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { maxFilesPerDeletion } from '../../shared/rules/files/file-order.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { type CallInput, call, hasErrorCode, ignoreErrors, publicMessage } from '../api/call.ts'
import { failureText } from '../api/failure-text.ts'
import { showFailure } from '../api/show-failure.ts'
import { toast } from '../ui/toast.tsx'
import { type ListedLink, toListedLink, withoutFile } from './listed-link.ts'
import {
  changeLinks,
  type Deletion,
  deleteMutationKey,
  refreshLinks,
  resetLinkLists,
} from './use-links.ts'

export type LinkChanges = CallInput<'PATCH /api/links/{code}'>['body']

/** Reports whether a renewal error is permanent, which makes retrying pointless. */
export function isPermanentError(error: unknown): boolean {
  return hasErrorCode(error, 'DOWNLOADS_USED_UP', 'FILE_GONE', 'LINK_NOT_FOUND', 'TIER_RENEWAL')
}

/**
 * Deletes a link or one of its files and shows the result (spec §8). What no longer exists counts
 * as deleted.
 */
export function useDelete() {
  const client = useQueryClient()
  return useMutation({
    mutationKey: deleteMutationKey,
    mutationFn: ({ link, file }: Deletion) => {
      const deletion = file
        ? call('DELETE /api/files/{id}', { params: { id: file.id } })
        : call('DELETE /api/links/{code}', { params: { code: link.shortCode } })
      return deletion.catch(ignoreErrors('FILE_NOT_FOUND', 'LINK_NOT_FOUND'))
    },
    onSuccess: (_, { link, file }) => {
      changeLinks(client, (links) =>
        links.flatMap((cachedLink) => {
          if (cachedLink.id !== link.id) return cachedLink
          return file ? withoutFile(cachedLink, file.id) : []
        }),
      )
      refreshLinks(client)
      toast({
        title: file || link.files.length === 1 ? 'File deleted' : 'Link deleted',
        description: file?.name ?? link.name,
      })
    },
    onError: (error) =>
      showFailure(error, 'Delete failed', 'Failed to delete file. Please try again.'),
  }).mutate
}

/**
 * Deletes links with all their files, in batches of files, and shows the result (spec §8). If a
 * batch fails, files deleted by earlier batches stay deleted.
 * @param onDeleted called with the ids of the links once all their files are deleted.
 */
export function useDeleteLinks(onDeleted: (ids: ReadonlySet<string>) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (links: readonly ListedLink[]) => {
      const allIds = fileIdsOf(links)
      let missingCount = 0
      for (let start = 0; start < allIds.length; start += maxFilesPerDeletion) {
        const fileIds = allIds.slice(start, start + maxFilesPerDeletion)
        const { notFound } = await call('DELETE /api/files/bulk', { body: { fileIds } })
        missingCount += notFound.length
        const deletedIds = new Set(allIds.slice(0, start + maxFilesPerDeletion))
        const isDeleted = ({ files }: ListedLink) => files.every(({ id }) => deletedIds.has(id))
        changeLinks(client, (links) => links.filter((link) => !isDeleted(link)))
        onDeleted(new Set(links.filter(isDeleted).map(({ id }) => id)))
      }
      return missingCount
    },
    onSuccess: (missingCount, links) =>
      toast({
        title: deletedText(fileIdsOf(links).length - missingCount),
        ...(missingCount > 0 && {
          description: `${missingCount.toLocaleString('en')} ${missingCount === 1 ? 'was' : 'were'} already deleted.`,
        }),
      }),
    onError: (error) => showFailure(error, 'Error', 'Failed to delete files. Please try again.'),
    onSettled: () => refreshLinks(client),
  })
}

/** Deletes the user's expired files and shows the result (spec §8). */
export function useClearExpired() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => call('DELETE /api/files/expired/bulk'),
    onSuccess: ({ message }) => {
      resetLinkLists(client)
      toast({ title: 'Expired history cleared', description: message })
    },
    onError: (error) =>
      showFailure(error, 'Delete failed', 'Failed to delete expired files. Please try again.'),
  })
}

/**
 * Renews a link and shows errors (spec §8). After a permanent error, shows the server's
 * message and reloads the lists.
 */
export function useRenewLink() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ code, days }: { code: string; days: number }) =>
      toListedLink(
        await call('PATCH /api/links/{code}/renew', {
          params: { code },
          body: { expirationDays: days },
        }),
      ),
    onSuccess: (link) => {
      replaceLink(client, link)
      refreshLinks(client)
    },
    onError: (error) => {
      const isPermanent = isPermanentError(error)
      const serverMessage = isPermanent ? publicMessage(error) : undefined
      const description = serverMessage ?? 'Failed to renew the file link. Please try again.'
      showFailure(error, 'Renewal failed', description)
      if (isPermanent) refreshLinks(client)
    },
  })
}

/** Changes a link's title, message, password or download limit. Rejects if the call fails. */
export function useChangeLink() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ code, changes }: { code: string; changes: LinkChanges }) =>
      toListedLink(await call('PATCH /api/links/{code}', { params: { code }, body: changes })),
    onSuccess: (link) => replaceLink(client, link),
  }).mutateAsync
}

/** Shares a received link, which only its owner could open before, and shows the result. */
export function useShareLink() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ shortCode }: ListedLink) =>
      toListedLink(
        await call('PATCH /api/links/{code}', {
          params: { code: shortCode },
          body: { shared: true },
        }),
      ),
    onSuccess: (link) => {
      replaceLink(client, link)
      toast({ title: 'Link shared', description: link.name })
    },
    onError: (error) =>
      showFailure(error, 'Link not shared', failureText(error, 'Please try again.')),
  }).mutate
}

function replaceLink(client: QueryClient, link: ListedLink): void {
  changeLinks(client, (links) =>
    links.map((cachedLink) => (cachedLink.id === link.id ? link : cachedLink)),
  )
}

function fileIdsOf(links: readonly ListedLink[]): string[] {
  return links.flatMap(({ files }) => files.map(({ id }) => id))
}

/** Returns a message such as '1,088 files deleted'. */
export function deletedText(count: number): string {
  return `${formatCount(count, 'file')} deleted`
}
