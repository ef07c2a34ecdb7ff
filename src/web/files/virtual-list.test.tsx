// @vitest-environment happy-dom
import { act, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { VirtualList } from './virtual-list.tsx'

/** Each row's mocked height in pixels, because happy-dom does no layout. */
const height = 50
const names = Array.from({ length: 5000 }, (_, index) => `File ${index + 1}`)

beforeEach(() => {
  Object.defineProperty(HTMLElement.prototype, 'offsetHeight', {
    configurable: true,
    get: () => height,
  })
})
afterEach(() => {
  Reflect.deleteProperty(HTMLElement.prototype, 'offsetHeight')
  document.documentElement.scrollTop = 0
})

/** Renders the list. Counts how often it reads an item's id, and how often it renders each row. */
function show() {
  const reads = { ids: 0, rows: new Map<string, number>() }
  const getId = (name: string) => {
    reads.ids += 1
    return name
  }
  const renderRow = (name: string) => {
    reads.rows.set(name, (reads.rows.get(name) ?? 0) + 1)
    return <p>{name}</p>
  }
  render(<VirtualList label="Files" items={names} itemId={getId} row={renderRow} />)
  return reads
}

function scrollTo(top: number) {
  act(() => {
    document.documentElement.scrollTop = top
    window.dispatchEvent(new Event('scroll'))
  })
}

function getVisibleTexts(): string[] {
  return screen.getAllByRole('listitem').map(({ textContent }) => textContent ?? '')
}

test('renders only the rows in and near the viewport, and announces the number of rows', () => {
  show()
  expect(getVisibleTexts().slice(0, 2)).toEqual(['File 1', 'File 2'])
  expect(getVisibleTexts().length).toBeLessThan(window.innerHeight / height + 20)
  const [first] = screen.getAllByRole('listitem')
  expect(first?.getAttribute('aria-posinset')).toBe('1')
  expect(first?.getAttribute('aria-setsize')).toBe('5000')
})

test('assumes that all rows are as tall as the first', () => {
  show()
  expect(screen.getByRole('list').style.height).toBe(`${names.length * height}px`)
})

test('does not compute the keys of all rows while scrolling', () => {
  const reads = show()
  scrollTo(1000 * height)
  expect(getVisibleTexts()).toContain('File 1010')
  expect(getVisibleTexts()).not.toContain('File 1')
  const readCountBefore = reads.ids
  for (let row = 1; row <= 10; row += 1) scrollTo((1000 + row) * height)
  expect(getVisibleTexts()).toContain('File 1020')
  expect(reads.ids - readCountBefore).toBeLessThan(names.length)
})

test('renders a row once while scrolling', () => {
  const reads = show()
  for (let row = 1; row <= 40; row += 1) scrollTo(row * height)
  expect(getVisibleTexts()).toContain('File 41')
  expect(new Set(reads.rows.values())).toEqual(new Set([1]))
})
