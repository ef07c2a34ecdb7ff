import { describe, expect, it } from 'vitest'
import { fileOrderTexts, formatOrder, newestFirst, parseOrder, sortKeys } from './file-order.ts'

describe('a file order as text', () => {
  it.each(fileOrderTexts)('%s survives a round trip', (text) => {
    expect(formatOrder(parseOrder(text))).toBe(text)
  })

  it('exists for every key and direction', () => {
    expect(new Set(fileOrderTexts).size).toBe(2 * sortKeys.length)
  })

  it('has a minus sign if the order is descending', () => {
    expect(formatOrder(newestFirst)).toBe('-date')
    expect(parseOrder('size')).toEqual({ by: 'size', descending: false })
  })
})
