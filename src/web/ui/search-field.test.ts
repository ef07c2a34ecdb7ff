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
    /** Every search text so far, in order. */
    searches,
    type: (text: string) => act(() => result.current.setInput(text)),
    advance: (ms: number) => act(() => vi.advanceTimersByTime(ms)),
    input: () => result.current.input,
  }
}

test('trims the typed text and searches for it after a pause', () => {
  const { searches, type, advance, input } = openSearch()
  type('no')
  advance(149)
  type(' notes ')
  advance(149)
  expect(searches).toEqual([''])
  expect(input()).toBe(' notes ')
  advance(1)
  expect(searches).toEqual(['', 'notes'])
})

test('ends the search immediately when the field is cleared, and does not restore it on further input', () => {
  const { searches, type, advance } = openSearch()
  type('notes')
  advance(150)
  type('')
  expect(searches).toEqual(['', 'notes', ''])
  advance(149)
  type('p')
  advance(149)
  expect(searches).toEqual(['', 'notes', ''])
  advance(1)
  expect(searches).toEqual(['', 'notes', '', 'p'])
})
