// @vitest-environment happy-dom
import { renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Drop } from './dropped-files.ts'

const file = new File(['a'], 'a.txt')
const handle = { kind: 'file', name: 'a.txt', getFile: async () => file }

let input: HTMLInputElement
let showPicker: ReturnType<typeof vi.fn<() => void>>

beforeEach(() => {
  input = document.createElement('input')
  input.type = 'file'
  showPicker = vi.fn<() => void>()
  input.showPicker = showPicker
  vi.stubGlobal('matchMedia', () => ({ matches: true }))
  vi.stubGlobal('navigator', { userActivation: { isActive: true } })
})
afterEach(() => vi.unstubAllGlobals())

/** Uses the hook on a fresh page. Returns the list to which it adds what was chosen. */
async function use() {
  vi.resetModules()
  const { useFilePicker } = await import('./use-file-picker.ts')
  const chosen: Drop[] = []
  const ref = { current: input }
  const { unmount } = renderHook(() => useFilePicker(ref, (drop) => chosen.push(drop)))
  return { chosen, unmount }
}

/** Clicks the input. Returns true if the input opens its own dialog. */
function click(): boolean {
  return input.dispatchEvent(new Event('click', { cancelable: true }))
}

test('a click opens the picker in place of the dialog of the input', async () => {
  const asked: object[] = []
  vi.stubGlobal('showOpenFilePicker', async (of: object) => {
    asked.push(of)
    return [handle]
  })
  input.multiple = true
  const { chosen } = await use()
  expect(click()).toBe(false)
  await expect.poll(() => chosen).toEqual([{ files: [{ file, handle }], unreadable: [] }])
  expect(asked).toEqual([{ multiple: true }])
  expect(showPicker).not.toHaveBeenCalled()
})

test('without a picker the input opens its own dialog', async () => {
  await use()
  expect(click()).toBe(true)
})

test('where the picker is refused, the dialog of the input opens by the same click', async () => {
  vi.stubGlobal('showOpenFilePicker', () => Promise.reject(new DOMException('', 'SecurityError')))
  const { chosen } = await use()
  expect(click()).toBe(false)
  await expect.poll(() => showPicker).toHaveBeenCalledTimes(1)
  expect(chosen).toEqual([])
})

test('a refusal long after the click opens nothing', async () => {
  vi.stubGlobal('navigator', { userActivation: { isActive: false } })
  const refused = Promise.reject(new DOMException('', 'SecurityError'))
  vi.stubGlobal('showOpenFilePicker', () => refused)
  await use()
  click()
  await refused.catch(() => undefined)
  await new Promise((resolve) => setImmediate(resolve))
  expect(showPicker).not.toHaveBeenCalled()
})

test('who closes the picker is told nothing and asked nothing', async () => {
  const closed = Promise.reject(new DOMException('', 'AbortError'))
  vi.stubGlobal('showOpenFilePicker', () => closed)
  const { chosen } = await use()
  click()
  await closed.catch(() => undefined)
  await new Promise((resolve) => setImmediate(resolve))
  expect(chosen).toEqual([])
  expect(showPicker).not.toHaveBeenCalled()
})

test('an input that is left opens its own dialog again', async () => {
  vi.stubGlobal('showOpenFilePicker', async () => [handle])
  const { unmount } = await use()
  unmount()
  expect(click()).toBe(true)
})
