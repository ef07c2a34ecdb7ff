import { type Drop, readDrop } from './dropped-files.ts'

/** Matches text fields and select menus. */
const editableSelector =
  'input:not([type="button" i], [type="checkbox" i], [type="file" i], [type="radio" i], [type="range" i], [type="reset" i], [type="submit" i]), textarea, select, [contenteditable]:not([contenteditable="false"])'

/** True if `target` is in a field that accepts dropped or pasted text. */
export function isEditable(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(editableSelector) !== null
}

export interface PageDropListener {
  /** Called when a drag of files over the page starts or ends. */
  onDragging: (isDragging: boolean) => void
  /** Called after all dropped folders have been read. */
  onDrop: (drop: Drop) => void
}

/**
 * Accepts files and folders dropped anywhere on the page, except content dragged from the page
 * itself. Text and links dropped outside text fields are ignored, while browsers would open them by
 * default. Returns a function that stops listening.
 */
export function listenForDrops({ onDragging, onDrop }: PageDropListener): () => void {
  // Browsers fire `dragenter` for an inner element before `dragleave` for the outer one, so only
  // the last entered element counts.
  let enteredElement: EventTarget | null = null
  let isDragFromPage = false
  const controller = new AbortController()
  const endDrag = () => {
    enteredElement = null
    onDragging(false)
  }
  const hasFiles = (event: DragEvent) =>
    !isDragFromPage && (event.dataTransfer?.types.includes('Files') ?? false)
  const listen = (
    type: 'dragstart' | 'dragenter' | 'dragover' | 'dragleave' | 'drop' | 'dragend',
    listener: (event: DragEvent) => void,
  ) => window.addEventListener(type, listener, { signal: controller.signal })

  listen('dragstart', () => {
    isDragFromPage = true
  })
  listen('dragenter', (event) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    enteredElement = event.target
    onDragging(true)
  })
  listen('dragover', (event) => {
    if (!hasFiles(event) && isEditable(event.target)) return
    event.preventDefault()
    if (event.dataTransfer) event.dataTransfer.dropEffect = hasFiles(event) ? 'copy' : 'none'
  })
  listen('dragleave', (event) => {
    if (event.target === enteredElement) endDrag()
  })
  listen('drop', (event) => {
    endDrag()
    // A paused upload in the uploads panel may have handled this drop.
    if (event.defaultPrevented) return
    if (hasFiles(event)) void readDrop(event.dataTransfer?.items ?? []).then(onDrop)
    else if (isEditable(event.target)) return
    event.preventDefault()
  })
  listen('dragend', () => {
    isDragFromPage = false
    endDrag()
  })
  return () => controller.abort()
}
