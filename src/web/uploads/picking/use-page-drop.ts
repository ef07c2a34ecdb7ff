import { useEffect, useEffectEvent, useState } from 'react'
import { type Drop, readDrop } from './dropped-files.ts'
import { isEditable } from './is-editable.ts'

/**
 * Lets the whole page take a drop of files and folders; answers whether any are being dragged over it.
 * `onDrop` is called when the folders have been read.
 * Text and links are no files: they are left to the fields that take them, and never make the
 * browser leave the page. What is dragged from the page itself is not an upload.
 */
export const usePageDrop = (onDrop: (drop: Drop) => void): boolean => {
  const [isDragging, setDragging] = useState(false)
  const drop = useEffectEvent(onDrop)

  useEffect(() => {
    // Entering an element comes before leaving the one around it: only the last one entered counts.
    let entered: EventTarget | null = null
    let fromHere = false
    const over = new AbortController()
    const stop = () => {
      entered = null
      setDragging(false)
    }
    const hasFiles = (event: DragEvent) =>
      !fromHere && (event.dataTransfer?.types.includes('Files') ?? false)
    const on = (
      type: 'dragenter' | 'dragover' | 'dragleave' | 'drop',
      react: (event: DragEvent) => void,
    ) => window.addEventListener(type, react, { signal: over.signal })

    on('dragenter', (event) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      entered = event.target
      setDragging(true)
    })
    on('dragover', (event) => {
      if (!hasFiles(event) && isEditable(event.target)) return
      event.preventDefault()
      if (event.dataTransfer) event.dataTransfer.dropEffect = hasFiles(event) ? 'copy' : 'none'
    })
    on('dragleave', (event) => {
      if (event.target === entered) stop()
    })
    on('drop', (event) => {
      stop()
      // A part of the page took it: an upload that waits for its file.
      if (event.defaultPrevented) return
      if (!hasFiles(event)) {
        if (!isEditable(event.target)) event.preventDefault()
        return
      }
      event.preventDefault()
      void readDrop(event.dataTransfer?.items ?? []).then(drop)
    })
    const leave = { signal: over.signal }
    window.addEventListener(
      'dragstart',
      () => {
        fromHere = true
      },
      leave,
    )
    window.addEventListener(
      'dragend',
      () => {
        fromHere = false
        stop()
      },
      leave,
    )
    return () => over.abort()
  }, [])

  return isDragging
}
