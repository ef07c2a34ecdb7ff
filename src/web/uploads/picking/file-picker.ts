import { type Drop, readHandles } from './dropped-files.ts'

/**
 * Asks the person for files in a dialog that gives a handle with each. Call it in the handler of a
 * click: null where there is no such dialog, so that a file input can open at once. Else it resolves to
 * what was chosen, which is nothing when the dialog was closed, or was open already; to null when the
 * browser refuses to open it. Never rejects.
 */
export type FilePicker = (of: { multiple: boolean }) => Promise<Drop | null> | null

/** A call of Chromium on a secure origin, which the types of the DOM lack. */
interface Picking {
  showOpenFilePicker(of: { multiple: boolean }): Promise<FileSystemFileHandle[]>
}

const canPick = (page: object): page is Picking => 'showOpenFilePicker' in page

const isCancelled = (error: unknown) => error instanceof Error && error.name === 'AbortError'

/**
 * The picker of a page. A refusal is for good (a frame in a foreign page, a policy), and may come when
 * the click is too long ago for a file input: from then on there is no picker.
 */
export const createFilePicker = (page: object): FilePicker => {
  let isRefused = false
  let isOpen = false

  const ask = async (picking: Picking, of: { multiple: boolean }): Promise<Drop | null> => {
    isOpen = true
    try {
      return await readHandles(await picking.showOpenFilePicker(of))
    } catch (error) {
      if (isCancelled(error)) return { files: [], unreadable: [] }
      isRefused = true
      return null
    } finally {
      isOpen = false
    }
  }

  return (of) => {
    if (isRefused || !canPick(page)) return null
    // The second half of a double click. Asked then, the browser would refuse.
    return isOpen ? Promise.resolve({ files: [], unreadable: [] }) : ask(page, of)
  }
}

let ofPage: FilePicker | undefined

/** The picker of this page. */
export const pickFiles: FilePicker = (of) => {
  ofPage ??= createFilePicker(window)
  return ofPage(of)
}
