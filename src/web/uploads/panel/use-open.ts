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
 * Returns whether the panel's list is open, and a function that changes it. On the dashboard of a
 * wide screen the list is open unless the person closed it, and the browser remembers that. On
 * every other page and on a narrow screen the list covers what the person came for, so there it is
 * open only after the person opened it on this page.
 */
export function useOpen(isDashboard: boolean): [boolean, (open: boolean) => void] {
  const [chosenHere, setChosenHere] = useState<boolean | null>(null)
  const [choice] = useState(remembered)
  const hasRoom = isDashboard && window.matchMedia('(min-width: 641px)').matches
  const choose = (open: boolean) => {
    setChosenHere(open)
    if (!hasRoom) return
    try {
      localStorage.setItem(openKey, open ? 'open' : 'closed')
    } catch {
      // localStorage is blocked or full, so the choice lasts only until the page is left.
    }
  }
  return [chosenHere ?? (hasRoom && choice !== 'closed'), choose]
}
