import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { amountText, durationText, groupDigits, joinWithOr, priceText } from './numbers.ts'

it.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [-1234567, '-1,234,567'],
])('groupDigits(%i) is %s', (number, text) => {
  expect(groupDigits(number)).toBe(text)
})

it('groupDigits matches the English number format', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (number) => {
      expect(groupDigits(number)).toBe(number.toLocaleString('en'))
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

it.each([
  [[], ''],
  [[3], '3'],
  [[3, 5], '3 or 5'],
  [[3, 5, 7], '3, 5 or 7'],
  [['example.org', 'example.com'], 'example.org or example.com'],
])('joinWithOr(%j) is %j', (choices, words) => {
  expect(joinWithOr(choices)).toBe(words)
})

it('joinWithOr matches the English list format', () => {
  const listFormat = new Intl.ListFormat('en-GB', { type: 'disjunction' })
  fc.assert(
    fc.property(fc.array(fc.nat()), (choices) => {
      expect(joinWithOr(choices)).toBe(listFormat.format(choices.map(String)))
    }),
  )
})

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

it.each([
  [minute, '1 minute'],
  [10 * minute, '10 minutes'],
  [hour, '1 hour'],
  [24 * hour, '24 hours'],
  [2 * day, '2 days'],
  [365 * day, '365 days'],
])('durationText formats %d ms as %j', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})
