import { serverClock } from './server-clock.ts'

/** Returns the time of the server. */
export function serverNow(): Date {
  return new Date(serverClock().now())
}

/**
 * Calls `look` after `waitMs`. Browsers stop timers while a page is in the background. So it also
 * calls `look` immediately when the page becomes visible, and when it learns that its clock is
 * wrong.
 * @returns a function that ends this. Effects of React return it.
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
