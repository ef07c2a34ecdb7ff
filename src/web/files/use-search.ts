import { useState } from 'react'
import { useDebounced } from '../ui/use-debounced.ts'

/** A search runs when nobody has typed for so long. */
const searchRestMs = 150

/** The longest text to search by: no name is longer. */
export const maxSearchLength = 255

/**
 * Returns what is typed into a field for a search, the text to search by, and the function that
 * changes what is typed. Emptying the field counts at once.
 */
export function useSearch() {
  const [typed, setTyped] = useState('')
  const rested = useDebounced(typed.trim(), searchRestMs)
  return { typed, search: typed.trim() === '' ? '' : rested, setTyped }
}
