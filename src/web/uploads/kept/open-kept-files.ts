import type { ToastOptions } from '../../ui/toast.tsx'
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

/**
 * Returns the toast that says which files could not be opened, and what to do. It is a single
 * toast, because a second one would replace the first. Null when all files were opened.
 */
export function problemToast({
  forbidden,
  gone,
}: Pick<OpenedFiles, 'forbidden' | 'gone'>): ToastOptions | null {
  const names = (files: readonly KeptFile[]) => files.map(({ name }) => name).join(', ')
  const problems = [
    gone.length > 0 && {
      title: 'Could not be found',
      text: `${names(gone)}: moved or removed since. Choose it again to upload it.`,
    },
    forbidden.length > 0 && {
      title: 'Could not be read',
      text: `The browser has no right to read ${names(forbidden)}. Allow it, or choose the file again.`,
    },
  ].filter((problem) => problem !== false)
  const [first, second] = problems
  if (!first) return null
  return {
    title: second ? 'Could not be opened' : first.title,
    description: problems.map(({ text }) => text).join(' '),
    tone: 'destructive',
  }
}
