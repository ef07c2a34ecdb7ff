import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linkCode } from './link-code.ts'
import { shortCodeAlphabet, shortCodeLength } from './short-code.ts'

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
])('the code of %j is found', (typed) => expect(linkCode(typed)).toBe(code))

test.each([
  [''],
  ['files.example.org'],
  ['https://files.example.org/'],
  [code.slice(1)],
  [`${code}${code}`],
  [`https://files.example.org/s/${code}x`],
  [`https://files.example.org/s/${code.slice(1)}`],
  [`https://files.example.org/about/${code}`],
  // Zero is no character of a short code.
  [`/s/0${code.slice(1)}`],
])('%j has none', (typed) => expect(linkCode(typed)).toBeNull())

test('every short code is found alone and in its link', () => {
  const codes = fc
    .array(fc.constantFrom(...shortCodeAlphabet), {
      minLength: shortCodeLength,
      maxLength: shortCodeLength,
    })
    .map((characters) => characters.join(''))
  fc.assert(
    fc.property(codes, (one) => {
      expect(linkCode(one)).toBe(one)
      expect(linkCode(`https://files.example.org/s/${one}`)).toBe(one)
    }),
  )
})
