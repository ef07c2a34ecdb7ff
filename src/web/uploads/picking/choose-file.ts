import { type Drop, isNothing } from './dropped-files.ts'
import { pickFiles } from './file-picker.ts'

/** Ends the choice before this one. Browsers of 2022 do not tell when a dialog is closed. */
let endLast: (() => void) | undefined

/** By the dialog of a file input. Every browser has it, and it gives no handle. */
function chooseByInput(): Promise<Drop | null> {
  return new Promise((resolve) => {
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
}

/**
 * Lets a person choose one file in a dialog of the browser, with its handle where the browser gives one.
 * Null when none was chosen, or when the click was too long ago for a dialog: the next click opens one.
 * The file may be unreadable. Call it in the handler of a click. Never rejects.
 */
export async function chooseFile(): Promise<Drop | null> {
  const asking = pickFiles({ multiple: false })
  if (!asking) return chooseByInput()
  const chosen = await asking
  if (chosen) return isNothing(chosen) ? null : chosen
  // Long after the click an input opens nothing, and does not say so.
  return navigator.userActivation.isActive ? chooseByInput() : null
}
