import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyText } from '../../../tests/support/any-text.ts'
import { isStorageKey, newStorageKey, storageKeyMaker } from './storage-key.ts'

it('creates valid keys that are unique even if case is ignored', () => {
  const keys = Array.from({ length: 1000 }, newStorageKey)
  expect(keys.every(isStorageKey)).toBe(true)
  expect(new Set(keys.map((key) => key.toUpperCase())).size).toBe(keys.length)
})

it('creates keys that share only their folder, which differs between key makers', () => {
  const makers = Array.from({ length: 20 }, storageKeyMaker)
  const keys = makers.map((makeKey) => Array.from({ length: 50 }, makeKey))
  expect(keys.flat().every(isStorageKey)).toBe(true)
  expect(new Set(keys.flat()).size).toBe(1000)
  for (const keysOfMaker of keys)
    expect(new Set(keysOfMaker.map((key) => key.slice(0, 2))).size).toBe(1)
  for (const keysOfMaker of keys)
    expect(new Set(keysOfMaker.map((key) => key.slice(0, 14))).size).toBe(50)
  expect(new Set(keys.map(([key = '']) => key.slice(0, 2))).size).toBeGreaterThan(5)
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
