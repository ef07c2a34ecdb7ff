import { maxFileNameBytes } from './file-name.ts'
/** Sort keys of the File Manager (spec §2). Sorting by name ignores case. */
export const sortKeys = ['date', 'name', 'size', 'downloads'] as const
export type SortKey = (typeof sortKeys)[number]

/** The order of a list of files. Ties are broken by id. */
export interface FileOrder {
  by: SortKey
  descending: boolean
}

/** An order as text: the sort key, prefixed with `-` if descending. */
export type FileOrderText = SortKey | `-${SortKey}`

export const fileOrderTexts: readonly FileOrderText[] = sortKeys.flatMap((key) => [
  key,
  `-${key}` as const,
])

/** The default order. */
export const newestFirst: FileOrder = { by: 'date', descending: true }

/** Formats an order as text, such as `-date` for newest first. */
export function formatOrder({ by, descending }: FileOrder): FileOrderText {
  return descending ? `-${by}` : by
}

export function parseOrder(text: FileOrderText): FileOrder {
  const isDescending = text.startsWith('-')
  return { by: (isDescending ? text.slice(1) : text) as SortKey, descending: isDescending }
}

/** Maximum number of files per page. */
export const maxFilePageSize = 1000

/** Maximum length of a search, in characters. No file name is longer. */
export const maxFileSearchLength = maxFileNameBytes

/** Maximum number of files that one call can delete by id (spec §7). */
export const maxFilesPerDeletion = 1000
