import type { File as StoredFile } from '../../shared/contract/files.ts'

/** A page of a list as the server answers it. `next` is the cursor of the page after it. */
interface FilePage {
  items: readonly StoredFile[]
  next: string | null
}

/**
 * What the browser knows of a list of files: its pages from the newest on, without a gap. The list
 * goes on beyond them if the last page has a cursor.
 */
export interface ListedFiles {
  pages: readonly FilePage[]
}

/** Returns the files of all pages, newest first. */
export function filesOf({ pages }: ListedFiles): readonly StoredFile[] {
  const [only] = pages
  return pages.length === 1 && only ? only.items : pages.flatMap(({ items }) => items)
}

/** Returns the cursor of what is not known yet; null if the list is known to its end. */
export function nextOf({ pages }: ListedFiles): string | null {
  return pages.at(-1)?.next ?? null
}

/** Whether `file` stands after `other` in a list: it is older, or as old and of a lower id. */
function isAfter(file: StoredFile, other: StoredFile): boolean {
  return file.createdAt === other.createdAt ? file.id < other.id : file.createdAt < other.createdAt
}

/**
 * Puts the newest page, read again, in place of what it covers. Older files stay, so that a list of
 * many pages is refreshed by one request. If so many files are new that the page does not reach
 * what was known, that is forgotten, because there may be a gap.
 */
export function joinNewest(known: ListedFiles | undefined, page: FilePage): ListedFiles {
  const last = page.items.at(-1)
  const [first] = known?.pages[0]?.items ?? []
  if (page.next === null || !last || !first || isAfter(first, last)) return { pages: [page] }
  const older = keep(known, (file) => isAfter(file, last)).filter(({ items }) => items.length > 0)
  return { pages: [page, ...older] }
}

/** Adds the page that was read by `cursor`, if the list still ends there. */
export function joinNext(known: ListedFiles, cursor: string, page: FilePage): ListedFiles {
  return nextOf(known) === cursor ? { pages: [...known.pages, page] } : known
}

/** Puts new files on top, the last of them first. */
export function withStored(known: ListedFiles, stored: readonly StoredFile[]): ListedFiles {
  const ids = new Set(stored.map(({ id }) => id))
  const [first, ...others] = keep(known, ({ id }) => !ids.has(id))
  if (!first) return known
  return { pages: [{ ...first, items: [...stored.toReversed(), ...first.items] }, ...others] }
}

/** Leaves out a file that was deleted. */
export function withoutFile(known: ListedFiles, id: string): ListedFiles {
  return { pages: keep(known, (file) => file.id !== id) }
}

/** Puts a file that has changed in its own place. */
export function withChanged(known: ListedFiles, changed: StoredFile): ListedFiles {
  const swap = (file: StoredFile) => (file.id === changed.id ? changed : file)
  return { pages: known.pages.map((page) => ({ ...page, items: page.items.map(swap) })) }
}

/** Forgets all but the newest page. */
export function newestOnly(known: ListedFiles): ListedFiles {
  return { pages: known.pages.slice(0, 1) }
}

function keep(known: ListedFiles | undefined, which: (file: StoredFile) => boolean): FilePage[] {
  return (known?.pages ?? []).map((page) => ({ ...page, items: page.items.filter(which) }))
}
