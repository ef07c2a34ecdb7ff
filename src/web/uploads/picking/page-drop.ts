import { type Drop, readDrop } from './dropped-files.ts'
import { isEditable } from './is-editable.ts'

export interface PageDrop {
  /** Is called when the user begins to drag files over the page, and when this ends. */
  onDragging: (isDragging: boolean) => void
  /** Is called when all folders of a drop have been read. */
  onDrop: (drop: Drop) => void
}

/**
 * Makes the whole page accept dropped files and folders. Text and links can be dropped only into a
 * text field. Elsewhere they are ignored, because the browser would otherwise leave the page.
 * Content that is dragged from the page itself is not uploaded. Returns a function that ends all of
 * this.
 */
export function followPageDrop({ onDragging, onDrop }: PageDrop): () => void {
  // The browser reports that the pointer entered an inner element before it reports that it left
  // the outer one. So only the last entered element counts.
  let entered: EventTarget | null = null
  let fromHere = false
  const over = new AbortController()
  const stop = () => {
    entered = null
    onDragging(false)
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
    onDragging(true)
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
    // If a paused upload in the uploads panel has taken this drop, the page must not take it too.
    if (event.defaultPrevented) return
    if (!hasFiles(event)) {
      if (!isEditable(event.target)) event.preventDefault()
      return
    }
    event.preventDefault()
    void readDrop(event.dataTransfer?.items ?? []).then(onDrop)
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
}
