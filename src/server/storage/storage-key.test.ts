import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyText } from '../../../tests/support/any-text.ts'
import { isStorageKey, newStorageKey } from './storage-key.ts'

it('creates valid keys that are unique even if case is ignored', () => {
  const keys = Array.from({ length: 1000 }, newStorageKey)
  expect(keys.every(isStorageKey)).toBe(true)
  expect(new Set(keys.map((key) => key.toUpperCase())).size).toBe(keys.length)
})

it('accepts nothing else as a key', () => {
  const key = newStorageKey()
  const invalidKeys = [
    '',
    key.slice(1),
    `${key}0`,
    key.toUpperCase(),
    `${key}\n`,
    `../${key.slice(3)}`,
  ]
  expect(invalidKeys.filter(isStorageKey)).toEqual([])
  fc.assert(
    fc.property(anyText({ minLength: 26, maxLength: 26 }), (text) => {
      expect(isStorageKey(text)).toBe([...text].every((character) => /[0-9a-z]/.test(character)))
    }),
  )
})
