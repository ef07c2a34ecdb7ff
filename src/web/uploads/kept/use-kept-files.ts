import { useEffect, useMemo, useState } from 'react'
import { createBrowserKeptFiles, type KeptFile, type KeptFiles } from './kept-files.ts'

export interface KeptFilesState {
  kept: KeptFiles
  /** The files that wait in this browser. Empty until they are loaded. */
  files: readonly KeptFile[]
  /** Loads the files again. Call it after some were removed. */
  refresh: () => Promise<void>
}

/**
 * Returns the files that wait in this browser. It loads them again when the page becomes visible,
 * because the phone may have shared more files in between.
 */
export function useKeptFiles(): KeptFilesState {
  const kept = useMemo(createBrowserKeptFiles, [])
  const [files, setFiles] = useState<readonly KeptFile[]>([])
  const [refresh] = useState(() => async () => setFiles(await kept.list()))

  useEffect(() => {
    const over = new AbortController()
    const look = () => {
      if (document.visibilityState === 'visible') void refresh()
    }
    look()
    document.addEventListener('visibilitychange', look, { signal: over.signal })
    return () => over.abort()
  }, [refresh])

  return { kept, files, refresh }
}
