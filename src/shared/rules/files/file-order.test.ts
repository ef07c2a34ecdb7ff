import { describe, expect, it } from 'vitest'
import { fileOrderTexts, formatOrder, newestFirst, parseOrder, sortKeys } from './file-order.ts'

describe('an order of files as text', () => {
  it.each(fileOrderTexts)('%s is read as what it was written from', (text) => {
    expect(formatOrder(parseOrder(text))).toBe(text)
  })

  it('is one for each key and direction', () => {
    expect(new Set(fileOrderTexts).size).toBe(2 * sortKeys.length)
  })

  it('has a minus for descending', () => {
    expect(formatOrder(newestFirst)).toBe('-date')
    expect(parseOrder('size')).toEqual({ by: 'size', descending: false })
  })
})
