import { useState } from 'react'
import { type Drop, dropError } from './dropped-files.ts'
import type { PickedFile } from './picked-file.ts'

/**
 * Lets the user choose or drop the file that an upload needs.
 * @param onFile called with the file.
 * @returns `choose`, which waits for a choice and passes its first file to `onFile`, and `error`,
 * the error from the last choice or null.
 */
export function useFileChoice(onFile: (picked: PickedFile) => void) {
  const [error, setError] = useState<ReturnType<typeof dropError>>(null)
  const choose = async (dropPromise: Promise<Drop | null>) => {
    setError(null)
    const drop = await dropPromise
    if (!drop) return
    setError(dropError(drop))
    const [picked] = drop.files
    if (picked) onFile(picked)
  }
  return { error, choose }
}
