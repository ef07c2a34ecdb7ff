// @vitest-environment happy-dom
import { act, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { storedFile } from '../../../tests/support/upload-facts.ts'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { newForMs, useNewFiles } from './use-new-files.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  Reflect.deleteProperty(document, 'visibilityState')
})

const [one, two, three] = [1, 2, 3].map((second) =>
  storedFile({ id: String(second), createdAt: `2025-07-12T10:00:0${second}.000Z` }),
) as [StoredFile, StoredFile, StoredFile]

/** Shows a list with the first file. While `button` has the focus, new files stay new. */
function show() {
  const kept = document.createElement('div')
  const button = document.createElement('button')
  kept.append(button)
  document.body.append(kept)
  const ref = { current: kept }
  const { result, rerender, unmount } = renderHook(
    ({ files }: { files: StoredFile[] }) => useNewFiles(files, ref),
    { initialProps: { files: [one] } },
  )
  return {
    button,
    unmount,
    list: (...files: StoredFile[]) => rerender({ files }),
    fresh: () => result.current.map(({ id }) => id),
  }
}

function pass(ms: number) {
  act(() => void vi.advanceTimersByTime(ms))
}

/** Shows the page, or puts it behind another one. */
function turn(visibilityState: DocumentVisibilityState) {
  Object.defineProperty(document, 'visibilityState', { configurable: true, value: visibilityState })
  act(() => void document.dispatchEvent(new Event('visibilitychange')))
}

test('a file is new for some seconds, and another one starts them anew', () => {
  const { list, fresh } = show()
  expect(fresh()).toEqual([])
  list(two, one)
  expect(fresh()).toEqual(['2'])
  pass(newForMs - 1)
  list(three, two, one)
  pass(newForMs - 1)
  expect(fresh()).toEqual(['3', '2'])
  pass(1)
  expect(fresh()).toEqual([])
})

test('reading the same list again does not make it new for longer', () => {
  const { list, fresh } = show()
  list(two, one)
  pass(newForMs - 1)
  list(two, one)
  pass(1)
  expect(fresh()).toEqual([])
})

test('in a page behind others the seconds begin when somebody looks', () => {
  const { list, fresh } = show()
  turn('hidden')
  list(two, one)
  pass(10 * newForMs)
  expect(fresh()).toEqual(['2'])
  turn('visible')
  pass(newForMs - 1)
  // Looking away and back does not make the seconds begin anew.
  turn('hidden')
  turn('visible')
  pass(1)
  expect(fresh()).toEqual([])
})

test('nothing goes away from under the keyboard focus', () => {
  const { button, list, fresh } = show()
  list(two, one)
  button.focus()
  pass(3 * newForMs)
  expect(fresh()).toEqual(['2'])
  button.blur()
  pass(newForMs)
  expect(fresh()).toEqual([])
})

test('a list that has gone waits for nothing', () => {
  const { list, unmount } = show()
  list(two, one)
  expect(vi.getTimerCount()).toBe(1)
  unmount()
  expect(vi.getTimerCount()).toBe(0)
})
