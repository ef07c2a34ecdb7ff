// @vitest-environment happy-dom
import { act, renderHook } from '@testing-library/react'
import { useEffect } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useSearch } from './search-field.tsx'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/**
 * Opens a search. Returns functions that type a text, that wait, and that read what is searched.
 */
function openSearch() {
  const searches: string[] = []
  const { result } = renderHook(() => {
    const state = useSearch()
    useEffect(() => {
      searches.push(state.search)
    }, [state.search])
    return state
  })
  return {
    /** All texts that were searched for, in order. */
    searches,
    type: (text: string) => act(() => result.current.setTyped(text)),
    pass: (ms: number) => act(() => vi.advanceTimersByTime(ms)),
    typed: () => result.current.typed,
  }
}

test('the search follows what is typed after a pause, without the space around it', () => {
  const { searches, type, pass, typed } = openSearch()
  type('no')
  pass(149)
  type(' notes ')
  pass(149)
  expect(searches).toEqual([''])
  expect(typed()).toBe(' notes ')
  pass(1)
  expect(searches).toEqual(['', 'notes'])
})

test('an emptied field ends the search at once, and what is typed next does not bring it back', () => {
  const { searches, type, pass } = openSearch()
  type('notes')
  pass(150)
  type('')
  expect(searches).toEqual(['', 'notes', ''])
  pass(149)
  type('p')
  pass(149)
  expect(searches).toEqual(['', 'notes', ''])
  pass(1)
  expect(searches).toEqual(['', 'notes', '', 'p'])
})
