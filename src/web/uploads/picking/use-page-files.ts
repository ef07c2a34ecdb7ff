import { useEffect, useEffectEvent, useState } from 'react'
import { type Drop, isEmptyDrop } from './dropped-files.ts'
import { isEditable, listenForDrops } from './page-drop.ts'
import { readPaste } from './pasted-files.ts'

/**
 * Accepts files dropped anywhere on the page (see `listenForDrops`), and files, pictures and text
 * pasted outside text fields. Returns true while files are dragged over the page.
 */
export function usePageFiles(onFiles: (files: Drop) => void): boolean {
  const [isDragging, setDragging] = useState(false)
  const handleFiles = useEffectEvent(onFiles)

  useEffect(() => {
    const stopListening = listenForDrops({
      onDragging: setDragging,
      onDrop: (drop) => handleFiles(drop),
    })
    const handlePaste = (event: ClipboardEvent) => {
      if (!event.clipboardData || event.defaultPrevented || isEditable(event.target)) return
      void readPaste(event.clipboardData, new Date()).then((drop) => {
        if (!isEmptyDrop(drop)) handleFiles(drop)
      })
    }
    window.addEventListener('paste', handlePaste)
    return () => {
      stopListening()
      window.removeEventListener('paste', handlePaste)
    }
  }, [])

  return isDragging
}
