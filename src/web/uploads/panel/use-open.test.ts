// @vitest-environment happy-dom
import { act, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useOpen } from './use-open.ts'

let isWide: boolean
beforeEach(() => {
  isWide = true
  localStorage.clear()
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: query === '(min-width: 641px)' && isWide,
  }))
})
afterEach(() => vi.unstubAllGlobals())

function isOpen(isDashboard = true) {
  return renderHook(() => useOpen(isDashboard)).result.current[0]
}

test('as long as nobody has chosen, the list is open on the dashboard of a wide screen only', () => {
  expect(isOpen()).toBe(true)
  expect(isOpen(false)).toBe(false)
  isWide = false
  expect(isOpen()).toBe(false)
  expect(isOpen(false)).toBe(false)
})

test('on the dashboard of a wide screen a choice holds at once, and later', () => {
  const { result } = renderHook(() => useOpen(true))
  for (const open of [false, true]) {
    act(() => result.current[1](open))
    expect(result.current[0]).toBe(open)
    expect(isOpen()).toBe(open)
  }
})

test.each([
  ['another page', true, false],
  ['a narrow screen', false, true],
])('a choice for %s holds there, and opens nothing later', (_, wide, isDashboard) => {
  isWide = wide
  const { result } = renderHook(() => useOpen(isDashboard))
  act(() => result.current[1](true))
  expect(result.current[0]).toBe(true)
  expect(isOpen(isDashboard)).toBe(false)
  act(() => result.current[1](false))
  isWide = true
  expect(isOpen()).toBe(true)
})

test('a list that was opened on the dashboard covers no other page', () => {
  const { result } = renderHook(() => useOpen(true))
  act(() => result.current[1](true))
  expect(isOpen(false)).toBe(false)
})

test('a value that this page did not write is no choice', () => {
  localStorage.setItem('mayfly-uploads-panel', 'ajar')
  expect(isOpen()).toBe(true)
})

test('where storage is blocked a choice holds until the page is left', () => {
  const blocked = () => {
    throw new DOMException('blocked', 'SecurityError')
  }
  vi.stubGlobal('localStorage', { getItem: blocked, setItem: blocked })
  const { result } = renderHook(() => useOpen(true))
  act(() => result.current[1](false))
  expect(result.current[0]).toBe(false)
  expect(isOpen()).toBe(true)
})
