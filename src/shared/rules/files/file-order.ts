import { maxFileNameBytes } from './file-name.ts'
/** Spec §2: what the File Manager sorts by. Names are compared without regard to capitals. */
export const sortKeys = ['date', 'name', 'size', 'downloads'] as const
export type SortKey = (typeof sortKeys)[number]

/** The order of a list of files. Files with equal values are ordered by their ids. */
export interface FileOrder {
  by: SortKey
  descending: boolean
}

/** An order as text: its key, with a `-` before it for descending. */
export type FileOrderText = SortKey | `-${SortKey}`

/** Every order, as text. */
export const fileOrderTexts: readonly FileOrderText[] = sortKeys.flatMap((key) => [
  key,
  `-${key}` as const,
])

/** The default order of a list: the newest file first. */
export const newestFirst: FileOrder = { by: 'date', descending: true }

/** Writes an order as text: `-date` for the newest first. */
export function formatOrder({ by, descending }: FileOrder): FileOrderText {
  return descending ? `-${by}` : by
}

/** Reads an order from its text. */
export function parseOrder(text: FileOrderText): FileOrder {
  const descending = text.startsWith('-')
  return { by: (descending ? text.slice(1) : text) as SortKey, descending }
}

/** The most files that one answer lists. Longer lists are split into pages. */
export const longestFilePage = 1000

/** The greatest length of a search text, in characters. No file name is longer. */
export const longestFileSearch = maxFileNameBytes

/** Spec §7: the most files that one call deletes by their ids. */
export const mostDeletedAtOnce = 1000
