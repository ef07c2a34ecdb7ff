import { useState } from 'react'
import { useDebounced } from './use-debounced.ts'

/** A search runs when nobody has typed for this many milliseconds. */
const searchRestMs = 150

/**
 * Returns the typed text, the text to search for, and a function that changes the typed text. The
 * text to search for follows the typed one after a pause. An emptied field ends the search
 * immediately.
 */
export function useSearch() {
  const [typed, setTyped] = useState('')
  const rested = useDebounced(typed.trim(), searchRestMs)
  return { typed, search: typed.trim() === '' ? '' : rested, setTyped }
}
