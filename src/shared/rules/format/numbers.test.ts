import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { amountText, groupedDigits, priceText } from './numbers.ts'

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

test.each([
  [8, '$8'],
  ['8', '$8'],
  ['9.5', '$9.50'],
  [9.5, '$9.50'],
  ['12.25', '$12.25'],
  ['1.01', '$1.01'],
  ['99', '$99'],
  ['10', '$10'],
])('a price of %j dollars is %s', (price, text) => {
  expect(priceText(price)).toBe(text)
  expect(amountText(price)).toBe(text.slice(1))
})
