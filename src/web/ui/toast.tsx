import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react'
import { takeStoredToast } from './stored-toast.ts'
import type { ToastOptions } from './toast-options.ts'

const ToastView = lazy(() =>
  import('./toast-view.tsx').then(
    (module) => ({ default: module.ToastView }),
    // Without a network, an error must still be seen.
    () => ({ default: PlainToast }),
  ),
)

function PlainToast({ options }: { options: ToastOptions }) {
  return (
    <p
      role="alert"
      className="fixed inset-x-3 top-17 z-50 mx-auto max-w-[380px] rounded-card border border-line bg-surface p-4 text-ink shadow-float"
    >
      {options.title} {options.description}
    </p>
  )
}

let isErrorShown = false
let shownToast: ToastOptions | null = null
let notifyToaster: (() => void) | undefined
/** The latest background event, shown when the current error closes. */
let pendingToast: ToastOptions | null = null

/**
 * Shows a toast in place of the current one. A background event that isn't an error waits until a
 * displayed error closes.
 */
export function toast(options: ToastOptions): void {
  if (options.isNews && isErrorShown && options.tone !== 'destructive') pendingToast = options
  else showToast(options)
}

function showToast(options: ToastOptions): void {
  isErrorShown = options.tone === 'destructive'
  // A copy, because showing the same options again must announce them again.
  shownToast = { ...options }
  notifyToaster?.()
}

function onClose(): void {
  isErrorShown = false
  const nextToast = pendingToast
  pendingToast = null
  if (nextToast) showToast(nextToast)
}

function subscribe(notify: () => void) {
  notifyToaster = notify
  return () => {
    notifyToaster = undefined
  }
}

/** Renders the toasts. Used once, at the root of the application. */
export function Toaster() {
  const options = useSyncExternalStore(subscribe, () => shownToast)
  useEffect(() => {
    isErrorShown = false
    pendingToast = null
    const storedToast = takeStoredToast()
    if (storedToast) toast(storedToast)
    return () => {
      shownToast = null
    }
  }, [])
  return options === null ? null : (
    <Suspense fallback={null}>
      <ToastView options={options} onClose={onClose} />
    </Suspense>
  )
}
