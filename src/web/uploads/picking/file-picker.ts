import { type Drop, isEmptyDrop, readHandles } from './dropped-files.ts'

/** `window.showOpenFilePicker`, available only in Chromium and in secure contexts. */
type ShowPicker = (options: { multiple: boolean }) => Promise<FileSystemFileHandle[]>

/** The user closed the picker without a choice, or it is already open, as after a double click. */
const harmlessErrorNames = ['AbortError', 'NotAllowedError']

/**
 * Opens the browser's file picker, which provides a handle for each file. Call from a click
 * handler. Returns null if the browser has no picker, and on phones, where a file input also offers
 * the camera. Otherwise returns a promise that never rejects. It resolves to null if the browser
 * blocks the picker, as in a cross-origin frame.
 */
export function openFilePicker(options: { multiple: boolean }): Promise<Drop | null> | null {
  const showPicker: ShowPicker | undefined = Reflect.get(window, 'showOpenFilePicker')
  if (!showPicker || !matchMedia('(any-pointer: fine)').matches) return null
  return showPicker.call(window, options).then(readHandles, (error) => {
    return harmlessErrorNames.includes(error.name) ? { files: [], unreadable: [] } : null
  })
}

/** Opens a file input's dialog. Inputs work in every browser but provide no handles. */
function chooseWithInput({ multiple }: { multiple: boolean }): Promise<Drop | null> {
  return new Promise((resolve) => {
    const input = document.createElement('input')
    input.type = 'file'
    input.multiple = multiple
    input.hidden = true
    const finish = () => {
      const files = Array.from(input.files ?? [], (file) => ({ file }))
      input.remove()
      resolve(files.length > 0 ? { files, unreadable: [] } : null)
    }
    input.addEventListener('change', finish)
    input.addEventListener('cancel', finish)
    // Safari fires no events on inputs outside the document.
    document.body.append(input)
    input.click()
  })
}

/**
 * Lets the user choose one file or several. Call from a click handler. Returns each file, or its
 * name if it is unreadable, or null if none was chosen. The files have handles if the browser
 * provides them. Never rejects.
 */
export async function chooseFile(options = { multiple: false }): Promise<Drop | null> {
  const dropPromise = openFilePicker(options)
  const drop = dropPromise && (await dropPromise)
  if (!drop) return chooseWithInput(options)
  return isEmptyDrop(drop) ? null : drop
}
