/** What a toast says. */
export interface ToastOptions {
  title: string
  description?: string
  /** `destructive` is drawn as a failure and read out at once; `plain` waits its turn. */
  tone?: 'plain' | 'destructive'
  /** How long it stays, in milliseconds. Hovering or focusing it stops the clock. */
  duration?: number
}

/** Whose turn it is to show: spec §9, one toast at a time. */
export interface ToastTurns {
  /** In place of the one that shows; but a failure is never replaced by something plain, which follows it. */
  add(toast: ToastOptions): void
  /** Nothing shows, as where the place for toasts has just been drawn. */
  reset(): void
}

/** @param show puts a toast in the place of the last one, and calls back when it has had its time or was dismissed. */
export const createToastTurns = (
  show: (toast: ToastOptions, onClose: () => void) => void,
): ToastTurns => {
  let isFailureShown = false
  /** The last plain one that came while a failure showed. */
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
      if (isFailureShown && toast.tone !== 'destructive') next = toast
      else put(toast)
    },
    reset: () => {
      isFailureShown = false
      next = null
    },
  }
}
