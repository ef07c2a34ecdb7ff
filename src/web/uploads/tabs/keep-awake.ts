/** What keeping the screen on needs of the browser. */
export interface Screen {
  /** Absent on an origin that is not secure, and in some browsers. */
  wakeLock: { request(type: 'screen'): Promise<{ release(): Promise<void> }> } | undefined
  document: Pick<Document, 'visibilityState' | 'addEventListener' | 'removeEventListener'>
}

/**
 * Keeps the screen on, since a device that falls asleep uploads nothing; returns what lets it sleep
 * again. A browser takes the lock back when the page is hidden; it is asked for anew when the page is
 * seen again. Where there is none, or it is refused (a battery running low), nothing happens.
 */
export const keepScreenOn = ({ wakeLock, document }: Screen): (() => void) => {
  if (!wakeLock) return () => {}
  let isOver = false
  let releaseLast = () => {}

  const ask = async () => {
    if (document.visibilityState !== 'visible') return
    try {
      const lock = await wakeLock.request('screen')
      const release = () => void lock.release().catch(() => undefined)
      if (isOver) return release()
      // One that the browser took back is released without effect.
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

/** Keeps this device awake; returns what lets it sleep again. */
export const keepAwake = (): (() => void) =>
  keepScreenOn({ wakeLock: 'wakeLock' in navigator ? navigator.wakeLock : undefined, document })
