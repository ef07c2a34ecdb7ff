import { useState } from 'react'

const storageKey = 'mayfly-dismissed-notice'

/**
 * Whether a person has dismissed the notice of this name, and the function that dismisses it. The
 * browser remembers the last one that was dismissed. Another notice is shown again.
 */
export function useDismissed(name: string): [isDismissed: boolean, dismiss: () => void] {
  const [dismissed, setDismissed] = useState(readDismissed)
  const dismiss = () => {
    setDismissed(name)
    try {
      localStorage.setItem(storageKey, name)
    } catch {
      // Storage is blocked or full, so the notice comes back with the next page.
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
