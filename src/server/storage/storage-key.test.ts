import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isStorageKey, newStorageKey } from './storage-key.ts'

it('makes keys that are keys, each new, also where case is ignored', () => {
  const keys = Array.from({ length: 1000 }, newStorageKey)
  expect(keys.every(isStorageKey)).toBe(true)
  expect(new Set(keys.map((key) => key.toUpperCase())).size).toBe(keys.length)
})

it('takes nothing else for a key', () => {
  const key = newStorageKey()
  const others = ['', key.slice(1), `${key}0`, key.toUpperCase(), `${key}\n`, `../${key.slice(3)}`]
  expect(others.filter(isStorageKey)).toEqual([])
  fc.assert(
    fc.property(fc.string({ minLength: 26, maxLength: 26, unit: 'binary' }), (text) => {
      expect(isStorageKey(text)).toBe([...text].every((mark) => /[0-9a-z]/.test(mark)))
    }),
  )
})
