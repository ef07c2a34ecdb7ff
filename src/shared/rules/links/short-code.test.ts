import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { extractShortCode, isShortCode, shortCodeAlphabet, shortCodeLength } from './short-code.ts'

const anyCode = fc
  .array(fc.constantFrom(...shortCodeAlphabet), {
    minLength: shortCodeLength,
    maxLength: shortCodeLength,
  })
  .map((characters) => characters.join(''))

describe('the alphabet', () => {
  it('has distinct letters and digits without lookalikes', () => {
    expect(shortCodeAlphabet).toMatch(/^[0-9A-Za-z]+$/)
    expect(new Set(shortCodeAlphabet).size).toBe(shortCodeAlphabet.length)
    expect(shortCodeAlphabet).not.toMatch(/[0Oo1Il2Z5Ssuv]/)
  })

  it('allows over 2 to the power of 56 codes, too many to guess', () => {
    expect(shortCodeLength).toBe(10)
    expect(shortCodeAlphabet.length ** shortCodeLength).toBeGreaterThan(2 ** 56)
  })
})

describe('isShortCode', () => {
  it('accepts every code of characters from the alphabet', () => {
    fc.assert(
      fc.property(anyCode, (text) => {
        expect(isShortCode(text)).toBe(true)
      }),
    )
  })

  it('rejects a missing, extra or invalid character at any position', () => {
    const invalidCharacter = fc.constantFrom(
      '0',
      'O',
      'l',
      '-',
      '_',
      '/',
      '%',
      ' ',
      '\n',
      '\0',
      'é',
      '３',
    )
    fc.assert(
      fc.property(
        anyCode,
        fc.nat(shortCodeLength - 1),
        invalidCharacter,
        (text, index, character) => {
          expect(isShortCode(text.slice(1))).toBe(false)
          expect(isShortCode(`${text}3`)).toBe(false)
          expect(isShortCode(`${text}${character}`)).toBe(false)
          expect(isShortCode(text.slice(0, index) + character + text.slice(index + 1))).toBe(false)
        },
      ),
    )
  })

  it.each(['', '\n', '3'.repeat(100_000), "3' or '1'='1"])('rejects %j', (text) => {
    expect(isShortCode(text)).toBe(false)
  })
})

const code = 'Ab3kT9xwQ4'

test.each([
  [code],
  [`  ${code}\n`],
  [`/s/${code}`],
  [`https://files.example.org/s/${code}`],
  [`http://127.0.0.1:3000/s/${code}?from=mail#top`],
  [`https://files.example.org/s/${code}/report`],
  [`https://files.example.org/download/${code}`],
  [`https://files.example.org/api/download/${code}`],
  [`https://files.example.org/api/links/${code}`],
  [`See <https://files.example.org/s/${code}>, please.`],
])('extractShortCode finds the code in %j', (input) => expect(extractShortCode(input)).toBe(code))

test.each([
  [''],
  ['files.example.org'],
  ['https://files.example.org/'],
  [code.slice(1)],
  [`${code}${code}`],
  [`https://files.example.org/s/${code}x`],
  [`https://files.example.org/s/${code.slice(1)}`],
  [`https://files.example.org/about/${code}`],
  // Short codes don't contain 0.
  [`/s/0${code.slice(1)}`],
])('extractShortCode finds no code in %j', (input) => expect(extractShortCode(input)).toBeNull())

test('extractShortCode finds every short code, alone and in its link', () => {
  const codes = fc
    .array(fc.constantFrom(...shortCodeAlphabet), {
      minLength: shortCodeLength,
      maxLength: shortCodeLength,
    })
    .map((characters) => characters.join(''))
  fc.assert(
    fc.property(codes, (shortCode) => {
      expect(extractShortCode(shortCode)).toBe(shortCode)
      expect(extractShortCode(`https://files.example.org/s/${shortCode}`)).toBe(shortCode)
    }),
  )
})
