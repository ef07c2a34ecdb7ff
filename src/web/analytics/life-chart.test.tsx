// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { dayInMs } from '../../shared/rules/format/units.ts'
import { LifeChart } from './life-chart.tsx'

afterEach(cleanup)

const createdAt = new Date('2026-11-14T12:00:00.000Z')
function later(days: number) {
  return new Date(createdAt.getTime() + days * dayInMs)
}
const dates = { createdAt, expiresAt: later(7), maxLifetimeAt: later(30) }

function show(counts: readonly number[], { canRenew = true, asTable = false } = {}) {
  const { container } = render(
    <LifeChart
      days={counts.map((count, n) => ({ day: `2026-11-${14 + n}`, count }))}
      dates={dates}
      canRenew={canRenew}
      now={later(counts.length - 1)}
      asTable={asTable}
    />,
  )
  const percent = (element: Element | null | undefined, name: string) =>
    Number.parseFloat(element?.getAttribute(name) ?? '')
  const [lived, valid, renewable] = container.querySelectorAll('svg[height="8"] > rect')
  return {
    slider: screen.queryByRole('slider', { name: 'Downloads per day' }),
    heading: screen.getByRole('heading').textContent,
    rows: screen.getAllByRole('row').map(({ textContent }) => textContent),
    bars: [...container.querySelectorAll('.chart-mark')].map((bar) => percent(bar, 'x')),
    lived: percent(lived, 'width'),
    valid: percent(valid, 'width'),
    renewable: percent(renewable, 'width'),
    axis: container.querySelector('.chart-axis')?.textContent,
  }
}

test('the bars stand on the file’s own days, of which there are 31', () => {
  const { bars, heading } = show([22, 31, 47])
  expect(bars).toHaveLength(3)
  for (const [day, x] of bars.entries()) {
    expect(x).toBeGreaterThan((day * 100) / 31)
    expect(x).toBeLessThan(((day + 1) * 100) / 31)
  }
  expect(heading).toBe('100 downloads in 3 days, most on 16 Nov')
})

test('the lifeline below them has lived as long as there are bars', () => {
  const { lived, valid, renewable, axis } = show([1, 0, 0])
  expect(lived).toBeCloseTo(200 / 30 - 0.6, 1)
  expect(valid).toBeCloseTo(500 / 30 - 0.6, 1)
  expect(renewable).toBeCloseTo(2300 / 30, 1)
  expect(axis).toBe('todaygone for good 14 Dec')
})

test('the lifeline hatches nothing where the link cannot be renewed', () => {
  expect(show([1], { canRenew: false }).renewable).toBe(0)
})

test('the first day has its name once today is not beside it', () => {
  const { axis } = show(Array(9).fill(1))
  expect(axis).toBe('14 Novtodaygone for good 14 Dec')
})

test('the keys read one bar after another, and stop at today', () => {
  const { slider } = show([22, 31, 1])
  const read = () => slider?.getAttribute('aria-valuetext')
  expect(read()).toBe('Mon 16 Nov: 1 download')
  fireEvent.keyDown(slider as Element, { key: 'ArrowLeft' })
  expect(read()).toBe('Sun 15 Nov: 31 downloads')
  fireEvent.keyDown(slider as Element, { key: 'End' })
  expect(read()).toBe('Mon 16 Nov: 1 download')
})

test('the pointer reads no day that has not come', () => {
  const { slider } = show([22, 31, 1])
  if (slider) slider.getBoundingClientRect = () => new DOMRect(0, 0, 310, 200)
  fireEvent.pointerMove(slider as Element, { clientX: 300 })
  expect(slider?.getAttribute('aria-valuetext')).toBe('Mon 16 Nov: 1 download')
})

test('the table has the same numbers, and can stand alone', () => {
  const { slider, rows } = show([22, 31], { asTable: true })
  expect(slider).toBeNull()
  expect(rows).toEqual(['DayDownloads', 'Sun 15 Nov31', 'Sat 14 Nov22'])
})

test('before the first download the lifeline stands alone, and says what will be there', () => {
  const { slider, bars, lived, rows } = show([0, 0, 0])
  expect([slider, bars.length]).toEqual([null, 0])
  expect(lived).toBeGreaterThan(0)
  expect(rows).toHaveLength(4)
  expect(screen.getByText(/^Opening a download page does not count/)).toBeTruthy()
})
