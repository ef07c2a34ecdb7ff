import { useEffect, useEffectEvent, useState } from 'react'
import type { Drop } from './dropped-files.ts'
import { followPageDrop } from './page-drop.ts'

/**
 * Makes the whole page accept dropped files and folders (see `followPageDrop`). Returns true while
 * the user drags files over the page.
 */
export function usePageDrop(onDrop: (drop: Drop) => void): boolean {
  const [isDragging, setDragging] = useState(false)
  const drop = useEffectEvent(onDrop)

  useEffect(
    () => followPageDrop({ onDragging: setDragging, onDrop: (dropped) => drop(dropped) }),
    [],
  )

  return isDragging
}
