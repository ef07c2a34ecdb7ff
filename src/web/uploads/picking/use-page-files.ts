import { useEffect, useEffectEvent, useState } from 'react'
import { type Drop, isEmptyDrop } from './dropped-files.ts'
import { followPageDrop, isEditable } from './page-drop.ts'
import { readPaste } from './pasted-files.ts'

/**
 * Accepts files dropped anywhere on the page (see `followPageDrop`), and pasted files, pictures and
 * text, except in text fields. Returns true while files are dragged over the page.
 * @param onFiles called once all folders have been read.
 */
export function usePageFiles(onFiles: (files: Drop) => void): boolean {
  const [isDragging, setDragging] = useState(false)
  const take = useEffectEvent(onFiles)

  useEffect(() => {
    const stopFollowing = followPageDrop({
      onDragging: setDragging,
      onDrop: (drop) => take(drop),
    })
    const paste = (event: ClipboardEvent) => {
      if (!event.clipboardData || event.defaultPrevented || isEditable(event.target)) return
      void readPaste(event.clipboardData, new Date()).then((pasted) => {
        if (!isEmptyDrop(pasted)) take(pasted)
      })
    }
    window.addEventListener('paste', paste)
    return () => {
      stopFollowing()
      window.removeEventListener('paste', paste)
    }
  }, [])

  return isDragging
}
