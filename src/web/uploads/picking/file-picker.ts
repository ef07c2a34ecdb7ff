import { type Drop, readHandles } from './dropped-files.ts'

/**
 * Asks a person for files in a dialog that gives a handle for each file. Call it in the handler of
 * a click.
 *
 * Returns null where no such dialog opens (see `createFilePicker`); a file input can then open its
 * own. Otherwise returns a promise that never rejects:
 * - It resolves to the chosen files.
 * - It resolves to no files when the person closed the dialog, or when another dialog is just
 *   opening.
 * - It resolves to null when the browser refuses to open a dialog.
 * - It never settles if the browser does not report that the dialog was closed.
 */
export type FilePicker = (of: { multiple: boolean }) => Promise<Drop | null> | null

/** The part of `window` that is used here. */
export interface PickingPage {
  matchMedia(query: string): { matches: boolean }
  /**
   * Only Chromium has this method, and only on HTTPS and localhost. The DOM types do not list it.
   */
  showOpenFilePicker?(of: { multiple: boolean }): Promise<FileSystemFileHandle[]>
}

/**
 * A second click within this time opens no second dialog: it is a double click, or the first dialog
 * opens slowly. A later click proves that no dialog is open, since an open dialog blocks clicks.
 */
const openingMs = 5000

function isDismissed(error: unknown) {
  return error instanceof Error && error.name === 'AbortError'
}

/**
 * Makes the picker of a page. It opens nothing where the browser has no such dialog, nor on a
 * phone, because a file input there offers the camera and the gallery. If the browser refuses to
 * open a dialog, for instance in a frame of another page, it will refuse again. So the picker
 * returns null from then on. A refusal while another dialog is open does not count.
 * @param now returns the time in milliseconds.
 */
export function createFilePicker(page: PickingPage, now: () => number): FilePicker {
  let isRefused = false
  let open = 0
  let askedAt = 0

  const ask = async (of: { multiple: boolean }): Promise<Drop | null> => {
    const isOnly = open === 0
    open += 1
    askedAt = now()
    let handles: FileSystemFileHandle[] | undefined
    try {
      handles = await page.showOpenFilePicker?.(of)
    } catch (error) {
      if (isDismissed(error)) return { files: [], unreadable: [] }
      isRefused ||= isOnly
    } finally {
      open -= 1
    }
    return handles ? readHandles(handles) : null
  }

  return (of) => {
    if (isRefused || !('showOpenFilePicker' in page)) return null
    if (!page.matchMedia('(any-pointer: fine)').matches) return null
    // The browser would refuse a second dialog while one is open.
    const isOpening = open > 0 && now() - askedAt < openingMs
    return isOpening ? Promise.resolve({ files: [], unreadable: [] }) : ask(of)
  }
}

let ofPage: FilePicker | undefined

/** The picker of this page. It is made at the first use. */
export const pickFiles: FilePicker = (of) => {
  ofPage ??= createFilePicker(window, () => performance.now())
  return ofPage(of)
}
