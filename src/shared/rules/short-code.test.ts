import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isShortCode, shortCodeAlphabet, shortCodeLength } from './short-code.ts'

const code = fc
  .array(fc.constantFrom(...shortCodeAlphabet), {
    minLength: shortCodeLength,
    maxLength: shortCodeLength,
  })
  .map((characters) => characters.join(''))

describe('the alphabet', () => {
  it('has letters and digits only, each once, and none that looks like another', () => {
    expect(shortCodeAlphabet).toMatch(/^[0-9A-Za-z]+$/)
    expect(new Set(shortCodeAlphabet).size).toBe(shortCodeAlphabet.length)
    expect(shortCodeAlphabet).not.toMatch(/[0Oo1Il2Z5Ssuv]/)
  })

  it('leaves too many codes to guess: 2 to the power of 56', () => {
    expect(shortCodeLength).toBe(10)
    expect(shortCodeAlphabet.length ** shortCodeLength).toBeGreaterThan(2 ** 56)
  })
})

describe('isShortCode', () => {
  it('takes every code of the alphabet', () => {
    fc.assert(
      fc.property(code, (text) => {
        expect(isShortCode(text)).toBe(true)
      }),
    )
  })

  it('refuses one character less, one more, and a foreign one at any place', () => {
    const foreign = fc.constantFrom('0', 'O', 'l', '-', '_', '/', '%', ' ', '\n', '\0', 'é', '３')
    fc.assert(
      fc.property(code, fc.nat(shortCodeLength - 1), foreign, (text, place, character) => {
        expect(isShortCode(text.slice(1))).toBe(false)
        expect(isShortCode(`${text}3`)).toBe(false)
        expect(isShortCode(`${text}${character}`)).toBe(false)
        expect(isShortCode(text.slice(0, place) + character + text.slice(place + 1))).toBe(false)
      }),
    )
  })

  it.each(['', '\n', '3'.repeat(100_000), "3' or '1'='1"])('refuses %j', (text) => {
    expect(isShortCode(text)).toBe(false)
  })
})
