// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Drop, DropItem } from './dropped-files.ts'
import { isEditable, listenForDrops } from './page-drop.ts'

const file = new File(['a'], 'a.txt')

let page: HTMLElement
let field: HTMLInputElement
let drops: Drop[]
let isDragging: boolean
let stopListening: () => void

beforeEach(() => {
  page = document.createElement('main')
  field = document.createElement('input')
  document.body.replaceChildren(page, field)
  drops = []
  isDragging = false
  stopListening = listenForDrops({
    onDragging: (now) => {
      isDragging = now
    },
    onDrop: (drop) => drops.push(drop),
  })
})
afterEach(() => stopListening())

type DragKind = 'files' | 'text'

/** Dispatches a drag event on `target`, as the browser does. */
function dispatchDrag(type: string, kind: DragKind, target: Element = page) {
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

test('files can be dropped anywhere, including on a field', async () => {
  for (const target of [page, field]) {
    drops = []
    expect(dispatchDrag('dragenter', 'files', target).isTaken).toBe(true)
    expect(isDragging).toBe(true)
    expect(dispatchDrag('dragover', 'files', target)).toEqual({ isTaken: true, effect: 'copy' })
    expect(dispatchDrag('drop', 'files', target).isTaken).toBe(true)
    expect(isDragging).toBe(false)
    await expect.poll(() => drops).toEqual([{ files: [{ file }], unreadable: [] }])
  }
})

test('dragging over an inner element still counts as over the page', () => {
  const child = page.appendChild(document.createElement('p'))
  dispatchDrag('dragenter', 'files')
  dispatchDrag('dragenter', 'files', child)
  dispatchDrag('dragleave', 'files')
  expect(isDragging).toBe(true)
  dispatchDrag('dragleave', 'files', child)
  expect(isDragging).toBe(false)
})

test('text can be dropped on a field and is ignored elsewhere', () => {
  expect(dispatchDrag('dragenter', 'text').isTaken).toBe(false)
  expect(isDragging).toBe(false)
  expect(dispatchDrag('dragover', 'text', field)).toEqual({ isTaken: false, effect: 'link' })
  expect(dispatchDrag('drop', 'text', field).isTaken).toBe(false)
  expect(dispatchDrag('dragover', 'text')).toEqual({ isTaken: true, effect: 'none' })
  expect(dispatchDrag('drop', 'text').isTaken).toBe(true)
  expect(drops).toEqual([])
})

test("content dragged from the page itself isn't uploaded", async () => {
  dispatchDrag('dragstart', 'files')
  expect(dispatchDrag('dragenter', 'files').isTaken).toBe(false)
  expect(isDragging).toBe(false)
  expect(dispatchDrag('dragover', 'files')).toEqual({ isTaken: true, effect: 'none' })
  dispatchDrag('drop', 'files')
  dispatchDrag('dragend', 'files')
  dispatchDrag('drop', 'files')
  await expect.poll(() => drops).toHaveLength(1)
})

test('a cancelled drag ends', () => {
  dispatchDrag('dragenter', 'files')
  dispatchDrag('dragend', 'files')
  expect(isDragging).toBe(false)
})

test('a drop handled by an upload in the panel is not handled again', async () => {
  const markHandled = (event: Event) => event.preventDefault()
  page.addEventListener('drop', markHandled)
  dispatchDrag('dragenter', 'files')
  dispatchDrag('drop', 'files')
  expect(isDragging).toBe(false)
  page.removeEventListener('drop', markHandled)
  dispatchDrag('drop', 'files')
  await expect.poll(() => drops).toHaveLength(1)
})

test('an empty drag is ignored', () => {
  const event = new Event('dragenter', { bubbles: true, cancelable: true })
  page.dispatchEvent(Object.assign(event, { dataTransfer: null }))
  expect([event.defaultPrevented, isDragging]).toEqual([false, false])
})

test('nothing is handled after stopping', () => {
  stopListening()
  expect(dispatchDrag('dragenter', 'files').isTaken).toBe(false)
  expect(dispatchDrag('dragover', 'files').isTaken).toBe(false)
  expect(dispatchDrag('drop', 'files').isTaken).toBe(false)
  expect(isDragging).toBe(false)
})

function findTarget(html: string): Element | null {
  const body = document.createElement('body')
  body.innerHTML = html
  return body.querySelector('[data-target]')
}

test.each([
  '<input data-target>',
  '<input type="email" data-target>',
  '<textarea data-target></textarea>',
  '<select><option data-target>3 days</option></select>',
  '<div contenteditable><p><b data-target>text</b></p></div>',
  '<div contenteditable="true"><b data-target>text</b></div>',
])('editable: %s', (html) => {
  expect(isEditable(findTarget(html))).toBe(true)
})

test.each([
  '<p data-target>text</p>',
  '<button data-target>Choose files</button>',
  '<div contenteditable="false"><b data-target>text</b></div>',
  ...['button', 'checkbox', 'file', 'radio', 'range', 'reset', 'submit'].map(
    (type) => `<input type="${type}" data-target>`,
  ),
])('not editable: %s', (html) => {
  const target = findTarget(html)
  expect(target).not.toBeNull()
  expect(isEditable(target)).toBe(false)
})
