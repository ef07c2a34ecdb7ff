import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { ApiError } from '../../api/call.ts'
import { toast } from '../../ui/toast.tsx'
import { type ListWish, readToEnd } from '../use-files.ts'
import { nothing, ofAll, type Selection, selectedIn, withToggled } from './selection.ts'

/**
 * Keeps which files of a list are selected. Before all files are selected, the pages that are not
 * known yet are read.
 */
export function useSelection(wish: ListWish) {
  const client = useQueryClient()
  const { search } = wish
  const [selection, setSelection] = useState<Selection>({ search, ids: nothing })
  const { mutate, isPending } = useMutation({
    mutationFn: (wish: ListWish) => readToEnd(client, wish),
    onSuccess: (files, { search }) => setSelection(ofAll(search, files)),
    onError: (error) => {
      if (error instanceof ApiError && error.status === 401) return
      toast({
        title: 'Error',
        description: 'Failed to load all files. Please try again.',
        tone: 'destructive',
      })
    },
  })
  return {
    ids: selectedIn(selection, search),
    isReading: isPending,
    toggle: useCallback(
      (id: string) => setSelection((before) => withToggled(before, search, id)),
      [search],
    ),
    selectAll: () => mutate(wish),
    clear: () => setSelection({ search, ids: nothing }),
  }
}
