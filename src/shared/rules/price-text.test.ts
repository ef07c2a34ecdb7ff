import { expect, test } from 'vitest'
import { amountText, priceText } from './price-text.ts'

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
