// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { BarChart } from './bar-chart.tsx'

afterEach(cleanup)

function day(n: number, value: number) {
  return { label: `Day ${n}`, tick: `${n}`, value }
}

function show(values: number[]) {
  const chart = (points: number[]) => (
    <BarChart
      label="Downloads per day"
      unit={['download', 'downloads']}
      points={points.map((value, n) => day(n + 1, value))}
    />
  )
  const { rerender, container } = render(chart(values))
  const slider = screen.getByRole('slider', { name: 'Downloads per day' })
  return {
    slider,
    read: () => slider.getAttribute('aria-valuetext'),
    /** The text in the box of the reading point, which only people who see it can read. */
    tip: () => container.querySelector('.chart-tip')?.textContent ?? null,
    written: () => [...container.querySelectorAll('text')].map(({ textContent }) => textContent),
    heights: () =>
      [...container.querySelectorAll('.chart-mark')].map((bar) =>
        Number(bar.getAttribute('height')),
      ),
    become: (next: number[]) => rerender(chart(next)),
  }
}

test('is read from its last bar on, in words', () => {
  const { read, slider } = show([3, 0, 1])
  expect(read()).toBe('Day 3: 1 download')
  expect([slider.getAttribute('aria-valuenow'), slider.getAttribute('aria-valuemax')]).toEqual([
    '3',
    '3',
  ])
})

test('keys move the reading point, and show its value', () => {
  const { slider, read, tip } = show([3, 0, 1200])
  expect(tip()).toBeNull()
  expect(fireEvent.keyDown(slider, { key: 'ArrowLeft' })).toBe(false)
  expect([read(), tip()]).toEqual(['Day 2: 0 downloads', 'Day 2 0'])
  fireEvent.keyDown(slider, { key: 'Home' })
  expect(read()).toBe('Day 1: 3 downloads')
  fireEvent.keyDown(slider, { key: 'End' })
  expect([read(), tip()]).toEqual(['Day 3: 1,200 downloads', 'Day 3 1,200'])
  fireEvent.keyDown(slider, { key: 'Escape' })
  expect([read(), tip()]).toEqual(['Day 3: 1,200 downloads', null])
})

test.each([
  { key: 'a' },
  { key: 'Tab' },
  { key: 'ArrowLeft', altKey: true },
  { key: 'Home', metaKey: true },
  { key: 'End', ctrlKey: true },
])('%j is left to the browser', (press) => {
  const { slider, read } = show([3, 0, 1])
  expect(fireEvent.keyDown(slider, press)).toBe(true)
  expect(read()).toBe('Day 3: 1 download')
})

test('the pointer reads the bar under it, until it leaves', () => {
  const { slider, read, tip } = show([3, 0, 1, 4])
  slider.getBoundingClientRect = () => new DOMRect(100, 0, 400, 196)
  fireEvent.pointerMove(slider, { clientX: 250 })
  expect([read(), tip()]).toEqual(['Day 2: 0 downloads', 'Day 2 0'])
  fireEvent.pointerMove(slider, { clientX: 9999 })
  expect(read()).toBe('Day 4: 4 downloads')
  fireEvent.pointerLeave(slider)
  expect(tip()).toBeNull()
})

test('the focus shows the reading point, and hides it when it goes', () => {
  const { slider, tip } = show([3])
  fireEvent.focus(slider)
  expect(tip()).toBe('Day 1 3')
  fireEvent.blur(slider)
  expect(tip()).toBeNull()
})

test('the highest bar fills the plot, the smallest can be seen, and an empty one is none', () => {
  const [highest = 0, smallest, empty] = show([1_000_000, 1, 0]).heights()
  expect(highest).toBeGreaterThan(100)
  expect([smallest, empty]).toEqual([2, 0])
})

test('values are written where they have room, the highest always, and none twice', () => {
  const { written, slider } = show([0, 12, 1_250_000, 999_000])
  expect(written()).toEqual(['12', '1.3M'])
  // The reading point moves to the second bar. A box above the chart then shows 12, so the bar has
  // no text of its own.
  fireEvent.keyDown(slider, { key: 'Home' })
  fireEvent.keyDown(slider, { key: 'ArrowRight' })
  expect(written()).toEqual(['1.3M'])
})

test('a chart that becomes shorter is read at its last bar', () => {
  const { read, become } = show([3, 0, 1])
  become([3, 7])
  expect(read()).toBe('Day 2: 7 downloads')
})
