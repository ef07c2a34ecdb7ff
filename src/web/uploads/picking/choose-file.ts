import type { PickedFile } from '../uploads-state.ts'
import { readDrop } from './dropped-files.ts'
import { pickFiles } from './file-picker.ts'

/** In the dialog of a file input, which every browser has: it gives no handle. */
const chooseByInput = (): Promise<PickedFile | null> =>
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

/**
 * Lets the person choose one file in the browser's own dialog, with its handle where the browser has
 * them; null when none was chosen. Call it in the handler of a click.
 */
export const chooseFile = async (): Promise<PickedFile | null> => {
  const asking = pickFiles({ multiple: false })
  const chosen = asking && (await asking)
  return chosen ? (chosen.files[0] ?? null) : chooseByInput()
}

/** The first file of a drop; null when there was none. Must be called within the event. */
export const droppedFile = async ({
  items,
}: Pick<DataTransfer, 'items'>): Promise<PickedFile | null> => {
  const { files } = await readDrop(items)
  return files[0] ?? null
}
