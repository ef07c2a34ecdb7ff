import { type Drop, readHandles } from './dropped-files.ts'

/**
 * Asks a person for files in a dialog that gives a handle with each. Call it in the handler of a click.
 * Null where there is no such dialog: then a file input can open its own. Else it resolves to what was
 * chosen, to nothing when the dialog was closed or is just opening, and to null when the browser refuses
 * to open one. Never rejects. It never settles where the browser does not tell the end of a dialog.
 */
export type FilePicker = (of: { multiple: boolean }) => Promise<Drop | null> | null

/** What is used of the page. */
export interface PickingPage {
  matchMedia(query: string): { matches: boolean }
  /** Only Chromium has it, on a secure origin; the types of the DOM lack it. */
  showOpenFilePicker?(of: { multiple: boolean }): Promise<FileSystemFileHandle[]>
}

/**
 * A second click within this time after the first is a double click, or the dialog comes slowly. Later the
 * dialog cannot be there, since it would keep a person from clicking.
 */
const openingMs = 5000

function isDismissed(error: unknown) {
  return error instanceof Error && error.name === 'AbortError'
}

/**
 * Makes the picker of a page. There is none on a phone, where a file input offers the camera and the
 * gallery. Where the browser refuses to open a dialog, it always will (a frame in another page, a policy):
 * from then on there is no picker. Only the refusal of a second dialog does not count.
 * @param now the time in milliseconds.
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
    // The browser would refuse a second dialog.
    const isOpening = open > 0 && now() - askedAt < openingMs
    return isOpening ? Promise.resolve({ files: [], unreadable: [] }) : ask(of)
  }
}

let ofPage: FilePicker | undefined

/** The picker of this page. */
export const pickFiles: FilePicker = (of) => {
  ofPage ??= createFilePicker(window, () => performance.now())
  return ofPage(of)
}
