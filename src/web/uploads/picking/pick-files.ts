import type { PickedFile } from '../uploads-state.ts'
import { readDrop } from './dropped-files.ts'

/**
 * Lets the person choose one file in the browser's own dialog; null when none was chosen. Call it in
 * the handler of a click. The dialog is that of a file input, which every browser has: it gives no
 * handle, so that a file chosen here is chosen again after a reload, where a dropped one is not.
 */
export const chooseFile = (): Promise<PickedFile | null> =>
  new Promise((resolve) => {
    const input = document.createElement('input')
    input.type = 'file'
    input.hidden = true
    const end = () => {
      const [file] = input.files ?? []
      input.remove()
      resolve(file ? { file } : null)
    }
    input.addEventListener('change', end)
    input.addEventListener('cancel', end)
    // Safari tells nothing to an input that is in no document.
    document.body.append(input)
    input.click()
  })

/** The first file of a drop; null when there was none. Must be called within the event. */
export const droppedFile = async ({
  items,
}: Pick<DataTransfer, 'items'>): Promise<PickedFile | null> => {
  const { files } = await readDrop(items)
  return files[0] ?? null
}
