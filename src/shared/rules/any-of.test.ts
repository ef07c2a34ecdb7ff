import { expect, it } from 'vitest'
import { anyOf } from './any-of.ts'

it.each([
  [[3], '3'],
  [[5, 7], '5 or 7'],
  [[3, 5, 7], '3, 5 or 7'],
])('%j is %s', (choices, words) => {
  expect(anyOf(choices)).toBe(words)
})
