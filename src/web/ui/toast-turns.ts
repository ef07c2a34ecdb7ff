/** A link in a toast. It opens in another tab, because this one may be sending files. */
export interface ToastLink {
  text: string
  href: string
}

/** The content of a toast. */
export interface ToastOptions {
  title: string
  description?: string
  /** Where a person can go on. The page must offer a way too, because the toast disappears. */
  link?: ToastLink
  /** `destructive` looks like a failure, and screen readers read it immediately. */
  tone?: 'plain' | 'destructive'
  /**
   * True for news of work in the background. News waits until a failure has been shown long enough.
   * The answer to a click does not wait, because the person who clicked looks for it now.
   */
  isNews?: boolean
  /** How long the toast is shown. The time stops while the pointer or the focus is on it. */
  durationMs?: number
}

/** Decides which toast is shown. Spec §9: one toast at a time. */
export interface ToastTurns {
  /**
   * Shows a toast instead of the current one. While a failure is shown, a toast with `isNews` waits
   * until the failure has been shown. News of another failure does not wait. If several toasts
   * wait, only the last one is shown: the toasts of fifty files would take minutes, and the page
   * lists these files too. All other toasts are shown immediately.
   */
  add(toast: ToastOptions): void
  /** Notes that no toast is shown, for instance because React has drawn the toaster again. */
  reset(): void
}

/**
 * Creates the object that decides which toast is shown.
 * @param show shows a toast instead of the current one. It calls `onClose` when the toast's time
 * has ended or a person has dismissed it.
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
