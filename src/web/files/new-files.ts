import type { File as StoredFile } from '../../shared/contract/files.ts'
import { shortName } from '../ui/split-name.ts'

/** A longer name is cut in the middle when a screen reader announces it. */
const spokenNameLength = 60

/** What a page that shows the list of files has seen of it. */
export interface SeenFiles {
  /** The ids of all files that were ever in the list; null while it has not been read. */
  ids: ReadonlySet<string> | null
  /** The `createdAt` of the newest of them. It sorts as text. Empty while there was none. */
  newest: string
  /** Files that have come since `settle` was last called, in the order of the list. */
  fresh: readonly StoredFile[]
}

/** What a page has seen before it knows the list. */
export const nothingSeen: SeenFiles = { ids: null, newest: '', fresh: [] }

/**
 * Returns what a page has seen once it shows these files. A file is new if it was not in the list
 * before and is at least as young as all that were: older files come too when the list is read again
 * after a deletion, and a file whose deletion failed comes back. Nothing is new in the first list.
 * New files of before stay new while they are in the list.
 */
export function look(seen: SeenFiles, files: readonly StoredFile[] | undefined): SeenFiles {
  if (files === undefined) return seen
  const { ids } = seen
  const wasFresh = new Set(seen.fresh.map(({ id }) => id))
  const isFresh = ({ id, createdAt }: StoredFile) =>
    ids !== null && (wasFresh.has(id) || (!ids.has(id) && createdAt >= seen.newest))
  let { newest } = seen
  for (const { createdAt } of files) if (createdAt > newest) newest = createdAt
  return {
    ids: new Set([...(ids ?? []), ...files.map(({ id }) => id)]),
    newest,
    fresh: files.filter(isFresh),
  }
}

/** Returns what a page has seen when its new files count as known. */
export function settle(seen: SeenFiles): SeenFiles {
  return seen.fresh.length === 0 ? seen : { ...seen, fresh: [] }
}

/** Returns the sentence for screen readers about new files, the newest first; empty without any. */
export function spokenNews(fresh: readonly StoredFile[]): string {
  const [newest] = fresh
  if (newest === undefined) return ''
  const name = shortName(newest.originalName, spokenNameLength)
  return fresh.length === 1
    ? `${name}: its link is ready to copy.`
    : `${fresh.length} new links are ready to copy, the latest for ${name}.`
}
