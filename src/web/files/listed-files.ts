import type { File as StoredFile } from '../../shared/contract/files.ts'

/** A page of a list as the server answers it. `next` is the cursor of the page after it. */
interface FilePage {
  items: readonly StoredFile[]
  next: string | null
}

/**
 * The part of a list of files that the browser knows: its pages from the first on, without a gap.
 * If the last page has a cursor, the list has more files.
 */
export interface ListedFiles {
  pages: readonly FilePage[]
}

/** Returns the files of all pages, in the order of the list. */
export function filesOf({ pages }: ListedFiles): readonly StoredFile[] {
  const [only] = pages
  return pages.length === 1 && only ? only.items : pages.flatMap(({ items }) => items)
}

/** Returns the cursor of the first page that is not known yet; null if the whole list is known. */
export function nextOf({ pages }: ListedFiles): string | null {
  return pages.at(-1)?.next ?? null
}

/** True if `file` stands after `other` in a list: it is older, or equally old with a lower id. */
function isAfter(file: StoredFile, other: StoredFile): boolean {
  return file.createdAt === other.createdAt ? file.id < other.id : file.createdAt < other.createdAt
}

/**
 * Replaces the newest files by a newly read first page. Older files are kept, so that one request
 * refreshes a list of many pages. If the new page does not reach back to the known files, those are
 * forgotten, because files between them may be missing.
 */
export function joinNewest(known: ListedFiles | undefined, page: FilePage): ListedFiles {
  const last = page.items.at(-1)
  const [first] = known?.pages[0]?.items ?? []
  if (page.next === null || !last || !first || isAfter(first, last)) return { pages: [page] }
  const older = keep(known, (file) => isAfter(file, last)).filter(({ items }) => items.length > 0)
  return { pages: [page, ...older] }
}

/** Adds the page that was read by `cursor`, if the known part still ends at this cursor. */
export function joinNext(known: ListedFiles, cursor: string, page: FilePage): ListedFiles {
  return nextOf(known) === cursor ? { pages: [...known.pages, page] } : known
}

/** Puts new files at the top. The last one of them becomes the first of the list. */
export function withStored(known: ListedFiles, stored: readonly StoredFile[]): ListedFiles {
  const ids = new Set(stored.map(({ id }) => id))
  const [first, ...others] = keep(known, ({ id }) => !ids.has(id))
  if (!first) return known
  return { pages: [{ ...first, items: [...stored.toReversed(), ...first.items] }, ...others] }
}

/** Removes files that were deleted. */
export function withoutFiles(known: ListedFiles, ids: ReadonlySet<string>): ListedFiles {
  return { pages: keep(known, (file) => !ids.has(file.id)) }
}

/** Replaces a file that has changed, without moving it. */
export function withChanged(known: ListedFiles, changed: StoredFile): ListedFiles {
  const swap = (file: StoredFile) => (file.id === changed.id ? changed : file)
  return { pages: known.pages.map((page) => ({ ...page, items: page.items.map(swap) })) }
}

/** Forgets all pages except the newest one. */
export function newestOnly(known: ListedFiles): ListedFiles {
  return { pages: known.pages.slice(0, 1) }
}

function keep(known: ListedFiles | undefined, which: (file: StoredFile) => boolean): FilePage[] {
  return (known?.pages ?? []).map((page) => ({ ...page, items: page.items.filter(which) }))
}
