import { askForHandle } from '../picking/handle-file.ts'
import type { PickedFile } from '../picking/picked-file.ts'
import type { KeptFile } from './kept-files.ts'

/** The kept files that can be uploaded, and those that cannot be read. */
export interface OpenedFiles {
  opened: { kept: KeptFile; picked: PickedFile }[]
  /** The user did not allow the page to read these files. They still wait. */
  forbidden: KeptFile[]
  /** The user has moved or removed these files. */
  gone: KeptFile[]
}

/**
 * Opens kept files. If the browser has only a handle of a file, it may ask the user for permission.
 * Browsers ask only after a click, so call this function in a click handler. Never rejects.
 */
export async function openKeptFiles(files: readonly KeptFile[]): Promise<OpenedFiles> {
  const all: OpenedFiles = { opened: [], forbidden: [], gone: [] }
  for (const kept of files) {
    const { content } = kept
    if ('file' in content) {
      all.opened.push({ kept, picked: { file: content.file } })
      continue
    }
    const found = await askForHandle(content.handle)
    if (found.state === 'found') {
      all.opened.push({ kept, picked: { file: found.file, handle: content.handle } })
    } else if (found.state === 'permission') all.forbidden.push(kept)
    else all.gone.push(kept)
  }
  return all
}
