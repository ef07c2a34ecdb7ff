/**
 * The ids of the selected files of a list. A selection belongs to one search: another search shows
 * other files, and nobody should delete files that are not shown.
 */
export interface Selection {
  search: string
  ids: ReadonlySet<string>
}

export const nothing: ReadonlySet<string> = new Set()

/** Returns the ids of the files that are selected in a search. */
export function selectedIn(selection: Selection, search: string): ReadonlySet<string> {
  return selection.search === search ? selection.ids : nothing
}

/** Selects a file of a search. If the file is selected already, removes it from the selection. */
export function withToggled(selection: Selection, search: string, id: string): Selection {
  const ids = new Set(selectedIn(selection, search))
  if (!ids.delete(id)) ids.add(id)
  return { search, ids }
}

/** Selects exactly these files of a search. */
export function ofAll(search: string, files: readonly { id: string }[]): Selection {
  return { search, ids: new Set(files.map(({ id }) => id)) }
}
