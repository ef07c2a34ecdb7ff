import { type RefObject, useEffect, useEffectEvent } from 'react'
import { type Drop, isNothing } from './dropped-files.ts'
import { pickFiles } from './file-picker.ts'

/**
 * Asks a person for files when the person clicks a file input. Where the browser has a dialog that
 * gives file handles, that dialog opens, and `onChosen` gets its files. Otherwise the input opens
 * its own dialog, and the files come with the input's `change` event.
 */
export function useFilePicker(
  input: RefObject<HTMLInputElement | null>,
  onChosen: (chosen: Drop) => void,
): void {
  const tell = useEffectEvent(onChosen)

  useEffect(() => {
    const element = input.current
    if (!element) return
    const ask = async (event: Event) => {
      const asking = pickFiles({ multiple: element.multiple })
      if (!asking) return
      event.preventDefault()
      const chosen = await asking
      if (chosen && !isNothing(chosen)) tell(chosen)
      // `showPicker` works only for a short time after the click.
      else if (!chosen && navigator.userActivation.isActive) element.showPicker()
    }
    element.addEventListener('click', ask)
    return () => element.removeEventListener('click', ask)
  }, [input])
}
