import { serverClock } from './server-clock.ts'

/** Returns the time of the server. */
export function serverNow(): Date {
  return new Date(serverClock().now())
}

/**
 * Calls `look` after `waitMs`. Browsers stop timers while a page is in the background. So this also
 * calls `look` whenever the page becomes visible or hidden. It calls `look` too when an answer of
 * the server corrects the page's clock.
 * @returns a function that stops all these calls. A React effect can return it as its cleanup.
 */
export function lookAgain(look: () => void, waitMs: number): () => void {
  const timer = setTimeout(look, waitMs)
  const leave = serverClock().subscribe(look)
  document.addEventListener('visibilitychange', look)
  return () => {
    clearTimeout(timer)
    leave()
    document.removeEventListener('visibilitychange', look)
  }
}
