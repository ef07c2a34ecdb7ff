import { useState } from 'react'
import { type Drop, dropFault } from './dropped-files.ts'
import type { PickedFile } from './picked-file.ts'

/**
 * Lets a person choose or drop the file that an upload lacks. Returns `give`, which waits for the
 * choice and passes its first file to `provide`. Also returns `fault`, which says what was wrong
 * with the last choice; null when nothing was wrong.
 * @param provide called with the file.
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
