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

function isOpen() {
  return renderHook(useOpen).result.current[0]
}

test('the list is open on a wide screen only, as long as nobody has chosen', () => {
  expect(isOpen()).toBe(true)
  isWide = false
  expect(isOpen()).toBe(false)
})

test('a choice holds at once, and on every page that is opened later', () => {
  const { result } = renderHook(useOpen)
  for (const open of [false, true]) {
    act(() => result.current[1](open))
    expect(result.current[0]).toBe(open)
    isWide = !open
    expect(isOpen()).toBe(open)
  }
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
  const { result } = renderHook(useOpen)
  act(() => result.current[1](false))
  expect(result.current[0]).toBe(false)
  expect(isOpen()).toBe(true)
})
