import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isApiKey, keyPrefix, newApiKey } from './api-key.ts'

describe('an API key', () => {
  it('has 42 characters that need no escaping, and never repeats', () => {
    const keys = Array.from({ length: 200 }, newApiKey)
    for (const key of keys) expect(key).toMatch(/^mfy_[\dA-Za-z]{38}$/)
    expect(new Set(keys).size).toBe(200)
    expect(keys.every(isApiKey)).toBe(true)
    expect(keyPrefix('mfy_abcdefgh')).toBe('mfy_abcd')
  })

  it('is recognized as mistyped if a character differs', () => {
    fc.assert(
      fc.property(fc.nat(41), fc.constantFrom(...'aZ0_ '), (index, character) => {
        const key = newApiKey()
        const changed = key.slice(0, index) + character + key.slice(index + 1)
        expect(isApiKey(changed)).toBe(changed === key)
      }),
    )
    for (const text of ['', 'mfy_', newApiKey().slice(1), `${newApiKey()}a`])
      expect(isApiKey(text)).toBe(false)
  })
})
