import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ErrorCode } from '../../shared/contract/errors.ts'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { mostDeletedAtOnce } from '../../shared/rules/files/file-order.ts'
import { ApiError, call, publicMessage } from '../api/call.ts'
import { saysSignedOut } from '../api/query-client.ts'
import { toast } from '../ui/toast.tsx'
import { changeFiles, deleteKey, refreshFiles, reopenFiles } from './use-files.ts'

function isRefusedAs(error: unknown, ...codes: ErrorCode[]): boolean {
  return error instanceof ApiError && error.code !== undefined && codes.includes(error.code)
}

/** True if a renewal was refused for a reason that does not go away. */
export function isFinalRefusal(error: unknown): boolean {
  return isRefusedAs(error, 'FILE_GONE', 'FILE_NOT_FOUND', 'TIER_RENEWAL')
}

/** Shows an error, except the end of the session, which has a toast of its own. */
function showError(error: unknown, title: string, description: string): void {
  if (saysSignedOut(error)) return
  toast({ title, description, tone: 'destructive' })
}

/** Deletes a file and shows the result (spec §8). A file that no longer exists is a success. */
export function useDeleteFile() {
  const client = useQueryClient()
  return useMutation({
    mutationKey: deleteKey,
    mutationFn: async (file: StoredFile) => {
      try {
        await call('deleteFile', { params: { id: file.id } })
      } catch (error) {
        if (!isRefusedAs(error, 'FILE_NOT_FOUND')) throw error
      }
    },
    onSuccess: (_, file) => {
      changeFiles(client, (files) => files.filter(({ id }) => id !== file.id))
      refreshFiles(client)
      toast({ title: 'File deleted', description: file.originalName })
    },
    onError: (error) =>
      showError(error, 'Delete failed', 'Failed to delete file. Please try again.'),
  }).mutate
}

/**
 * Deletes any number of files and shows the result (spec §8). Many files need several calls; if one
 * fails, the earlier ones have deleted their files.
 * @param onDeleted called with the ids of the files after each successful call.
 */
export function useDeleteFiles(onDeleted: (ids: ReadonlySet<string>) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (files: readonly StoredFile[]) => {
      let missing = 0
      for (let from = 0; from < files.length; from += mostDeletedAtOnce) {
        const fileIds = files.slice(from, from + mostDeletedAtOnce).map(({ id }) => id)
        const { notFound } = await call('deleteFiles', { body: { fileIds } })
        missing += notFound.length
        const gone = new Set(fileIds)
        changeFiles(client, (files) => files.filter(({ id }) => !gone.has(id)))
        onDeleted(gone)
      }
      return missing
    },
    onSuccess: (missing, files) =>
      toast({
        title: deletedText(files.length - missing),
        ...(missing > 0 && {
          description: `${missing.toLocaleString('en')} ${missing === 1 ? 'was' : 'were'} already deleted.`,
        }),
      }),
    onError: (error) => showError(error, 'Error', 'Failed to delete files. Please try again.'),
    onSettled: () => refreshFiles(client),
  })
}

/** Deletes the user's expired files and shows the result (spec §8). */
export function useClearExpired() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (_: readonly StoredFile[]) => call('deleteExpiredFiles'),
    onSuccess: ({ message }) => {
      reopenFiles(client)
      toast({ title: 'Expired history cleared', description: message })
    },
    onError: (error) =>
      showError(error, 'Delete failed', 'Failed to delete expired files. Please try again.'),
  })
}

/**
 * Gives a file a new link. Shows an error (spec §8); if another attempt cannot help, it has the
 * server's text, and the lists are read again.
 */
export function useRenewFile() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, days }: { id: string; days: number }) =>
      call('renewFile', { params: { id }, body: { expirationDays: days } }),
    onSuccess: (file) => {
      changeFiles(client, (files) => files.map((known) => (known.id === file.id ? file : known)))
      refreshFiles(client)
    },
    onError: (error) => {
      const isFinal = isFinalRefusal(error)
      const reason = isFinal ? publicMessage(error) : undefined
      const description = reason ?? 'Failed to renew the file link. Please try again.'
      showError(error, 'Renewal failed', description)
      if (isFinal) refreshFiles(client)
    },
  })
}

/** Example: '1,088 files deleted'. */
export function deletedText(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'file' : 'files'} deleted`
}
