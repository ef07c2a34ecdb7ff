import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import type { File as StoredFile } from '../../../shared/contract/files.ts'
import { saysSignedOut } from '../../api/query-client.ts'
import { toast } from '../../ui/toast.tsx'
import { type ListView, readToEnd, searchOf, type useFiles } from '../use-files.ts'

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

/**
 * The selected files of a list, by their ids. It has the whole files: after a change of the order,
 * the browser may know only the first page of the list, without some selected files. A selection
 * belongs to one search: another search shows other files, and nobody should delete files that are
 * not shown.
 */
export interface Selection {
  search: string
  files: ReadonlyMap<string, StoredFile>
  /**
   * True if all files of the search were selected at once, and none was deselected since. The
   * browser need not know the whole list any more.
   */
  isAll: boolean
}

/** What the browser knows of a list. */
export interface KnownList {
  files: readonly StoredFile[]
  /** True if these are all files of the list, as the server has them now. */
  isWhole: boolean
}

export const nothing: ReadonlyMap<string, StoredFile> = new Map()

/** Returns the files that are selected in a search. */
export function selectedIn(selection: Selection, search: string): ReadonlyMap<string, StoredFile> {
  return selection.search === search ? selection.files : nothing
}

/** Selects a file of a search. If the file is selected already, removes it from the selection. */
export function withToggled(selection: Selection, search: string, file: StoredFile): Selection {
  const files = new Map(selectedIn(selection, search))
  if (!files.delete(file.id)) files.set(file.id, file)
  return { search, files, isAll: false }
}

/** Selects exactly these files, which are all files of a search. */
export function ofAll(search: string, files: readonly StoredFile[]): Selection {
  return { search, files: new Map(files.map((file) => [file.id, file])), isAll: true }
}

/** Takes files that have been deleted out of the selection. */
export function withoutDeleted(selection: Selection, ids: ReadonlySet<string>): Selection {
  const files = [...selection.files].filter(([id]) => !ids.has(id))
  return { ...selection, files: new Map(files) }
}

/**
 * Updates a selection when the browser has loaded the list of a search again. Selected files that
 * have changed, for instance by a renewal, are replaced. If the whole list is known, a selected
 * file that is not in it no longer exists and leaves the selection. If only a part is known, such a
 * file stays selected. If a listed file is not selected, `isAll` becomes false.
 */
export function withKnown(selection: Selection, search: string, known: KnownList): Selection {
  if (selection.search !== search || selection.files.size === 0) return selection
  const listed = new Map(known.files.map((file) => [file.id, file]))
  const files = new Map<string, StoredFile>()
  for (const [id, file] of selection.files) {
    const current = listed.get(id) ?? (known.isWhole ? undefined : file)
    if (current) files.set(id, current)
  }
  const isAll = selection.isAll && known.files.every(({ id }) => files.has(id))
  return { search, files, isAll }
}

/**
 * Returns the selected files: first those that the list shows, in its order, then those that it
 * does not show yet.
 */
export function inOrder(
  selected: ReadonlyMap<string, StoredFile>,
  listed: readonly StoredFile[],
): readonly StoredFile[] {
  if (selected.size === 0) return []
  const shown = listed.filter(({ id }) => selected.has(id))
  if (shown.length === selected.size) return shown
  const shownIds = new Set(shown.map(({ id }) => id))
  return [...shown, ...[...selected.values()].filter(({ id }) => !shownIds.has(id))]
}
