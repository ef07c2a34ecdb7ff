import { useState } from 'react'

/** Where the browser remembers whether the panel is open. */
const openKey = 'mayfly-uploads-panel'

type Choice = 'open' | 'closed'

const remembered = (): Choice | null => {
  try {
    const kept = localStorage.getItem(openKey)
    return kept === 'open' || kept === 'closed' ? kept : null
  } catch {
    return null
  }
}

/**
 * Whether the panel's list shows, and how to change it, which the browser remembers. Until somebody
 * has chosen, it shows where there is room; on a narrow screen it would cover what the page is for.
 */
export const useOpen = (): [boolean, (open: boolean) => void] => {
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
