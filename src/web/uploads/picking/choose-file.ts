import { type Drop, isNothing } from './dropped-files.ts'
import { pickFiles } from './file-picker.ts'

/** Ends the asking before, of whose dialog no end was told: browsers of 2022 have no `cancel`. */
let endLast: (() => void) | undefined

/** In the dialog of a file input, which every browser has: it gives no handle. */
const chooseByInput = (): Promise<Drop | null> =>
  new Promise((resolve) => {
    endLast?.()
    const input = document.createElement('input')
    input.type = 'file'
    input.hidden = true
    const end = () => {
      const files = Array.from(input.files ?? [], (file) => ({ file }))
      input.remove()
      resolve(files.length > 0 ? { files, unreadable: [] } : null)
    }
    endLast = end
    input.addEventListener('change', end)
    input.addEventListener('cancel', end)
    // Safari tells nothing to an input that is in no document.
    document.body.append(input)
    input.click()
  })

/**
 * Lets the person choose one file in the browser's own dialog, with its handle where the browser has
 * them. Null when none was chosen, or when no dialog could open any more: then the next click finds
 * one. What was chosen may be unreadable. Call it in the handler of a click. Never rejects.
 */
export const chooseFile = async (): Promise<Drop | null> => {
  const asking = pickFiles({ multiple: false })
  if (!asking) return chooseByInput()
  const chosen = await asking
  if (chosen) return isNothing(chosen) ? null : chosen
  // Long after the click an input would open nothing, and never tell.
  return navigator.userActivation.isActive ? chooseByInput() : null
}
