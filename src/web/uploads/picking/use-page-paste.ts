import { useEffect, useEffectEvent } from 'react'
import { type Drop, isNothing } from './dropped-files.ts'
import { isEditable } from './is-editable.ts'
import { readPaste } from './pasted-files.ts'

/**
 * Makes the whole page accept pasted files, pictures and text, except where the person pastes into
 * a field. `onPaste` is called when the paste contains files to upload, or files that cannot be
 * read, after all folders were read.
 */
export function usePagePaste(onPaste: (paste: Drop) => void): void {
  const paste = useEffectEvent(onPaste)

  useEffect(() => {
    const onEvent = (event: ClipboardEvent) => {
      if (!event.clipboardData || event.defaultPrevented || isEditable(event.target)) return
      void readPaste(event.clipboardData, new Date()).then((found) => {
        if (!isNothing(found)) paste(found)
      })
    }
    window.addEventListener('paste', onEvent)
    return () => window.removeEventListener('paste', onEvent)
  }, [])
}
