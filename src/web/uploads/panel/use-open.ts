import { useState } from 'react'

/** The localStorage key under which the browser remembers whether the panel is open. */
const openKey = 'mayfly-uploads-panel'

type Choice = 'open' | 'closed'

function remembered(): Choice | null {
  try {
    const kept = localStorage.getItem(openKey)
    return kept === 'open' || kept === 'closed' ? kept : null
  } catch {
    return null
  }
}

/**
 * Returns whether the panel's list is open, and a function that changes it. The browser remembers a
 * person's choice. Without a choice the list is open on a wide screen only, because it would cover
 * a narrow page.
 */
export function useOpen(): [boolean, (open: boolean) => void] {
  const [choice, setChoice] = useState(remembered)
  const open = choice === null ? window.matchMedia('(min-width: 641px)').matches : choice === 'open'
  const choose = (next: boolean) => {
    const chosen = next ? 'open' : 'closed'
    setChoice(chosen)
    try {
      localStorage.setItem(openKey, chosen)
    } catch {
      // localStorage is blocked or full, so the choice lasts only until the page is left.
    }
  }
  return [open, choose]
}
