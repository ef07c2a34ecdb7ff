/** What keeping the screen on needs of the browser. */
export interface Screen {
  /** Absent on an origin that is not secure, and in some browsers. */
  wakeLock: { request(type: 'screen'): Promise<{ release(): Promise<void> }> } | undefined
  document: Pick<Document, 'visibilityState' | 'addEventListener' | 'removeEventListener'>
}

/**
 * Keeps the screen on, since a device that falls asleep uploads nothing. Returns how to end that. The
 * browser releases the lock when the page is hidden, so it is requested again whenever the page is seen.
 * Where there is no lock, or it is refused (a low battery), nothing happens.
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
      // To release one that the browser has released does nothing.
      releaseLast()
      releaseLast = release
    } catch {
      // Refused; asked again when the page is next seen.
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

/** Keeps this device awake. Returns how to end that. */
export function keepAwake(): () => void {
  return keepScreenOn({
    wakeLock: 'wakeLock' in navigator ? navigator.wakeLock : undefined,
    document,
  })
}
