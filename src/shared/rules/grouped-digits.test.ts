import fc from 'fast-check'
import { expect, it } from 'vitest'
import { groupedDigits } from './grouped-digits.ts'

it.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [-1234567, '-1,234,567'],
])('%i is written as %s', (number, text) => {
  expect(groupedDigits(number)).toBe(text)
})

it('writes every whole number as the number format of English does', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (number) => {
      expect(groupedDigits(number)).toBe(number.toLocaleString('en'))
    }),
  )
})
