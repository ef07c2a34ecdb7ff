import { useEffect, useState } from 'react'

/** A search runs when nobody has typed for this many milliseconds. */
const searchRestMs = 150

/**
 * Returns the typed text, the text to search for, and a function that changes the typed text. The
 * text to search for follows the typed one after a pause. An emptied field ends the search
 * immediately.
 */
export function useSearch() {
  const [typed, setTyped] = useState('')
  const [search, setSearch] = useState('')
  const wanted = typed.trim()
  // This ends the old search for good. Else it would come back for a moment with the next letter.
  if (wanted === '' && search !== '') setSearch('')

  useEffect(() => {
    const timer = setTimeout(() => setSearch(wanted), searchRestMs)
    return () => clearTimeout(timer)
  }, [wanted])

  return { typed, search, setTyped }
}
