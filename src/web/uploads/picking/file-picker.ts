import { type Drop, readHandles } from './dropped-files.ts'

/**
 * Asks the person for files in a dialog that gives a handle with each. Call it in the handler of a
 * click: null where there is no such dialog, so that a file input can open at once. Else it resolves to
 * what was chosen, which is nothing when the dialog was closed, or has just been asked for; to null when
 * the browser refuses to open it. Never rejects; of a dialog whose end the browser never tells, it never
 * settles, and a later call asks anew.
 */
export type FilePicker = (of: { multiple: boolean }) => Promise<Drop | null> | null

/** The part of a page that it is asked in. */
export interface PickingPage {
  matchMedia(query: string): { matches: boolean }
  /** Only Chromium has it, on a secure origin; the types of the DOM lack it. */
  showOpenFilePicker?(of: { multiple: boolean }): Promise<FileSystemFileHandle[]>
}

/**
 * How long a click while a dialog is open counts as the second half of a double click, or as impatience
 * with a dialog that comes slowly, in milliseconds. Who still can click after it sees no dialog.
 */
const openingMs = 5000

const isDismissed = (error: unknown) => error instanceof Error && error.name === 'AbortError'

/**
 * The picker of a page. A phone has none, though its browser may: a file input offers the camera and
 * the gallery there. A refusal is for good (a frame in a foreign page, a policy), and may come when the
 * click is too long ago for a file input: from then on there is no picker. Only the refusal of a second
 * dialog says nothing of the next.
 * @param now the time in milliseconds.
 */
export const createFilePicker = (page: PickingPage, now: () => number): FilePicker => {
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
    // Asked now, the browser would refuse.
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
