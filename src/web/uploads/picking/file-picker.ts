import { type Drop, isNothing, readHandles } from './dropped-files.ts'

/** `window.showOpenFilePicker`. Only Chromium has it, and only on HTTPS and localhost. */
type ShowPicker = (options: { multiple: boolean }) => Promise<FileSystemFileHandle[]>

/** The picker was closed without a choice, or is open already, as after a double click. */
const harmlessErrors = ['AbortError', 'NotAllowedError']

/**
 * Opens the browser's file picker, which gives a handle for each file. Call it in a click handler.
 * Returns null if the browser has no picker. Phones count as such, because a file input there also
 * offers the camera. Otherwise returns a promise that never rejects. It resolves to null if the
 * browser refuses to open the picker, as in a frame of another site.
 */
export function openFilePicker(options: { multiple: boolean }): Promise<Drop | null> | null {
  const showPicker: ShowPicker | undefined = Reflect.get(window, 'showOpenFilePicker')
  if (!showPicker || !matchMedia('(any-pointer: fine)').matches) return null
  return showPicker.call(window, options).then(readHandles, (error) => {
    return harmlessErrors.includes(error.name) ? { files: [], unreadable: [] } : null
  })
}

/** Opens the dialog of a file input. Every browser has it, but it gives no handles. */
function chooseByInput(): Promise<Drop | null> {
  return new Promise((resolve) => {
    const input = document.createElement('input')
    input.type = 'file'
    input.hidden = true
    const end = () => {
      const files = Array.from(input.files ?? [], (file) => ({ file }))
      input.remove()
      resolve(files.length > 0 ? { files, unreadable: [] } : null)
    }
    input.addEventListener('change', end)
    input.addEventListener('cancel', end)
    // Safari sends no events to an input that is not in the document.
    document.body.append(input)
    input.click()
  })
}

/**
 * Asks for one file. Call it in a click handler. Returns the file, or its name if it cannot be
 * read; null if none was chosen. The file has a handle if the browser gives one. Never rejects.
 */
export async function chooseFile(): Promise<Drop | null> {
  const picking = openFilePicker({ multiple: false })
  const chosen = picking && (await picking)
  if (!chosen) return chooseByInput()
  return isNothing(chosen) ? null : chosen
}
