// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Drop, DropItem } from './dropped-files.ts'
import { followPageDrop } from './page-drop.ts'

const file = new File(['a'], 'a.txt')

let page: HTMLElement
let field: HTMLInputElement
let drops: Drop[]
let isDragging: boolean
let leave: () => void

beforeEach(() => {
  page = document.createElement('main')
  field = document.createElement('input')
  document.body.replaceChildren(page, field)
  drops = []
  isDragging = false
  leave = followPageDrop({
    onDragging: (now) => {
      isDragging = now
    },
    onDrop: (drop) => drops.push(drop),
  })
})
afterEach(() => leave())

type Kind = 'files' | 'text'

/** Dispatches an event of dragging over `target`, as the browser does. */
function drag(type: string, kind: Kind, target: Element = page) {
  const item: DropItem = { kind: 'file', getAsFile: () => file }
  const dataTransfer = {
    types: kind === 'files' ? ['Files'] : ['text/plain'],
    items: kind === 'files' ? [item] : [],
    dropEffect: 'link',
  }
  const event = Object.assign(new Event(type, { bubbles: true, cancelable: true }), {
    dataTransfer,
  })
  target.dispatchEvent(event)
  return { isTaken: event.defaultPrevented, effect: dataTransfer.dropEffect }
}

test('files are taken wherever they are dropped, a field included', async () => {
  for (const target of [page, field]) {
    drops = []
    expect(drag('dragenter', 'files', target).isTaken).toBe(true)
    expect(isDragging).toBe(true)
    expect(drag('dragover', 'files', target)).toEqual({ isTaken: true, effect: 'copy' })
    expect(drag('drop', 'files', target).isTaken).toBe(true)
    expect(isDragging).toBe(false)
    await expect.poll(() => drops).toEqual([{ files: [{ file }], unreadable: [] }])
  }
})

test('a drag that goes on to an inner element is still over the page', () => {
  const inner = page.appendChild(document.createElement('p'))
  drag('dragenter', 'files')
  drag('dragenter', 'files', inner)
  drag('dragleave', 'files')
  expect(isDragging).toBe(true)
  drag('dragleave', 'files', inner)
  expect(isDragging).toBe(false)
})

test('text goes to the field that takes it, and leads the browser nowhere else', () => {
  expect(drag('dragenter', 'text').isTaken).toBe(false)
  expect(isDragging).toBe(false)
  expect(drag('dragover', 'text', field)).toEqual({ isTaken: false, effect: 'link' })
  expect(drag('drop', 'text', field).isTaken).toBe(false)
  expect(drag('dragover', 'text')).toEqual({ isTaken: true, effect: 'none' })
  expect(drag('drop', 'text').isTaken).toBe(true)
  expect(drops).toEqual([])
})

test('a picture that is dragged from the page itself is not uploaded, the next file is', async () => {
  drag('dragstart', 'files')
  expect(drag('dragenter', 'files').isTaken).toBe(false)
  expect(isDragging).toBe(false)
  expect(drag('dragover', 'files')).toEqual({ isTaken: true, effect: 'none' })
  drag('drop', 'files')
  drag('dragend', 'files')
  drag('drop', 'files')
  await expect.poll(() => drops).toHaveLength(1)
})

test('a drag that the user gives up is over', () => {
  drag('dragenter', 'files')
  drag('dragend', 'files')
  expect(isDragging).toBe(false)
})

test('a file that an upload in the panel has taken is not uploaded once more', async () => {
  const stop = (event: Event) => event.preventDefault()
  page.addEventListener('drop', stop)
  drag('dragenter', 'files')
  drag('drop', 'files')
  expect(isDragging).toBe(false)
  page.removeEventListener('drop', stop)
  drag('drop', 'files')
  await expect.poll(() => drops).toHaveLength(1)
})

test('a drag without anything in it is none of files', () => {
  const event = new Event('dragenter', { bubbles: true, cancelable: true })
  page.dispatchEvent(Object.assign(event, { dataTransfer: null }))
  expect([event.defaultPrevented, isDragging]).toEqual([false, false])
})

test('a page that is left takes nothing', () => {
  leave()
  expect(drag('dragenter', 'files').isTaken).toBe(false)
  expect(drag('dragover', 'files').isTaken).toBe(false)
  expect(drag('drop', 'files').isTaken).toBe(false)
  expect(isDragging).toBe(false)
})
