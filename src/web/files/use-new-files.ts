import { type RefObject, useEffect, useState } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { shortName } from '../ui/file-name.tsx'

/** How long files are marked as new after the last new file has come, in milliseconds. */
export const newForMs = 12_000

/**
 * Returns the new files of a list. They stop being new `newForMs` after the page shows them and is
 * visible. While the keyboard focus or the pointer is in `kept`, they stay new, so that no button
 * in it disappears when somebody is about to press it.
 */
export function useNewFiles(
  files: readonly StoredFile[] | undefined,
  kept: RefObject<Element | null>,
): readonly StoredFile[] {
  const [{ of, seen }, setSeen] = useState(() => ({ of: files, seen: look(nothingSeen, files) }))
  if (of !== files) setSeen({ of: files, seen: look(seen, files) })
  const { fresh } = seen
  // Each read of the list makes new objects. The ids tell whether the set of new files has changed.
  // Only then does the time begin again.
  const which = fresh.map(({ id }) => id).join()

  useEffect(() => {
    if (which === '') return
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = () => {
      if (isInUse(kept.current)) timer = setTimeout(end, newForMs)
      else setSeen(({ of, seen }) => ({ of, seen: settle(seen) }))
    }
    const begin = () => {
      if (document.visibilityState === 'visible') timer ??= setTimeout(end, newForMs)
    }
    begin()
    document.addEventListener('visibilitychange', begin)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', begin)
    }
  }, [which, kept])

  return fresh
}

function isInUse(element: Element | null): boolean {
  return element !== null && (element.contains(document.activeElement) || element.matches(':hover'))
}

/** A longer name is cut in the middle when a screen reader announces it. */
const spokenNameLength = 60

/** What a page that shows the list of files has seen of it. */
export interface SeenFiles {
  /** The ids of all files that were ever in the list; null while it has not been read. */
  ids: ReadonlySet<string> | null
  /**
   * The newest `createdAt` of the files in `ids`, as an ISO text. ISO texts sort by time. Empty if
   * there was no file yet.
   */
  newest: string
  /** The files that became new after the last call of `settle`, in the order of the list. */
  fresh: readonly StoredFile[]
}

/** What a page has seen before it knows the list. */
export const nothingSeen: SeenFiles = { ids: null, newest: '', fresh: [] }

/**
 * Returns what a page has seen once it shows these files. In the first list, no file is new. In
 * later lists, a file is new if it was never in the list before and is not older than any file that
 * was. An older file is not new, because a deletion can bring it into the list from the next page.
 * A new file stays new until it leaves the list or `settle` is called.
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

/** Returns what a page has seen after its new files have stopped being new. */
export function settle(seen: SeenFiles): SeenFiles {
  return seen.fresh.length === 0 ? seen : { ...seen, fresh: [] }
}

/**
 * Returns the sentence for screen readers about new files. The text is empty if there are none.
 * @param fresh the new files, the newest first.
 */
export function spokenNews(fresh: readonly StoredFile[]): string {
  const [newest] = fresh
  if (newest === undefined) return ''
  const name = shortName(newest.originalName, spokenNameLength)
  return fresh.length === 1
    ? `${name}: its link is ready to copy.`
    : `${fresh.length} new links are ready to copy, the latest for ${name}.`
}
