import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { maxFilesPerDeletion } from '../../shared/rules/files/file-order.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { call, hasErrorCode, ignoreErrors, publicMessage } from '../api/call.ts'
import { showFailure } from '../api/show-failure.ts'
import { toast } from '../ui/toast.tsx'
import { changeFiles, deleteMutationKey, refreshFiles, resetFileLists } from './use-files.ts'

/** Reports whether a renewal error is permanent, which makes retrying pointless. */
export function isPermanentError(error: unknown): boolean {
  return hasErrorCode(error, 'FILE_GONE', 'FILE_NOT_FOUND', 'TIER_RENEWAL')
}

/**
 * Deletes a file and shows the result (spec §8). A file that no longer exists counts as deleted.
 */
export function useDeleteFile() {
  const client = useQueryClient()
  return useMutation({
    mutationKey: deleteMutationKey,
    mutationFn: (file: StoredFile) =>
      call('deleteFile', { params: { id: file.id } }).catch(ignoreErrors('FILE_NOT_FOUND')),
    onSuccess: (_, file) => {
      changeFiles(client, (files) => files.filter(({ id }) => id !== file.id))
      refreshFiles(client)
      toast({ title: 'File deleted', description: file.originalName })
    },
    onError: (error) =>
      showFailure(error, 'Delete failed', 'Failed to delete file. Please try again.'),
  }).mutate
}

/**
 * Deletes files in batches and shows the result (spec §8). If a batch fails, files deleted by
 * earlier batches stay deleted.
 * @param onDeleted called after each batch with the ids of its files.
 */
export function useDeleteFiles(onDeleted: (ids: ReadonlySet<string>) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (files: readonly StoredFile[]) => {
      let missingCount = 0
      for (let start = 0; start < files.length; start += maxFilesPerDeletion) {
        const fileIds = files.slice(start, start + maxFilesPerDeletion).map(({ id }) => id)
        const { notFound } = await call('deleteFiles', { body: { fileIds } })
        missingCount += notFound.length
        const deletedIds = new Set(fileIds)
        changeFiles(client, (files) => files.filter(({ id }) => !deletedIds.has(id)))
        onDeleted(deletedIds)
      }
      return missingCount
    },
    onSuccess: (missingCount, files) =>
      toast({
        title: deletedText(files.length - missingCount),
        ...(missingCount > 0 && {
          description: `${missingCount.toLocaleString('en')} ${missingCount === 1 ? 'was' : 'were'} already deleted.`,
        }),
      }),
    onError: (error) => showFailure(error, 'Error', 'Failed to delete files. Please try again.'),
    onSettled: () => refreshFiles(client),
  })
}

/** Deletes the user's expired files and shows the result (spec §8). */
export function useClearExpired() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => call('deleteExpiredFiles'),
    onSuccess: ({ message }) => {
      resetFileLists(client)
      toast({ title: 'Expired history cleared', description: message })
    },
    onError: (error) =>
      showFailure(error, 'Delete failed', 'Failed to delete expired files. Please try again.'),
  })
}

/**
 * Renews a file's link and shows errors (spec §8). After a permanent error, shows the server's
 * message and reloads the lists.
 */
export function useRenewFile() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, days }: { id: string; days: number }) =>
      call('renewFile', { params: { id }, body: { expirationDays: days } }),
    onSuccess: (file) => {
      changeFiles(client, (files) =>
        files.map((cachedFile) => (cachedFile.id === file.id ? file : cachedFile)),
      )
      refreshFiles(client)
    },
    onError: (error) => {
      const isPermanent = isPermanentError(error)
      const serverMessage = isPermanent ? publicMessage(error) : undefined
      const description = serverMessage ?? 'Failed to renew the file link. Please try again.'
      showFailure(error, 'Renewal failed', description)
      if (isPermanent) refreshFiles(client)
    },
  })
}

/** Returns a message such as '1,088 files deleted'. */
export function deletedText(count: number): string {
  return `${formatCount(count, 'file')} deleted`
}
