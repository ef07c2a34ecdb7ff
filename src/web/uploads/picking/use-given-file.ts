import { useState } from 'react'
import { type Drop, dropFault } from './dropped-files.ts'
import type { PickedFile } from './picked-file.ts'

/**
 * Takes the one file that a person chooses or drops for an upload that lacks it. Returns a function
 * for that, and what was wrong with the last choice; null for nothing.
 * @param provide gets the file.
 */
export function useGivenFile(provide: (picked: PickedFile) => void) {
  const [fault, setFault] = useState<ReturnType<typeof dropFault>>(null)
  const give = async (asking: Promise<Drop | null>) => {
    setFault(null)
    const chosen = await asking
    if (!chosen) return
    setFault(dropFault(chosen))
    const [picked] = chosen.files
    if (picked) provide(picked)
  }
  return { fault, give }
}
