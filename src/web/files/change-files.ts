import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ErrorCode } from '../../shared/contract/errors.ts'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { mostDeletedAtOnce } from '../../shared/rules/files/file-order.ts'
import { ApiError, call, publicMessage } from '../api/call.ts'
import { saysSignedOut } from '../api/query-client.ts'
import { shortName } from '../ui/file-name.tsx'
import { toast } from '../ui/toast.tsx'
import { withChanged, withoutFiles } from './listed-files.ts'
import { changeLists, deleteKey, refreshFiles, reopenFiles } from './use-files.ts'

function isRefusedAs(error: unknown, ...codes: ErrorCode[]): boolean {
  return error instanceof ApiError && error.code !== undefined && codes.includes(error.code)
}

/** True if a renewal was refused for a reason that another attempt does not change. */
export function isFinalRefusal(error: unknown): boolean {
  return isRefusedAs(error, 'FILE_GONE', 'FILE_NOT_FOUND', 'TIER_RENEWAL')
}

/**
 * Shows a failure. It shows nothing if the session has ended, because that has a toast of its own.
 */
function tellFailure(error: unknown, title: string, description: string): void {
  if (saysSignedOut(error)) return
  toast({ title, description, tone: 'destructive' })
}

/**
 * Deletes a file and shows the result (spec §8). If the file no longer exists, this is a success
 * too.
 */
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
      changeLists(client, (known) => withoutFiles(known, new Set([file.id])))
      refreshFiles(client)
      toast({ title: 'File deleted', description: file.originalName })
    },
    onError: (error) =>
      tellFailure(error, 'Delete failed', 'Failed to delete file. Please try again.'),
  }).mutate
}

/**
 * Deletes any number of files and shows the result (spec §8). The result also says how many files
 * no longer existed, and names the first of them. Many files need several calls. If one fails, the
 * files of the calls before it stay deleted and leave the lists.
 * @param onDeleted called with the ids of the files of each call that succeeded.
 */
export function useDeleteFiles(onDeleted: (ids: ReadonlySet<string>) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (files: readonly StoredFile[]) => {
      const missing = new Set<string>()
      for (let from = 0; from < files.length; from += mostDeletedAtOnce) {
        const fileIds = files.slice(from, from + mostDeletedAtOnce).map(({ id }) => id)
        const { notFound } = await call('deleteFiles', { body: { fileIds } })
        for (const id of notFound) missing.add(id)
        const gone = new Set(fileIds)
        changeLists(client, (known) => withoutFiles(known, gone))
        onDeleted(gone)
      }
      return missing
    },
    onSuccess: (missing, files) => {
      const names = files.filter(({ id }) => missing.has(id)).map((file) => file.originalName)
      const description = notFoundText(names)
      toast({
        title: deletedText(files.length - names.length),
        ...(description && { description }),
      })
    },
    onError: (error) => tellFailure(error, 'Error', 'Failed to delete files. Please try again.'),
    onSettled: () => refreshFiles(client),
  })
}

/** Deletes the user's expired files and shows the result (spec §8). */
export function useClearExpired() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => call('deleteExpiredFiles'),
    onSuccess: ({ message }) => {
      // Expired files can be anywhere in the list, so all pages of the list are out of date.
      reopenFiles(client)
      toast({ title: 'Expired history cleared', description: message })
    },
    onError: (error) =>
      tellFailure(error, 'Delete failed', 'Failed to delete expired files. Please try again.'),
  })
}

/**
 * Gives a file a new link and updates the lists immediately. A failure is shown (spec §8). If
 * another attempt cannot help, the failure has the server's text, and the lists are read again.
 */
export function useRenewFile() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, days }: { id: string; days: number }) =>
      call('renewFile', { params: { id }, body: { expirationDays: days } }),
    onSuccess: (file) => {
      changeLists(client, (known) => withChanged(known, file))
      refreshFiles(client)
    },
    onError: (error) => {
      const isFinal = isFinalRefusal(error)
      const reason = isFinal ? publicMessage(error) : undefined
      const description = reason ?? 'Failed to renew the file link. Please try again.'
      tellFailure(error, 'Renewal failed', description)
      if (isFinal) refreshFiles(client)
    },
  })
}

/** `notFoundText` names at most this many files, and shortens each name to this many characters. */
const mostNamed = 3
const longestName = 40

const list = new Intl.ListFormat('en-GB')

/** Says how many files were deleted: '1,088 files deleted'. */
export function deletedText(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'file' : 'files'} deleted`
}

/**
 * Says how many files had already been deleted, and names the first of them. Returns undefined if
 * `names` is empty.
 */
export function notFoundText(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  const named = names.slice(0, mostNamed).map((name) => `“${shortName(name, longestName)}”`)
  const others = names.length - named.length
  const more = others > 0 ? [`${others.toLocaleString('en')} more`] : []
  const count = names.length.toLocaleString('en')
  return `${count} were already deleted: ${list.format([...named, ...more])}.`
}
