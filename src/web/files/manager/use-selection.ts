import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import type { File as StoredFile } from '../../../shared/contract/files.ts'
import { showFailure } from '../../api/show-failure.ts'
import { type ListView, loadAll, type useFiles } from '../use-files.ts'

const noFiles: readonly StoredFile[] = []

/**
 * The selected files. They are stored as whole objects, because changing the sort order can unload
 * part of the list. Each search has its own selection so that users can't delete files that aren't
 * listed.
 */
interface Selection {
  searchKey: string
  files: ReadonlyMap<string, StoredFile>
}

/**
 * Manages which files in a list are selected.
 * @param list the loaded part of the list.
 */
export function useSelection(view: ListView, list: ReturnType<typeof useFiles>) {
  const client = useQueryClient()
  const { searchKey, files: listedFiles = noFiles, hasMore, isOutdated } = list
  const [selection, setSelection] = useState<Selection>({ searchKey, files: new Map() })

  // The order and details of selected files come from the list. Once the list is fully loaded,
  // selected files that are missing from it no longer exist.
  const isComplete = !hasMore && !isOutdated
  const selectedFiles = useMemo(() => {
    if (selection.searchKey !== searchKey) return noFiles
    const listedSelection = listedFiles.filter(({ id }) => selection.files.has(id))
    if (isComplete) return listedSelection
    const listedIds = new Set(listedSelection.map(({ id }) => id))
    return [
      ...listedSelection,
      ...[...selection.files.values()].filter(({ id }) => !listedIds.has(id)),
    ]
  }, [selection, searchKey, listedFiles, isComplete])
  const selectedIds = useMemo(() => new Set(selectedFiles.map(({ id }) => id)), [selectedFiles])

  const select = (files: readonly StoredFile[], searchKey: string) =>
    setSelection({ searchKey, files: new Map(files.map((file) => [file.id, file])) })
  const { mutate, isPending } = useMutation({
    mutationFn: () => loadAll(client, view),
    onSuccess: ({ files, searchKey }) => select(files, searchKey),
    onError: (error) => showFailure(error, 'Error', 'Failed to load all files. Please try again.'),
  })
  return {
    selected: selectedFiles,
    selectedIds,
    isLoadingAll: isPending,
    toggle: useCallback(
      (file: StoredFile) =>
        setSelection((previous) => {
          const files = new Map(previous.searchKey === searchKey ? previous.files : [])
          if (!files.delete(file.id)) files.set(file.id, file)
          return { searchKey, files }
        }),
      [searchKey],
    ),
    /** Loads the rest of the list first if necessary. */
    selectAll: () => (isComplete ? select(listedFiles, searchKey) : mutate()),
    clear: () => setSelection({ searchKey, files: new Map() }),
    /** Removes deleted files from the selection. */
    drop: (ids: ReadonlySet<string>) =>
      setSelection((previous) => ({
        ...previous,
        files: new Map([...previous.files].filter(([id]) => !ids.has(id))),
      })),
  }
}
