import type { ToastOptions } from './toast-options.ts'

const storageKey = 'mayfly-toast'

/** Stores a toast to show after the next page load. */
export function toastOnNextPage(options: ToastOptions): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(options))
  } catch {
    // sessionStorage is blocked or full, so the next page shows no toast.
  }
}

/** Returns the toast stored by the page before, if any, and removes it. */
export function takeStoredToast(): ToastOptions | null {
  try {
    const storedJson = sessionStorage.getItem(storageKey)
    sessionStorage.removeItem(storageKey)
    return storedJson === null ? null : (JSON.parse(storedJson) as ToastOptions)
  } catch {
    return null
  }
}
