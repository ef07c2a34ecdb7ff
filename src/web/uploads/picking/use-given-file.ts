import { useState } from 'react'
import { type Drop, dropError } from './dropped-files.ts'
import type { PickedFile } from './picked-file.ts'

/**
 * Lets the user choose or drop the file that an upload needs.
 * @param provide called with the file.
 * @returns `give`, which waits for the choice and passes its first file on, and `error`, the error
 * of the last choice or null.
 */
export function useGivenFile(provide: (picked: PickedFile) => void) {
  const [error, setError] = useState<ReturnType<typeof dropError>>(null)
  const give = async (choosing: Promise<Drop | null>) => {
    setError(null)
    const chosen = await choosing
    if (!chosen) return
    setError(dropError(chosen))
    const [picked] = chosen.files
    if (picked) provide(picked)
  }
  return { error, give }
}
