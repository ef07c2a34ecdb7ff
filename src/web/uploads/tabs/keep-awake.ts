/** The part of the browser that keeping the screen on needs. */
export interface Screen {
  /** Absent on an origin that is not secure, and in some browsers. */
  wakeLock: { request(type: 'screen'): Promise<{ release(): Promise<void> }> } | undefined
  document: Pick<Document, 'visibilityState' | 'addEventListener' | 'removeEventListener'>
}

/**
 * Keeps the screen on with a wake lock, since a sleeping device uploads nothing. Returns a function
 * that releases the lock. The browser releases it when the page is hidden, so it is requested again
 * whenever the page becomes visible. Nothing happens if the browser has no wake locks or refuses
 * one, for instance because the battery is low.
 */
export function keepScreenOn({ wakeLock, document }: Screen): () => void {
  if (!wakeLock) return () => {}
  let isOver = false
  let releaseLast = () => {}

  const ask = async () => {
    if (document.visibilityState !== 'visible') return
    try {
      const lock = await wakeLock.request('screen')
      const release = () => void lock.release().catch(() => undefined)
      if (isOver) return release()
      // Releasing a lock that the browser has released already has no effect.
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
    isOver = true
    document.removeEventListener('visibilitychange', askAgain)
    releaseLast()
    releaseLast = () => {}
  }
}

/** Keeps this device awake. Returns a function that ends this. */
export function keepAwake(): () => void {
  return keepScreenOn({
    wakeLock: 'wakeLock' in navigator ? navigator.wakeLock : undefined,
    document,
  })
}
