import { type RefObject, useEffect, useEffectEvent } from 'react'
import { type Drop, isNothing } from './dropped-files.ts'
import { pickFiles } from './file-picker.ts'

/**
 * Opens the picker that gives handles when a person clicks a file input. The input opens its own
 * dialog where there is no picker, or the browser refuses it. `onChosen` gets the files of the
 * picker. Files from the input's own dialog come as its usual event.
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
      // The browser allows this for a short time after the click.
      else if (!chosen && navigator.userActivation.isActive) element.showPicker()
    }
    element.addEventListener('click', ask)
    return () => element.removeEventListener('click', ask)
  }, [input])
}
