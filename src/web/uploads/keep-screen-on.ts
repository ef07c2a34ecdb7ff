/** The browser APIs needed to keep the screen on. */
export interface ScreenApis {
  /** Undefined in insecure contexts and in browsers without support. */
  wakeLock: { request(type: 'screen'): Promise<{ release(): Promise<void> }> } | undefined
  document: Pick<Document, 'visibilityState' | 'addEventListener' | 'removeEventListener'>
}

/**
 * Keeps the screen on with a wake lock, because uploads stop when the device sleeps. Returns a
 * function that releases it. Browsers release the lock when the page is hidden, so it is requested
 * again when the page becomes visible. A browser may also deny the lock, for example when the
 * battery is low.
 */
export function keepScreenOn({ wakeLock, document }: ScreenApis): () => void {
  let lock: Promise<{ release(): Promise<void> } | undefined> | undefined
  const requestLock = () => {
    if (document.visibilityState !== 'visible') return
    lock = wakeLock?.request('screen').catch(() => undefined)
  }
  requestLock()
  document.addEventListener('visibilitychange', requestLock)
  return () => {
    document.removeEventListener('visibilitychange', requestLock)
    void lock?.then((sentinel) => sentinel?.release())
  }
}
