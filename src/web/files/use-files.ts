import {
  queryOptions,
  useMutation,
  useMutationState,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useMemo } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { ApiError, call } from '../api/call.ts'
import { toast } from '../ui/toast.tsx'

/** The query for the user's files, newest first. */
export const filesQuery = queryOptions({
  queryKey: ['/api/files'],
  queryFn: ({ signal }) => call('listFiles', { signal }),
})

const deleteKey = ['DELETE /api/files']

/**
 * Returns the user's files without those that are being deleted. A row disappears when its deletion
 * is requested. It comes back only if the deletion fails, even if the list is read again meanwhile.
 */
export function useFiles() {
  const { data, isError, refetch, isFetching } = useQuery(filesQuery)
  const leaving = useMutationState({
    filters: { mutationKey: deleteKey, status: 'pending' },
    select: ({ state }) => (state.variables as StoredFile).id,
  })
  const files = useMemo(() => data?.filter(({ id }) => !leaving.includes(id)), [data, leaving])
  return { files, isError, isFetching, refetch }
}

/** Deletes a file and shows the result (spec §8). A file that is gone already counts as deleted. */
export function useDeleteFile() {
  const client = useQueryClient()
  return useMutation({
    mutationKey: deleteKey,
    mutationFn: async (file: StoredFile) => {
      try {
        await call('deleteFile', { params: { id: file.id } })
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'FILE_NOT_FOUND')) throw error
      }
    },
    onSuccess: (_, file) => {
      client.setQueryData(filesQuery.queryKey, (files) => files?.filter(({ id }) => id !== file.id))
      void client.invalidateQueries({ queryKey: filesQuery.queryKey })
      toast({ title: 'File deleted', description: file.originalName })
    },
    onError: (error) => {
      if (error instanceof ApiError && error.status === 401) return
      toast({
        title: 'Delete failed',
        description: 'Failed to delete file. Please try again.',
        tone: 'destructive',
      })
    },
  }).mutate
}
