import { type RefObject, useEffect, useState } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { look, nothingSeen, settle } from './new-files.ts'

/** How long files are marked as new after the last of them has come. */
export const newForMs = 12_000

/**
 * Returns the new files of a list. Files stop being new some seconds after somebody could see them on
 * the page. While the keyboard focus or the pointer is in `kept`, they stay new. So no button
 * disappears while somebody is about to press it.
 */
export function useNewFiles(
  files: readonly StoredFile[] | undefined,
  kept: RefObject<Element | null>,
): readonly StoredFile[] {
  const [{ of, seen }, setSeen] = useState(() => ({ of: files, seen: look(nothingSeen, files) }))
  if (of !== files) setSeen({ of: files, seen: look(seen, files) })
  const { fresh } = seen
  // Each reading of the list gives other objects. Only another set of new files starts the time anew.
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
