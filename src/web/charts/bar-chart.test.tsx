// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { BarChart } from './bar-chart.tsx'

afterEach(cleanup)

function show(values: number[]) {
  const points = values.map((value, n) => ({ label: `Day ${n + 1}`, tick: `${n + 1}`, value }))
  const { container } = render(<BarChart unit={['download', 'downloads']} points={points} />)
  const getTexts = (selector: string) =>
    [...container.querySelectorAll(selector)].map(({ textContent }) => textContent)
  return {
    tooltips: getTexts('title'),
    values: getTexts('text'),
    heights: [...container.querySelectorAll('.chart-mark')].map((bar) =>
      Number(bar.getAttribute('height')),
    ),
  }
}

test('each bar has a tooltip', () => {
  expect(show([3, 0, 1200, 1]).tooltips).toEqual([
    'Day 1: 3 downloads',
    'Day 2: 0 downloads',
    'Day 3: 1,200 downloads',
    'Day 4: 1 download',
  ])
})

test('the highest bar fills the plot, and every value above 0 is visible', () => {
  const [highest = 0, smallest, empty] = show([1_000_000, 1, 0]).heights
  expect(highest).toBeGreaterThan(100)
  expect([smallest, empty]).toEqual([2, 0])
})

test('labels bars with short values, and always the highest bar', () => {
  expect(show([0, 12, 1_250_000, 999_000]).values).toEqual(['12', '1.3M'])
  expect(show([...Array(50).fill(1), 2]).values).toEqual(['2'])
})
