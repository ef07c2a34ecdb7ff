/** What a toast says. */
export interface ToastOptions {
  title: string
  description?: string
  /** `destructive` is drawn as a failure and read out at once. */
  tone?: 'plain' | 'destructive'
  /**
   * News of work in the background: it waits until a failure has had its time. What answers a click does
   * not: who clicked has acted after the failure, and looks for the answer now.
   */
  isNews?: boolean
  /** How long it stays, in milliseconds. Hovering or focusing it stops the clock. */
  duration?: number
}

/** Whose turn it is to show: spec §9, one toast at a time. */
export interface ToastTurns {
  /**
   * In place of the one that shows; but news never takes the place of a failure: it follows it. Of
   * several that wait the last one does, as it would have shown last without the failure; fifty files
   * would else tell of themselves for minutes, and each of them has its place on the page.
   * A failure never waits.
   */
  add(toast: ToastOptions): void
  /** Nothing shows, as where the place for toasts has just been drawn. */
  reset(): void
}

/** @param show puts a toast in the place of the last one, and calls back when it has had its time or was dismissed. */
export function createToastTurns(
  show: (toast: ToastOptions, onClose: () => void) => void,
): ToastTurns {
  let isFailureShown = false
  /** The last news that came while a failure showed. */
  let next: ToastOptions | null = null

  const put = (toast: ToastOptions) => {
    isFailureShown = toast.tone === 'destructive'
    show(toast, closed)
  }
  const closed = () => {
    isFailureShown = false
    if (next === null) return
    const toast = next
    next = null
    put(toast)
  }

  return {
    add: (toast) => {
      const isNews = toast.isNews === true && toast.tone !== 'destructive'
      if (isNews && isFailureShown) {
        next = toast
        return
      }
      // What is newer than the news that waits is not followed by it.
      if (isNews) next = null
      put(toast)
    },
    reset: () => {
      isFailureShown = false
      next = null
    },
  }
}
