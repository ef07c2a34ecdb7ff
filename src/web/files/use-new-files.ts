import { type RefObject, useEffect, useState } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { look, nothingSeen, settle } from './new-files.ts'

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
