import { type RefObject, useEffect, useEffectEvent } from 'react'
import { type Drop, isNothing } from './dropped-files.ts'
import { pickFiles } from './file-picker.ts'

/**
 * Has a click on a file input answered by the picker that gives handles, where there is one; where it
 * is refused, by the input's own dialog after all. `onChosen` is called with what was chosen in
 * the picker, and not when nothing was; what is chosen in the input is the input's to tell.
 */
export const useFilePicker = (
  input: RefObject<HTMLInputElement | null>,
  onChosen: (chosen: Drop) => void,
): void => {
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
      // Past the click. Long after it the browser would refuse this as well.
      else if (!chosen && navigator.userActivation.isActive) element.showPicker()
    }
    element.addEventListener('click', ask)
    return () => element.removeEventListener('click', ask)
  }, [input])
}
