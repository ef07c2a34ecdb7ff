import { type Drop, readDrop } from './dropped-files.ts'

/** Selects text fields and select menus. */
const fields =
  'input:not([type="button" i], [type="checkbox" i], [type="file" i], [type="radio" i], [type="range" i], [type="reset" i], [type="submit" i]), textarea, select, [contenteditable]:not([contenteditable="false"])'

/** True if `target` is in a field that accepts dropped or pasted text. */
export function isEditable(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(fields) !== null
}

export interface PageDrop {
  /** Called when a drag of files over the page starts or ends. */
  onDragging: (isDragging: boolean) => void
  /** Called once all dropped folders have been read. */
  onDrop: (drop: Drop) => void
}

/**
 * Accepts files and folders dropped anywhere on the page, except content dragged from the page
 * itself. Ignores text and links outside text fields, where the browser would otherwise open them.
 * Returns a function that stops this.
 */
export function followPageDrop({ onDragging, onDrop }: PageDrop): () => void {
  // Browsers fire `dragenter` for an inner element before `dragleave` for the outer one, so only
  // the last entered element counts.
  let entered: EventTarget | null = null
  let isFromPage = false
  const stopped = new AbortController()
  const endDrag = () => {
    entered = null
    onDragging(false)
  }
  const hasFiles = (event: DragEvent) =>
    !isFromPage && (event.dataTransfer?.types.includes('Files') ?? false)
  const on = (
    type: 'dragstart' | 'dragenter' | 'dragover' | 'dragleave' | 'drop' | 'dragend',
    listener: (event: DragEvent) => void,
  ) => window.addEventListener(type, listener, { signal: stopped.signal })

  on('dragstart', () => {
    isFromPage = true
  })
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
    if (event.target === entered) endDrag()
  })
  on('drop', (event) => {
    endDrag()
    // A paused upload in the uploads panel may have handled this drop.
    if (event.defaultPrevented) return
    if (hasFiles(event)) void readDrop(event.dataTransfer?.items ?? []).then(onDrop)
    else if (isEditable(event.target)) return
    event.preventDefault()
  })
  on('dragend', () => {
    isFromPage = false
    endDrag()
  })
  return () => stopped.abort()
}
