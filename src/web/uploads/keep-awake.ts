/** The parts of the browser that are needed to keep the screen on. */
export interface Screen {
  /** Absent in some browsers, and where the page was not loaded by HTTPS or from localhost. */
  wakeLock: { request(type: 'screen'): Promise<{ release(): Promise<void> }> } | undefined
  document: Pick<Document, 'visibilityState' | 'addEventListener' | 'removeEventListener'>
}

/**
 * Keeps the screen on with a wake lock, since a sleeping device uploads nothing. Returns a function
 * that releases the lock.
 *
 * The browser itself releases the lock when the page is hidden. So it is requested again whenever
 * the page becomes visible. Nothing happens if the browser has no wake locks or refuses one, for
 * instance because the battery is low.
 */
export function keepScreenOn({ wakeLock, document }: Screen): () => void {
  if (!wakeLock) return () => {}
  let isReleased = false
  let releaseLast = () => {}

  const ask = async () => {
    if (document.visibilityState !== 'visible') return
    try {
      const lock = await wakeLock.request('screen')
      const release = () => void lock.release().catch(() => undefined)
      if (isReleased) return release()
      // This has no effect if the browser has released the lock already.
      releaseLast()
      releaseLast = release
    } catch {
      // The browser refused the lock. It is requested again when the page becomes visible.
    }
  }
  const askAgain = () => void ask()

  askAgain()
  document.addEventListener('visibilitychange', askAgain)
  return () => {
    isReleased = true
    document.removeEventListener('visibilitychange', askAgain)
    releaseLast()
    releaseLast = () => {}
  }
}

/** Keeps this device awake. Returns a function that stops this. */
export function keepAwake(): () => void {
  return keepScreenOn({
    wakeLock: 'wakeLock' in navigator ? navigator.wakeLock : undefined,
    document,
  })
}
