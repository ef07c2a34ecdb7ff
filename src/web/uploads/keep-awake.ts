/** The parts of the browser that are needed to keep the screen on. */
export interface Screen {
  /** Absent in some browsers, and where the page was not loaded by HTTPS or from localhost. */
  wakeLock: { request(type: 'screen'): Promise<{ release(): Promise<void> }> } | undefined
  document: Pick<Document, 'visibilityState' | 'addEventListener' | 'removeEventListener'>
}

/**
 * Keeps the screen on with a wake lock, since a sleeping device uploads nothing. Returns a function
 * that releases the lock. The browser itself releases the lock when the page is hidden, so it is
 * requested again whenever the page becomes visible. The browser may refuse it, for instance
 * because the battery is low.
 */
export function keepScreenOn({ wakeLock, document }: Screen): () => void {
  let lock: Promise<{ release(): Promise<void> } | undefined> | undefined
  const request = () => {
    if (document.visibilityState !== 'visible') return
    lock = wakeLock?.request('screen').catch(() => undefined)
  }
  request()
  document.addEventListener('visibilitychange', request)
  return () => {
    document.removeEventListener('visibilitychange', request)
    void lock?.then((held) => held?.release())
  }
}

/** Keeps this device awake. Returns a function that stops this. */
export function keepAwake(): () => void {
  const wakeLock = 'wakeLock' in navigator ? navigator.wakeLock : undefined
  return keepScreenOn({ wakeLock, document })
}
