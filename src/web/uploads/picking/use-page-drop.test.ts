// @vitest-environment happy-dom
import { act, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Drop, DropItem } from './dropped-files.ts'
import { usePageDrop } from './use-page-drop.ts'

const file = new File(['a'], 'a.txt')

let page: HTMLElement
let field: HTMLInputElement
let drops: Drop[]
let isDragging: () => boolean
let leave: () => void

beforeEach(() => {
  page = document.createElement('main')
  field = document.createElement('input')
  document.body.replaceChildren(page, field)
  drops = []
  const { result, unmount } = renderHook(() => usePageDrop((drop) => drops.push(drop)))
  isDragging = () => result.current
  leave = unmount
})
afterEach(() => leave())

type Kind = 'files' | 'text'

/** Dispatches an event of dragging over `target`, as the browser does. */
function drag(type: string, kind: Kind, target: Element = page) {
  const item: DropItem = { kind: 'file', getAsFile: () => file }
  const dataTransfer = {
    types: kind === 'files' ? ['Files'] : ['text/plain'],
    items: kind === 'files' ? [item] : [],
    dropEffect: 'none',
  }
  const event = Object.assign(new Event(type, { bubbles: true, cancelable: true }), {
    dataTransfer,
  })
  act(() => void target.dispatchEvent(event))
  return { isTaken: event.defaultPrevented, effect: dataTransfer.dropEffect }
}

test('files are taken wherever they are dropped, a field included', async () => {
  for (const target of [page, field]) {
    drops = []
    expect(drag('dragenter', 'files', target).isTaken).toBe(true)
    expect(isDragging()).toBe(true)
    expect(drag('dragover', 'files', target)).toEqual({ isTaken: true, effect: 'copy' })
    expect(drag('drop', 'files', target).isTaken).toBe(true)
    expect(isDragging()).toBe(false)
    await expect.poll(() => drops).toEqual([{ files: [{ file }], unreadable: [] }])
  }
})

test('a drag that goes on to an inner element is still over the page', () => {
  const inner = page.appendChild(document.createElement('p'))
  drag('dragenter', 'files')
  drag('dragenter', 'files', inner)
  drag('dragleave', 'files')
  expect(isDragging()).toBe(true)
  drag('dragleave', 'files', inner)
  expect(isDragging()).toBe(false)
})

test('text goes to the field that takes it, and leads the browser nowhere else', () => {
  drag('dragenter', 'text')
  expect(isDragging()).toBe(false)
  expect(drag('dragover', 'text', field).isTaken).toBe(false)
  expect(drag('drop', 'text', field).isTaken).toBe(false)
  expect(drag('dragover', 'text')).toEqual({ isTaken: true, effect: 'none' })
  expect(drag('drop', 'text').isTaken).toBe(true)
  expect(drops).toEqual([])
})

test('a picture that is dragged from the page itself is not uploaded', async () => {
  drag('dragstart', 'files')
  drag('dragenter', 'files')
  expect(isDragging()).toBe(false)
  drag('drop', 'files')
  drag('dragend', 'files')
  drag('drop', 'files')
  await expect.poll(() => drops).toHaveLength(1)
})

test('a file that an upload in the panel has taken is not uploaded once more', async () => {
  const stop = (event: Event) => event.preventDefault()
  page.addEventListener('drop', stop)
  drag('dragenter', 'files')
  drag('drop', 'files')
  expect(isDragging()).toBe(false)
  page.removeEventListener('drop', stop)
  drag('drop', 'files')
  await expect.poll(() => drops).toHaveLength(1)
})

test('a page that is left takes nothing', () => {
  leave()
  expect(drag('dragover', 'files').isTaken).toBe(false)
  expect(drag('drop', 'files').isTaken).toBe(false)
})
