import { readHint } from '../api/hint-cookie.ts'
import { recordKeyPrefix } from '../uploads/records/record-key.ts'

/** The URL of the built script that shows uploads. The build replaces this name with the URL. */
declare const uploadsScript: string

/**
 * Loads the uploads panel when a signed-in user has uploads in this browser, or starts one in
 * another tab. All other visitors load nothing more.
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
