import { askForHandle } from '../picking/handle-file.ts'
import type { PickedFile } from '../picking/picked-file.ts'
import type { KeptFile } from './kept-files.ts'

/** Kept files as they can be uploaded, and those that cannot be read. */
export interface OpenedFiles {
  opened: { kept: KeptFile; picked: PickedFile }[]
  /** The browser was not allowed to read these files. They still wait. */
  forbidden: KeptFile[]
  /** These files were moved or removed since. */
  gone: KeptFile[]
}

/**
 * Opens kept files. The browser may ask the person for each file of which it has only a handle. Call
 * it in the handler of a click. Never rejects.
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
