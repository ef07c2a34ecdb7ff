import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyOf } from './lists.ts'

it.each([
  [[], ''],
  [[3], '3'],
  [[3, 5], '3 or 5'],
  [[3, 5, 7], '3, 5 or 7'],
  [['example.org', 'example.com'], 'example.org or example.com'],
])('%j becomes %j', (choices, words) => {
  expect(anyOf(choices)).toBe(words)
})

it('says what the list format of English says', () => {
  const list = new Intl.ListFormat('en-GB', { type: 'disjunction' })
  fc.assert(
    fc.property(fc.array(fc.nat()), (choices) => {
      expect(anyOf(choices)).toBe(list.format(choices.map(String)))
    }),
  )
})
