// @vitest-environment happy-dom
import { renderHook } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { useRoom } from './use-room.ts'

afterEach(() => vi.unstubAllGlobals())

function room() {
  return document.documentElement.style.getPropertyValue('--uploads-room')
}

test('the page leaves room for the panel and a gap, as long as the panel is there', () => {
  let resized = () => {}
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(measure: () => void) {
        resized = measure
      }
      observe() {}
      disconnect() {
        resized = () => {}
      }
    },
  )
  const panel = document.createElement('section')
  const topAt = (top: number) => {
    panel.getBoundingClientRect = () => ({ top }) as DOMRect
    resized()
  }
  const { unmount } = renderHook(() => useRoom({ current: panel }))
  topAt(window.innerHeight - 99.5)
  expect(room()).toBe('116px')
  topAt(window.innerHeight - 40)
  expect(room()).toBe('56px')
  unmount()
  topAt(0)
  expect(room()).toBe('')
})

test('without a panel the page leaves no room', () => {
  renderHook(() => useRoom({ current: null }))
  expect(room()).toBe('')
})
