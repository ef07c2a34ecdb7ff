// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { useReadingRows } from './use-reading-rows.ts'

afterEach(cleanup)

function Rows({ names }: { names: readonly string[] }) {
  const reading = useReadingRows(names.length)
  return (
    <table {...reading.table}>
      <tbody>
        {names.map((name, index) => (
          <tr key={name} {...reading.row(index)}>
            <td>{name}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function show(names: readonly string[]) {
  const { rerender } = render(<Rows names={names} />)
  const rows = () => screen.getAllByRole('row')
  return {
    focused: () => document.activeElement?.textContent,
    /** The rows that Tab reaches. */
    reached: () =>
      rows()
        .filter((row) => row.tabIndex === 0)
        .map((row) => row.textContent),
    focus: (index: number) => fireEvent.focus(rows()[index] as HTMLElement),
    press: (key: string, more = {}) =>
      fireEvent.keyDown(document.activeElement as Element, { key, ...more }),
    enter: () =>
      rows()
        .find((row) => row.tabIndex === 0)
        ?.focus(),
    become: (next: readonly string[]) => rerender(<Rows names={next} />),
  }
}

test('Tab reaches one row, and the keys move from there and stop at the ends', () => {
  const { enter, focused, press, reached } = show(['a', 'b', 'c'])
  expect(reached()).toEqual(['a'])
  enter()
  const seen = ['ArrowUp', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Home', 'End'].map((key) => {
    expect(press(key)).toBe(false)
    return focused()
  })
  expect(seen).toEqual(['a', 'b', 'c', 'c', 'a', 'c'])
  expect(reached()).toEqual(['c'])
})

test.each([
  ['Tab', {}],
  ['ArrowRight', {}],
  ['ArrowDown', { altKey: true }],
  ['Home', { metaKey: true }],
  ['End', { ctrlKey: true }],
])('%s with %j is left to the browser', (key, more) => {
  const { enter, focused, press } = show(['a', 'b'])
  enter()
  expect(press(key, more)).toBe(true)
  expect(focused()).toBe('a')
})

test('a click moves the point, and one row is reached when rows go', () => {
  const { become, focus, reached } = show(['a', 'b', 'c'])
  focus(2)
  expect(reached()).toEqual(['c'])
  become(['a', 'b'])
  expect(reached()).toEqual(['b'])
})
