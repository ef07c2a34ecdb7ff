// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { dayInMs } from '../../shared/rules/format/units.ts'
import { LifelineChart } from './lifeline-chart.tsx'

afterEach(cleanup)

const createdAt = new Date('2026-11-14T12:00:00.000Z')
function dateAfterCreation(days: number) {
  return new Date(createdAt.getTime() + days * dayInMs)
}
const dates = { createdAt, expiresAt: dateAfterCreation(7), maxLifetimeAt: dateAfterCreation(30) }

function show(counts: readonly number[], { canRenew = true, asTable = false } = {}) {
  const { container } = render(
    <LifelineChart
      days={counts.map((count, n) => ({ day: `2026-11-${14 + n}`, count }))}
      dates={dates}
      canRenew={canRenew}
      now={dateAfterCreation(counts.length - 1)}
      asTable={asTable}
    />,
  )
  const getPercentAttribute = (element: Element | null | undefined, name: string) =>
    Number.parseFloat(element?.getAttribute(name) ?? '')
  const [lived, valid, renewable] = container.querySelectorAll('svg[height="8"] > rect')
  return {
    heading: screen.getByRole('heading').textContent,
    rows: screen.getAllByRole('row').map(({ textContent }) => textContent),
    bars: [...container.querySelectorAll('.chart-mark')].map((bar) =>
      getPercentAttribute(bar, 'x'),
    ),
    lived: getPercentAttribute(lived, 'width'),
    valid: getPercentAttribute(valid, 'width'),
    renewable: getPercentAttribute(renewable, 'width'),
    axis: container.querySelector('.chart-axis')?.textContent,
  }
}

test('the axis covers the 31 days of the file’s maximum lifetime', () => {
  const { bars, heading } = show([22, 31, 47])
  expect(bars).toHaveLength(3)
  for (const [day, x] of bars.entries()) {
    expect(x).toBeGreaterThan((day * 100) / 31)
    expect(x).toBeLessThan(((day + 1) * 100) / 31)
  }
  expect(heading).toBe('100 downloads in 3 days, most on 16 Nov')
})

test('the lifeline is aligned with the bars', () => {
  const { lived, valid, renewable, axis } = show([1, 0, 0])
  expect(lived).toBeCloseTo(200 / 30 - 0.6, 1)
  expect(valid).toBeCloseTo(500 / 30 - 0.6, 1)
  expect(renewable).toBeCloseTo(2300 / 30, 1)
  expect(axis).toBe('14 Novdeleted 14 Dec')
})

test('the lifeline has no renewable part if the link can’t be renewed', () => {
  expect(show([1], { canRenew: false }).renewable).toBe(0)
})

test('the table shows the same numbers as the chart', () => {
  const { bars, rows } = show([22, 31], { asTable: true })
  expect(bars).toEqual([])
  expect(rows).toEqual(['DayDownloads', 'Sun 15 Nov31', 'Sat 14 Nov22'])
})

test('before the first download, only the lifeline and a note are shown', () => {
  const { bars, lived, rows } = show([0, 0, 0])
  expect(bars).toEqual([])
  expect(lived).toBeGreaterThan(0)
  expect(rows).toHaveLength(4)
  expect(screen.getByText(/^Opening a download page does not count/)).toBeTruthy()
})
