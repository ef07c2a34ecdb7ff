import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { showFailure } from '../../api/show-failure.ts'
import type { ListedLink } from '../listed-link.ts'
import { type ListView, loadAll, type useLinks } from '../use-links.ts'

const noLinks: readonly ListedLink[] = []

/**
 * The selected links. They are stored as whole objects, because changing the sort order can unload
 * part of the list. Each search has its own selection so that users can't delete links that aren't
 * listed.
 */
interface Selection {
  searchKey: string
  links: ReadonlyMap<string, ListedLink>
}

/**
 * Manages which links in a list are selected.
 * @param list the loaded part of the list.
 */
export function useSelection(view: ListView, list: ReturnType<typeof useLinks>) {
  const client = useQueryClient()
  const { searchKey, links: listedLinks = noLinks, hasNextPage, isPlaceholderData } = list
  const [selection, setSelection] = useState<Selection>({ searchKey, links: new Map() })

  // The order and details of selected links come from the list. Once the list is fully loaded,
  // selected links that are missing from it no longer exist.
  const isComplete = !hasNextPage && !isPlaceholderData
  const selectedLinks = useMemo(() => {
    if (selection.searchKey !== searchKey) return noLinks
    const listedSelection = listedLinks.filter(({ id }) => selection.links.has(id))
    if (isComplete) return listedSelection
    const listedIds = new Set(listedSelection.map(({ id }) => id))
    return [
      ...listedSelection,
      ...[...selection.links.values()].filter(({ id }) => !listedIds.has(id)),
    ]
  }, [selection, searchKey, listedLinks, isComplete])
  const selectedIds = useMemo(() => new Set(selectedLinks.map(({ id }) => id)), [selectedLinks])

  const select = (links: readonly ListedLink[], searchKey: string) =>
    setSelection({ searchKey, links: new Map(links.map((link) => [link.id, link])) })
  const { mutate, isPending } = useMutation({
    mutationFn: () => loadAll(client, view),
    onSuccess: ({ links, searchKey }) => select(links, searchKey),
    onError: (error) => showFailure(error, 'Error', 'Failed to load all files. Please try again.'),
  })
  return {
    selected: selectedLinks,
    selectedIds,
    isLoadingAll: isPending,
    toggle: useCallback(
      (link: ListedLink) =>
        setSelection((previous) => {
          const links = new Map(previous.searchKey === searchKey ? previous.links : [])
          if (!links.delete(link.id)) links.set(link.id, link)
          return { searchKey, links }
        }),
      [searchKey],
    ),
    /** Loads the rest of the list first if necessary. */
    selectAll: () => (isComplete ? select(listedLinks, searchKey) : mutate()),
    clear: () => setSelection({ searchKey, links: new Map() }),
    /** Removes deleted links from the selection. */
    drop: (ids: ReadonlySet<string>) =>
      setSelection((previous) => ({
        ...previous,
        links: new Map([...previous.links].filter(([id]) => !ids.has(id))),
      })),
  }
}
