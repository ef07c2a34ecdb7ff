import { useState } from 'react'

/** Where the browser remembers whether the panel is open. */
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
 * Whether the panel's list shows, and how to change that. The browser remembers what a person chose.
 * Until then the list shows on a wide screen: on a narrow one it would cover the page.
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
      // Storage is blocked or full: the choice holds until the page is left.
    }
  }
  return [open, choose]
}
