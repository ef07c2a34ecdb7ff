import { type RefObject, useEffect, useEffectEvent } from 'react'
import { type Drop, isNothing } from './dropped-files.ts'
import { pickFiles } from './file-picker.ts'

/**
 * Opens the picker that gives handles when a person clicks a file input. The input opens its own dialog
 * where there is no picker, or the browser refuses it. `onChosen` is called with files that were chosen in
 * the picker. The input tells by itself what was chosen in its dialog.
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
      // Soon after the click the browser still allows it.
      else if (!chosen && navigator.userActivation.isActive) element.showPicker()
    }
    element.addEventListener('click', ask)
    return () => element.removeEventListener('click', ask)
  }, [input])
}
