import { useState } from 'react'

const storageKey = 'mayfly-dismissed-notice'

/**
 * Returns whether a person has dismissed the notice of this name, and a function that dismisses it.
 * The browser remembers only the last dismissed notice, so any other notice is shown.
 */
export function useDismissed(name: string): [isDismissed: boolean, dismiss: () => void] {
  const [dismissed, setDismissed] = useState(readDismissed)
  const dismiss = () => {
    setDismissed(name)
    try {
      localStorage.setItem(storageKey, name)
    } catch {
      // localStorage is blocked or full, so the next page shows the notice again.
    }
  }
  return [dismissed === name, dismiss]
}

function readDismissed(): string | null {
  try {
    return localStorage.getItem(storageKey)
  } catch {
    return null
  }
}
