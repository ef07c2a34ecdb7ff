/** The content of a toast. */
export interface ToastOptions {
  title: string
  description?: string
  /** `destructive` looks like a failure, and screen readers read it at once. */
  tone?: 'plain' | 'destructive'
  /**
   * True for news of work in the background. News waits until a failure has been shown long enough.
   * The answer to a click does not wait, because the person who clicked looks for it now.
   */
  isNews?: boolean
  /** How long the toast stays, in milliseconds. Hovering or focusing it stops the clock. */
  duration?: number
}

/** Decides which toast shows: spec §9, one toast at a time. */
export interface ToastTurns {
  /**
   * Shows a toast in place of the current one, or makes it wait. News never replaces a failure, but
   * follows it. If several news wait, only the last is shown: fifty files would otherwise show
   * toasts for minutes, and the page lists each file anyway. A failure never waits.
   */
  add(toast: ToastOptions): void
  /** Notes that no toast shows, for instance after the place for toasts was drawn again. */
  reset(): void
}

/**
 * Creates the turns.
 * @param show replaces the current toast, and calls back when its time is over or it was dismissed.
 */
export function createToastTurns(
  show: (toast: ToastOptions, onClose: () => void) => void,
): ToastTurns {
  let isFailureShown = false
  /** The last news that came while a failure was shown. */
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
      // Older news that waits is dropped, because newer news is shown now.
      if (isNews) next = null
      put(toast)
    },
    reset: () => {
      isFailureShown = false
      next = null
    },
  }
}
