import { type Drop, isNothing } from './dropped-files.ts'
import { pickFiles } from './file-picker.ts'

/**
 * Ends the last choice if it still waits. Browsers of 2022 do not report that a dialog was closed,
 * so the choice would wait for ever.
 */
let endLast: (() => void) | undefined

/**
 * Asks for files by the dialog of a file input. Every browser has this dialog, but it gives no
 * handle.
 */
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
    // In Safari, an input that is in no document gets no events.
    document.body.append(input)
    input.click()
  })
}

/**
 * Lets a person choose one file in a dialog of the browser. The file has a handle where the browser
 * gives one, and may be unreadable. Returns null when no file was chosen. Also returns null when
 * the click was too long ago for a dialog; the next click then opens one. Call it in the handler of
 * a click. Never rejects.
 */
export async function chooseFile(): Promise<Drop | null> {
  const asking = pickFiles({ multiple: false })
  if (!asking) return chooseByInput()
  const chosen = await asking
  if (chosen) return isNothing(chosen) ? null : chosen
  // Long after the click, an input opens no dialog and does not report this.
  return navigator.userActivation.isActive ? chooseByInput() : null
}
