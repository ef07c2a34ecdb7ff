import { describe, expect, it } from 'vitest'
import { formatInteger, formatShortCount } from './format-count.ts'

describe('formatInteger and formatShortCount', () => {
  it.each([
    [0, '0', '0'],
    [999, '999', '999'],
    [1000, '1,000', '1K'],
    [12_400, '12,400', '12.4K'],
    [1_250_000, '1,250,000', '1.3M'],
  ])('format %i as %s and %s', (count, full, short) => {
    expect(formatInteger(count)).toBe(full)
    expect(formatShortCount(count)).toBe(short)
  })
})
