import { readHint } from '../api/hint-cookie.ts'
import { recordKeyPrefix } from '../uploads/records/record-key.ts'

/** The URL of the built script that shows uploads. The build inserts it here. */
declare const uploadsScript: string

/**
 * Loads the uploads panel if a signed-in user has uploads in this browser, or starts some in
 * another tab. The page loads nothing more for all other visitors.
 */
export function offerUploads(): void {
  const watch = new AbortController()
  const lookAt = (keys: readonly (string | null)[]) => {
    if (!keys.some((key) => key?.startsWith(recordKeyPrefix))) return
    if (readHint(document) === null) return
    watch.abort()
    // Our content security policy forbids eval. Without this setting, Zod would try eval once, and
    // the browser would report it.
    Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
    void import(/* @vite-ignore */ uploadsScript)
  }
  window.addEventListener('storage', ({ key }) => lookAt([key]), { signal: watch.signal })
  try {
    lookAt(Object.keys(localStorage))
  } catch {
    // localStorage is blocked, so it has no upload records.
  }
}
