import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import type { File as StoredFile } from '../../../shared/contract/files.ts'
import { saysSignedOut } from '../../api/query-client.ts'
import { toast } from '../../ui/toast.tsx'
import { type ListView, readToEnd, searchOf, type useFiles } from '../use-files.ts'
import {
  nothing,
  ofAll,
  type Selection,
  selectedIn,
  withKnown,
  withoutDeleted,
  withToggled,
} from './selection.ts'

function noneOf(search: string): Selection {
  return { search, files: nothing, isAll: false }
}

/**
 * Remembers which files of a list are selected. The selection stays when the order of the list
 * changes. To select all files, it first reads the pages that are not loaded yet.
 * @param found what the browser knows of the list.
 */
export function useSelection(view: ListView, found: ReturnType<typeof useFiles>) {
  const client = useQueryClient()
  const { files, isOutdated } = found
  const isWhole = !(found.hasMore || found.isFetching || found.isError || isOutdated)
  const wanted = searchOf(view)
  const [selection, setSelection] = useState<Selection>(noneOf(wanted))
  const [known, setKnown] = useState({ search: wanted, files, isWhole })

  // While a new search runs, the files of the previous search are still shown and can be selected.
  const search = isOutdated ? known.search : wanted
  if (known.search !== search || known.files !== files || known.isWhole !== isWhole) {
    setKnown({ search, files, isWhole })
    if (files) setSelection(withKnown(selection, search, { files, isWhole }))
  }

  const { mutate, isPending } = useMutation({
    mutationFn: (view: ListView) => readToEnd(client, view),
    onSuccess: (files, view) => setSelection(ofAll(searchOf(view), files)),
    onError: (error) => {
      if (saysSignedOut(error)) return
      toast({
        title: 'Error',
        description: 'Failed to load all files. Please try again.',
        tone: 'destructive',
      })
    },
  })
  return {
    /** The selected files by their ids. */
    chosen: selectedIn(selection, search),
    /** True if all files of this search were selected at once: see `Selection`. */
    isAll: selection.search === search && selection.isAll,
    isReading: isPending,
    toggle: useCallback(
      (file: StoredFile) => setSelection((before) => withToggled(before, search, file)),
      [search],
    ),
    selectAll: () => mutate(view),
    clear: () => setSelection(noneOf(search)),
    /** Takes files that have been deleted out of the selection. */
    drop: (ids: ReadonlySet<string>) => setSelection((before) => withoutDeleted(before, ids)),
  }
}
