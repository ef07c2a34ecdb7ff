import type { MouseEvent, RefObject } from 'react'
import { type Drop, isEmptyDrop } from './dropped-files.ts'
import { openFilePicker } from './file-picker.ts'

export interface FileInputProps {
  label: string
  onFiles: (drop: Drop) => void
  /** The file input. Clicking it opens the file dialog. */
  inputRef: RefObject<HTMLInputElement | null>
}

/** A hidden input for files. A button on the page opens its dialog. */
export function FileInput({ label, onFiles, inputRef }: FileInputProps) {
  // The file picker replaces the input's own dialog, because it provides handles.
  const openPicker = async (event: MouseEvent<HTMLInputElement>) => {
    const { currentTarget } = event
    const dropPromise = openFilePicker({ multiple: true })
    if (!dropPromise) return
    event.preventDefault()
    const drop = await dropPromise
    if (drop === null) currentTarget.showPicker()
    else if (!isEmptyDrop(drop)) onFiles(drop)
  }
  return (
    <input
      ref={inputRef}
      type="file"
      multiple
      hidden
      aria-label={label}
      onClick={(event) => void openPicker(event)}
      onChange={({ currentTarget }) => {
        const files = Array.from(currentTarget.files ?? [], (file) => ({ file }))
        onFiles({ files, unreadable: [] })
        // Otherwise, choosing the same file again would not fire an event.
        currentTarget.value = ''
      }}
    />
  )
}
