import { type Drop, isNothing } from './dropped-files.ts'
import { pickFiles } from './file-picker.ts'

/**
 * Resolves the promise of the last dialog if it still waits. Browsers of 2022 do not report that a
 * dialog was closed without a choice, so the promise would wait for ever.
 */
let endLast: (() => void) | undefined

/**
 * Asks for a file by the dialog of a file input. Every browser has this dialog, but it gives no
 * file handle, so the file cannot be found again after a reload.
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
    // Safari sends no events to an input that is not in the document.
    document.body.append(input)
    input.click()
  })
}

/**
 * Lets a person choose one file in a dialog of the browser. Returns the file, or the name of a file
 * that could not be read. The file comes with a handle where the browser gives one. Returns null
 * when no file was chosen, and when the click was too long ago for the browser to open a dialog;
 * the next click then opens one. Call it in the handler of a click. Never rejects.
 */
export async function chooseFile(): Promise<Drop | null> {
  const asking = pickFiles({ multiple: false })
  if (!asking) return chooseByInput()
  const chosen = await asking
  if (chosen) return isNothing(chosen) ? null : chosen
  // A file input opens no dialog when the click was too long ago, and does not report this.
  return navigator.userActivation.isActive ? chooseByInput() : null
}
