import { expect, it } from 'vitest'
import { formatShortCount } from './format-count.ts'

it.each([
  [0, '0'],
  [999, '999'],
  [1000, '1K'],
  [12_400, '12.4K'],
  [1_250_000, '1.3M'],
])('formats %i compactly as %s', (count, text) => {
  expect(formatShortCount(count)).toBe(text)
})
