import { useEffect, useEffectEvent, useState } from 'react'
import { type Drop, readDrop } from './dropped-files.ts'
import { isEditable } from './is-editable.ts'

/**
 * Lets the whole page take a drop of files and folders. Answers whether any are dragged over it now.
 * `onDrop` is called when the folders have been read. Text and links go to the fields that take them, and
 * never make the browser leave the page. What is dragged from the page itself is no upload.
 */
export function usePageDrop(onDrop: (drop: Drop) => void): boolean {
  const [isDragging, setDragging] = useState(false)
  const drop = useEffectEvent(onDrop)

  useEffect(() => {
    // An element is entered before the one around it is left: only the last one entered counts.
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
      // An upload that waits for its file has taken it.
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
