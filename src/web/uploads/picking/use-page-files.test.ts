// @vitest-environment happy-dom
import { act, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { DropItem } from './dropped-files.ts'
import { usePageFiles } from './use-page-files.ts'

const file = new File(['a'], 'notes.md', { lastModified: 0 })
const item: DropItem = { kind: 'file', getAsFile: () => file }

let names: (string | undefined)[]
let hook: ReturnType<typeof renderHook<boolean, unknown>>

beforeEach(() => {
  document.body.replaceChildren(document.createElement('input'), document.createElement('p'))
  names = []
  hook = renderHook(() => usePageFiles(({ files }) => names.push(files[0]?.file.name)))
})
afterEach(() => hook.unmount())

function dispatch(type: string, properties: object, target = 'p'): boolean {
  const event = new Event(type, { bubbles: true, cancelable: true })
  Object.assign(event, properties)
  act(() => void document.querySelector(target)?.dispatchEvent(event))
  return event.defaultPrevented
}

function dispatchDrag(type: string): boolean {
  return dispatch(type, { dataTransfer: { types: ['Files'], items: [item], dropEffect: 'none' } })
}

/** Pastes a file or text. An empty string simulates an empty clipboard. */
function paste(content: File | string, target = 'p') {
  const clipboardData = {
    items: content instanceof File ? [item] : [],
    getData: () => (typeof content === 'string' ? content : ''),
  }
  dispatch('paste', { clipboardData }, target)
}

test('dropped files are accepted, and a drag over the page is reported', async () => {
  expect(hook.result.current).toBe(false)
  dispatchDrag('dragenter')
  expect(hook.result.current).toBe(true)
  expect(dispatchDrag('drop')).toBe(true)
  expect(hook.result.current).toBe(false)
  await expect.poll(() => names).toEqual(['notes.md'])
})

test('pasted files and text are accepted, but not from a text field or an empty clipboard', async () => {
  paste('some words', 'input')
  paste('')
  paste('some words')
  await expect.poll(() => names).toEqual([expect.stringMatching(/^Pasted text .*\.txt$/)])
  paste(file)
  await expect.poll(() => names.at(-1)).toBe('notes.md')
  expect(names).toHaveLength(2)
})

test('nothing is accepted after unmounting', async () => {
  hook.unmount()
  paste(file)
  expect(dispatchDrag('drop')).toBe(false)
  await new Promise((resolve) => setImmediate(resolve))
  expect(names).toEqual([])
})
